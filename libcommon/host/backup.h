/*  backup - a service's program with --backup: copies its store, and ends. */
#ifndef MUSUBI_BACKUP_H
#define MUSUBI_BACKUP_H

/*  Copies the store of the settings (store/folder) to a new folder, while the service may go on,
 *  and prints a line about the copy. Returns the exit code: 1 when there is no copy or it has
 *  damaged records, 2 when the settings name no store. */
int backup_run (const char *program, const char *folder, const char *target);

#endif
