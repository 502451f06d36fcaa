/*  storage_main - svc-replica node: the agent of one storage node. */
#ifndef MUSUBI_STORAGE_MAIN_H
#define MUSUBI_STORAGE_MAIN_H

/*  argv [0] is "node", its options follow. Returns the exit code. */
int storage_main (int argc, char **argv);

#endif
