/*  participant_wire - to be written. */
typedef int participant_wire_is_empty;
