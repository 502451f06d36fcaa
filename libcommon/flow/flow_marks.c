/*  flow_marks - rows of one size behind a head of that size. */
#include "flow_marks.h"

#include "bytes.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define ROW_BYTES    48
#define FILE_MODE    0640
#define NUMBER_BYTES 8

static const uint8_t head [ROW_BYTES] = "MUSUBI marks 2";

bool flow_marks_right (int file)
{
    uint8_t found [ROW_BYTES];
    return pread (file, found, ROW_BYTES, 0) == ROW_BYTES && memcmp (found, head, ROW_BYTES) == 0;
}

bool flow_marks_begin (int file)
{
    return ftruncate (file, 0) == 0 && pwrite (file, head, ROW_BYTES, 0) == ROW_BYTES;
}

int flow_marks_open (const char *path, int flags)
{
    int marks = open (path, flags | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (marks < 0 || ((flags & O_CREAT) ? flow_marks_begin (marks) : flow_marks_right (marks)))
        return marks;
    close (marks);
    return -1;
}

static off_t row_place (uint64_t at)
{
    return (off_t) ((at + FLOW_CHUNK_BYTES - 1) / FLOW_CHUNK_BYTES * ROW_BYTES);
}

bool flow_marks_get (int file, uint64_t at, flow_mark_t *mark)
{
    uint8_t row [ROW_BYTES];
    if (file < 0 || at == 0 || pread (file, row, ROW_BYTES, row_place (at)) != ROW_BYTES)
        return false;
    memcpy (mark->mark, row, FLOW_DIGEST_BYTES);
    mark->check = number_get (row + FLOW_DIGEST_BYTES, NUMBER_BYTES);
    mark->bad = number_get (row + FLOW_DIGEST_BYTES + NUMBER_BYTES, NUMBER_BYTES) != 0;
    return true;
}

bool flow_marks_put (int file, uint64_t at, const flow_mark_t *mark)
{
    uint8_t row [ROW_BYTES];
    memcpy (row, mark->mark, FLOW_DIGEST_BYTES);
    number_put (row + FLOW_DIGEST_BYTES, mark->check, NUMBER_BYTES);
    number_put (row + FLOW_DIGEST_BYTES + NUMBER_BYTES, mark->bad, NUMBER_BYTES);
    return pwrite (file, row, ROW_BYTES, row_place (at)) == ROW_BYTES;
}
