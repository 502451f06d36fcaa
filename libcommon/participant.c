/*  participant - to be written. */
typedef int participant_is_empty;
