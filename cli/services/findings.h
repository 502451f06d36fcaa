/*  findings - what `musubi doctor` has found wrong, in the order in which it was found. */
#ifndef MUSUBI_FINDINGS_H
#define MUSUBI_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    json_t *wrong; /* [{"who", "what"}] */
    size_t looked_at;
} findings_t;

void findings_init (findings_t *self);
void findings_clear (findings_t *self);

/*  who = a service, or a file. */
void findings_add (findings_t *self, const char *who, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

/*  A line each, and how many there are; or JSON. Returns the exit code. */
int findings_tell (const findings_t *self, bool as_json);

#endif
