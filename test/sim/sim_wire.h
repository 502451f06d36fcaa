/*  sim_wire - what the simulation says and reads in protobuf: the users' requests, the auditor's
 *  questions, and a line of text for each message of a trace.
 *
 *  Written apart from the services' own _wire files on purpose: a check that reads with the reader
 *  under test shares its mistakes.
 */
#ifndef MUSUBI_SIM_WIRE_H
#define MUSUBI_SIM_WIRE_H

#include "sim_message.h"

#define SIM_TEXT_BYTES 1024

/*  What a message says, on one line. */
void sim_wire_text (const sim_message_t *message, char text [SIM_TEXT_BYTES]);

#endif
