/*  host_options - a service's command line. */
#ifndef MUSUBI_HOST_OPTIONS_H
#define MUSUBI_HOST_OPTIONS_H

#include "host.h"

#define HOST_SETTINGS_MAX 1024 /* --set on one command line */

typedef struct {
    const char *file;                         /* NULL: none */
    const char *settings [HOST_SETTINGS_MAX]; /* of argv */
    size_t settings_count;
    bool verbose;
    bool adopt;                        /* put the store under a new id first (T14) */
    const char *backup;                /* the folder to copy the store to, and end; NULL: serve */
    bool check;                        /* say whether the settings are right, and end */
    const setting_table_t *tables [5]; /* the program's, then the host's */
    size_t tables_count;
} host_options_t;

/*  True: go on. False: the process ends with *code; help, version or the complaint is printed. */
bool host_options_read (host_options_t *self, const host_program_t *program, int argc, char **argv,
                        int *code);

#endif
