/*  timetext - to be written. */
typedef int timetext_is_empty;
