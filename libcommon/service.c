/*  service - to be written. */
typedef int service_is_empty;
