/*  transaction_wire - to be written. */
typedef int transaction_wire_is_empty;
