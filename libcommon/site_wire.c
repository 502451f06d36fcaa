/*  site_wire - to be written. */
typedef int site_wire_is_empty;
