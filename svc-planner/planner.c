/*  planner - to be written. */
typedef int planner_is_empty;
