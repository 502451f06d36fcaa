/*  call - to be written. */
typedef int call_is_empty;
