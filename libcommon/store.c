/*  store - to be written. */
typedef int store_is_empty;
