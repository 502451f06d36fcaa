/*  directory_wire - to be written. */
typedef int directory_wire_is_empty;
