/*  directory - to be written. */
typedef int directory_is_empty;
