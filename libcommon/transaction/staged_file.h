/*  staged_file - how far a file is that is wanted at a storage node for a while (S2: 28, 29), as
 *  whoever has it reserved is told (proto/replica.proto).
 */
#ifndef MUSUBI_STAGED_FILE_H
#define MUSUBI_STAGED_FILE_H

#include "codec.h"
#include "transaction.h"

#define STAGED_WHY_BYTES 256

/*  Same numbers as proto StagedState. */
typedef enum { STAGED_AWAITED, STAGED_COMING, STAGED_READY, STAGED_LATE } staged_state_t;

/*  "awaited", "coming", "ready", "late". */
const char *staged_state_word (staged_state_t state);

/*  A file of a reservation, at a storage node of a participant. */
typedef struct {
    char need [NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    char file [FILE_NAME_BYTES_MAX + 1];
    staged_state_t state;
    uint64_t has; /* bytes */
    uint64_t size;
    char source [NAME_BYTES_MAX + 1]; /* site that it comes from now; "" = none */
    char why [STAGED_WHY_BYTES];
} staged_file_t;
extern const codec_t staged_file_codec;

#endif
