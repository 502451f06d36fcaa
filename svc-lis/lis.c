/*  lis - to be written. */
typedef int lis_is_empty;
