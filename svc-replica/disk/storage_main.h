/*  storage_main - svc-replica node: the agent of one storage node; svc-replica guest: a client's
 *  end of one transfer.
 */
#ifndef MUSUBI_STORAGE_MAIN_H
#define MUSUBI_STORAGE_MAIN_H

/*  argv [0] is "node", its options follow. Returns the exit code. */
int storage_main (int argc, char **argv);

/*  argv [0] is "guest". Then follow the process id of the client, with which it ends; the guest's
 *  name; the endpoint of the site's svc-replica; a folder of its own; bytes that its files may
 *  take; the endpoint where others fetch from it; "gives" or "takes"; the file's name in the
 *  federation; and its path here, absolute. Returns the exit code. */
int storage_guest (int argc, char **argv);

#endif
