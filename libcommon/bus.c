/*  bus - to be written. */
typedef int bus_is_empty;
