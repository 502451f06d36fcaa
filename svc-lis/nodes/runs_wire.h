/*  runs_wire - tables of runs, for those of nodes, agents and the queue. */
#ifndef MUSUBI_RUNS_WIRE_H
#define MUSUBI_RUNS_WIRE_H

#include "runs.h"

extern const codec_t task_id_codec;
extern const codec_t run_id_codec;
extern const codec_t run_report_codec;

/*  The part of an order that is its command, by another name: for rows. */
typedef run_order_t task_command_t;
extern const codec_t task_command_codec;
extern const codec_t run_order_codec;

#endif
