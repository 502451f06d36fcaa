/*  config - to be written. */
typedef int config_is_empty;
