/*  run_output - copies what is kept; what is dropped goes from the pipe to /dev/null within the
 *  kernel, because a program may write faster than anybody could read.
 */
#include "run_output.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PIECE_BYTES 65536
#define PIECES_MAX  64 /* in one turn, which is more than a pipe holds */

bool run_output_open (run_output_t *self, int folder, uint64_t most, uint64_t free_capacity_least)
{
    int pipes [2];
    *self = (run_output_t){.most = most, .free_capacity_least = free_capacity_least};
    self->file =
      openat (folder, "output", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    self->nowhere = open ("/dev/null", O_WRONLY | O_CLOEXEC);
    if (self->file < 0 || self->nowhere < 0 || pipe2 (pipes, O_CLOEXEC) != 0)
        return false;
    self->pipe = pipes [0];
    self->writer = pipes [1];
    return fcntl (self->pipe, F_SETFL, O_NONBLOCK) == 0;
}

void run_output_begun (run_output_t *self)
{
    close (self->writer);
    self->writer = -1;
}

static bool disk_has_room (const run_output_t *self)
{
    struct statvfs disk;
    return fstatvfs (self->file, &disk) == 0 &&
           (uint64_t) disk.f_bavail * disk.f_frsize >= self->free_capacity_least + PIECE_BYTES;
}

static ssize_t run_output_keep (run_output_t *self)
{
    char piece [PIECE_BYTES];
    uint64_t left = self->most - self->kept;
    ssize_t got = read (self->pipe, piece, left < sizeof piece ? left : sizeof piece);
    ssize_t done = 0;
    bool room = got > 0 && disk_has_room (self);
    for (ssize_t more; room && done < got; done += more)
        if ((more = write (self->file, piece + done, (size_t) (got - done))) <= 0)
            break;
    self->kept += (uint64_t) done;
    self->dropped += got > done ? (uint64_t) (got - done) : 0;
    return got;
}

static ssize_t run_output_drop (run_output_t *self)
{
    ssize_t gone =
      splice (self->pipe, NULL, self->nowhere, NULL, PIECE_BYTES * PIECES_MAX, SPLICE_F_NONBLOCK);
    self->dropped += gone > 0 ? (uint64_t) gone : 0;
    return gone;
}

void run_output_take (run_output_t *self)
{
    for (int i = 0; i < PIECES_MAX && self->pipe >= 0; i++) {
        ssize_t got = self->kept < self->most ? run_output_keep (self) : run_output_drop (self);
        if (got < 0)
            return;
        if (got > 0)
            continue;
        close (self->pipe);
        self->pipe = -1;
    }
}
