/*  backup - store_copy, in words. */
#include "backup.h"

#include "clock.h"
#include "store.h"
#include "timetext.h"

#include <inttypes.h>
#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_MACHINE = 1, EXIT_CONFIG = 2 };

int backup_run (const char *program, const char *folder, const char *target)
{
    char why [WHY_BYTES], taken [TIMETEXT_BYTES];
    store_copied_t copied;
    if (!folder) {
        fprintf (stderr,
                 "%s: --backup: store/folder must name the store; of a pool: --set store/pool= "
                 "--set store/folder=POOL/0001\n",
                 program);
        return EXIT_CONFIG;
    }
    timetext_format (clock_ms (CLOCK_REALTIME), taken);
    if (store_copy (folder, target, &copied, why) != STORE_OK) {
        fprintf (stderr, "%s: no backup: %s\n", program, why);
        return EXIT_MACHINE;
    }
    printf ("backup folder=%s taken=%s rows=%" PRIu64 " records=%" PRIu64 " damaged=%" PRIu64
            " bytes=%" PRIu64 "\n",
            target, taken, copied.last_row, copied.records, copied.damaged, copied.bytes);
    if (copied.damaged > 0)
        fprintf (stderr,
                 "%s: %" PRIu64 " records have wrong checksums, in the store as in the copy: keep "
                 "the backups that are older\n",
                 program, copied.damaged);
    return copied.damaged > 0 ? EXIT_MACHINE : EXIT_DONE;
}
