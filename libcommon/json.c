/*  json - to be written. */
typedef int json_is_empty;
