/*  access - to be written. */
typedef int access_is_empty;
