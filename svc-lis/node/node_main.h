/*  node_main - svc-lis node: the agent of one machine. */
#ifndef MUSUBI_NODE_MAIN_H
#define MUSUBI_NODE_MAIN_H

/*  argv [0] is "node", its options follow. Returns the exit code. */
int node_main (int argc, char **argv);

#endif
