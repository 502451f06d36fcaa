/*  log - to be written. */
typedef int log_is_empty;
