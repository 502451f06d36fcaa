/*  ledger_file - writing and reading, nothing of what is in the rows. */
#include "ledger_file.h"

#include "must.h"

#include <unistd.h>

static const char head [16] = "musubi ledger 1\n";

FILE *ledger_file_new (const char *path, const uint8_t store [STORE_ID_BYTES])
{
    FILE *file = fopen (path, "wxe");
    if (!file)
        return NULL;
    fwrite (head, 1, sizeof head, file);
    fwrite (store, 1, STORE_ID_BYTES, file);
    return file;
}

static void write_length (FILE *file, size_t size)
{
    uint8_t length [4];
    number_put (length, size, sizeof length);
    fwrite (length, 1, sizeof length, file);
}

void ledger_file_row (FILE *file, bytes_t row)
{
    write_length (file, row.size);
    fwrite (row.data, 1, row.size, file);
}

bool ledger_file_end (FILE *file, bool whole)
{
    if (whole)
        write_length (file, 0);
    bool written = !ferror (file) && fflush (file) == 0 && fsync (fileno (file)) == 0;
    int error = errno;
    if (fclose (file) != 0 && written)
        return false;
    errno = error;
    return written;
}

static bool ledger_file_read_rows (FILE *file, void (*take) (void *owner, bytes_t row), void *owner,
                                   char why [WHY_BYTES])
{
    uint8_t *row = must (malloc (BODY_BYTES_MAX));
    uint8_t length [4];
    bool whole = false;
    while (!whole && fread (length, 1, sizeof length, file) == sizeof length) {
        size_t size = (size_t) number_get (length, sizeof length);
        if (size > BODY_BYTES_MAX || fread (row, 1, size, file) != size)
            break;
        whole = size == 0;
        if (!whole)
            take (owner, (bytes_t){.data = row, .size = size});
    }
    if (!whole)
        snprintf (why, WHY_BYTES,
                  "at byte %ld: the file was cut off there, or is not a saved ledger",
                  ftell (file));
    free (row);
    return whole;
}

bool ledger_file_read (const char *path, uint8_t store [STORE_ID_BYTES],
                       void (*take) (void *owner, bytes_t row), void *owner, char why [WHY_BYTES])
{
    char begins [sizeof head];
    file_auto_t *file = fopen (path, "re");
    if (!file)
        return wrong (why, "%s", strerror (errno));
    bool good = fread (begins, 1, sizeof begins, file) == sizeof begins &&
                memcmp (begins, head, sizeof head) == 0 &&
                fread (store, 1, STORE_ID_BYTES, file) == STORE_ID_BYTES;
    if (!good)
        snprintf (why, WHY_BYTES, "it is not a saved ledger");
    good = good && ledger_file_read_rows (file, take, owner, why);
    return good;
}
