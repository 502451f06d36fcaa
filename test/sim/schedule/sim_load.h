/*  sim_load - what a participant has promised of each of its resources, at any instant, as its
 *  recorded commands say it.
 *
 *  Counts nodes of classes and Mbit/s of links alike, by plain sums over all commands: slow, and
 *  nothing of the services' own calendars is used.
 */
#ifndef MUSUBI_SIM_LOAD_H
#define MUSUBI_SIM_LOAD_H

#include "sim_wire.h"

/*  A class or a link. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    int64_t quantity; /* as configured */
    int64_t in_force; /* no more than this may be granted: less after it was lowered */
} sim_resource_t;

/*  A quantity that a command takes throughout an interval. */
typedef struct {
    size_t command;
    size_t resource;
    int64_t from_ms;
    int64_t until_ms; /* cleaning gap included */
    int64_t quantity;
} sim_taking_t;

/*  What all commands of one participant take. */
typedef struct {
    const sim_command_t *commands;
    size_t commands_count;
    size_t *first; /* by command: the first command of its reservation */
    bool *holds;   /* by command: true when what it takes is held now */
    int64_t *scratch;
    sim_taking_t *takings;
    size_t takings_count;
    size_t takings_room;
} sim_load_t;

/*  The commands are borrowed. A booking of a resource that does not exist is not counted; then the
 *  answer is false, with the booking's name. */
bool sim_load_build (sim_load_t *self, const sim_command_t *commands, size_t commands_count,
                     const sim_resource_t *resources, size_t resources_count, int64_t gap_ms,
                     const char **unknown);
void sim_load_clear (sim_load_t *self);

/*  The command that made what the reservation has now: the committed one with the highest version;
 *  NULL when there is none. If that command was refused at its edge, the reservation has nothing.
 */
const sim_command_t *sim_current (const sim_command_t *commands, size_t count,
                                  const char *reservation);

/*  All reservations together: for each, the larger of what it has and what it may get. */
int64_t sim_load_at (const sim_load_t *self, size_t resource, int64_t at_ms);

/*  What reservations may have kept when their last change was refused at its edge: up to as much of
 *  the old version as the new one had (T10). */
int64_t sim_load_kept_at (const sim_load_t *self, size_t resource, int64_t at_ms);

/*  What one command takes by itself. */
int64_t sim_load_command (const sim_load_t *self, size_t command, size_t resource, int64_t at_ms);

/*  The committed command of the same reservation that came before this one; SIZE_MAX when none did.
 */
size_t sim_load_before (const sim_load_t *self, size_t command);

#endif
