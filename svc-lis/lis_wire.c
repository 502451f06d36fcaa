/*  lis_wire - to be written. */
typedef int lis_wire_is_empty;
