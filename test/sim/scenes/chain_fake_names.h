/*  chain_fake_names - names of chain.h's functions for code that may meet chain_fake: CHAIN_NAMES
 *  is fake, if nothing is said, and any where svc-replica is compiled, which gets to the chain that
 *  chain_choice.c picks. So a program may have the real chain beside the fake one. Included before
 *  all else.
 */
#ifndef MUSUBI_CHAIN_FAKE_NAMES_H
#define MUSUBI_CHAIN_FAKE_NAMES_H

#ifndef CHAIN_NAMES
#define CHAIN_NAMES fake
#endif

#define CHAIN_PASTED(names, verb) names##_chain_##verb
#define CHAIN_NAMED(names, verb)  CHAIN_PASTED (names, verb)

#define chain_arrival     CHAIN_NAMED (CHAIN_NAMES, arrival)
#define chain_arrival_end CHAIN_NAMED (CHAIN_NAMES, arrival_end)
#define chain_begin       CHAIN_NAMED (CHAIN_NAMES, begin)
#define chain_bytes_files CHAIN_NAMED (CHAIN_NAMES, bytes_files)
#define chain_bytes_held  CHAIN_NAMED (CHAIN_NAMES, bytes_held)
#define chain_cancel      CHAIN_NAMED (CHAIN_NAMES, cancel)
#define chain_destroy     CHAIN_NAMED (CHAIN_NAMES, destroy)
#define chain_drop        CHAIN_NAMED (CHAIN_NAMES, drop)
#define chain_file_after  CHAIN_NAMED (CHAIN_NAMES, file_after)
#define chain_feeds       CHAIN_NAMED (CHAIN_NAMES, feeds)
#define chain_file        CHAIN_NAMED (CHAIN_NAMES, file)
#define chain_forget      CHAIN_NAMED (CHAIN_NAMES, forget)
#define chain_join        CHAIN_NAMED (CHAIN_NAMES, join)
#define chain_lend        CHAIN_NAMED (CHAIN_NAMES, lend)
#define chain_new         CHAIN_NAMED (CHAIN_NAMES, new)
#define chain_next        CHAIN_NAMED (CHAIN_NAMES, next)
#define chain_node        CHAIN_NAMED (CHAIN_NAMES, node)
#define chain_node_at     CHAIN_NAMED (CHAIN_NAMES, node_at)
#define chain_nodes       CHAIN_NAMED (CHAIN_NAMES, nodes)
#define chain_observe     CHAIN_NAMED (CHAIN_NAMES, observe)
#define chain_prove       CHAIN_NAMED (CHAIN_NAMES, prove)
#define chain_room        CHAIN_NAMED (CHAIN_NAMES, room)
#define chain_source      CHAIN_NAMED (CHAIN_NAMES, source)
#define chain_transfer    CHAIN_NAMED (CHAIN_NAMES, transfer)

#endif
