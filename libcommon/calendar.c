/*  calendar - to be written. */
typedef int calendar_is_empty;
