/*  chain_fake - stands for a site's storage nodes and chains (svc-replica/distribution/chain.h) in
 *  tests that look only at what is decided above them. Files move by themselves, a piece at a time,
 *  between disks that are kept here and outlive every process. The conductor's promises are in its
 *  store, as the real conductor's are.
 *
 *  One world at a time, reset before each run.
 */
#ifndef MUSUBI_CHAIN_FAKE_H
#define MUSUBI_CHAIN_FAKE_H

#include "chain.h"

#define FAKE_PIECE_BYTES 100000 /* that each receiver gets in FAKE_TICK_MS */
#define FAKE_TICK_MS     20

void fake_reset (void);

/*  Services that are made from now on have chains of this kind; at first these fakes. */
void fake_chains (bool fake);

/*  A disk of a service ("replica/ams"), or a client's end. */
void fake_disk (const char *service, const char *node, uint64_t bytes_max);
void fake_room (const char *service, const char *node, uint64_t bytes_max); /* from now on */
void fake_guest (const char *service, const char *name);
void fake_up (const char *service, const char *node, bool up);

/*  Puts a file there; content makes its digest. Nobody is told of it, or it is a guest's own file.
 */
void fake_file (const char *service, const char *node, const char *name, uint64_t size,
                uint8_t content);
void fake_lose (const char *service, const char *node, const char *name);
/*  Changes the file's bytes without anybody noticing. */
void fake_spoil (const char *service, const char *node, const char *name, uint8_t content);

/*  True when the file is there with this content. */
bool fake_has (const char *service, const char *node, const char *name, uint8_t content);
uint64_t fake_used (const char *service, const char *node);
bool fake_overrun (void); /* true when a disk has ever held more than it may */

/*  Bytes of this file that came to the service from other sites; or, for a node with its service,
 *  "replica/ams/n1", that it has fed to other sites. */
uint64_t fake_crossed (const char *service, const char *name);

void fake_digest (uint8_t digest [CHAIN_DIGEST_BYTES], uint8_t content);

#endif
