/*  transaction - to be written. */
typedef int transaction_is_empty;
