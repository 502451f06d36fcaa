/*  router_main - svc-nis agent: the agent of a router as a process. */
#ifndef MUSUBI_ROUTER_MAIN_H
#define MUSUBI_ROUTER_MAIN_H

int router_main (int argc, char **argv);

#endif
