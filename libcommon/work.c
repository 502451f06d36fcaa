/*  work - to be written. */
typedef int work_is_empty;
