/*  planner_wire - to be written. */
typedef int planner_wire_is_empty;
