/*  host - to be written. */
typedef int host_is_empty;
