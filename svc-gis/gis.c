/*  gis - to be written. */
typedef int gis_is_empty;
