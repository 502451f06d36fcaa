/*  gis_wire - to be written. */
typedef int gis_wire_is_empty;
