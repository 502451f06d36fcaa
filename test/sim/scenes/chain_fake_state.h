/*  chain_fake_state - what the files of chain_fake share; nobody else includes it.
 *
 *  chain_fake_world.c    disks, loans, and what has crossed between sites
 *  chain_fake.c          chain.h over them
 */
#ifndef MUSUBI_CHAIN_FAKE_STATE_H
#define MUSUBI_CHAIN_FAKE_STATE_H

#include "chain_fake.h"

#define DISKS_MAX          64
#define FILES_MAX          2048
#define OUTGOING_FEEDS_MAX 4096
#define TRANSFERS_MAX      2048
#define RECEIVERS_MAX      16
#define NAME_MAX_FAKE      256
#define CROSSED_MAX        4096

typedef struct {
    chain_file_t told; /* the first member */
    uint8_t content;   /* as it is */
} disk_file_t;

typedef struct {
    chain_node_t node; /* the first member */
    char service [NAME_BYTES_MAX + 1];
    disk_file_t *files;
    size_t count;
    uint64_t heard;               /* room that an arrival may have */
    char missing [NAME_MAX_FAKE]; /* file that it was to feed and did not find */
} disk_t;

typedef struct {
    chain_id_t id;
    uint8_t token [CHAIN_TOKEN_BYTES];
    char service [NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    char name [NAME_MAX_FAKE];
    bool active;
} loan_t;

typedef struct {
    char service [NAME_BYTES_MAX + 1];
    char name [NAME_MAX_FAKE];
    uint64_t bytes;
} crossed_t;

typedef struct {
    disk_t disks [DISKS_MAX];
    size_t disks_count;
    loan_t outgoing_feeds [OUTGOING_FEEDS_MAX];
    size_t outgoing_feeds_count;
    crossed_t crossed [CROSSED_MAX];
    size_t crossed_count;
    struct chain *chains [DISKS_MAX]; /* of the services that are up */
    bool overrun;
} fake_world_t;

extern fake_world_t fake_world;

/*  Stored as it lies in memory: no other program reads it. */
typedef struct {
    chain_transfer_t transfer; /* its receivers follow: */
    chain_receiver_t receivers [RECEIVERS_MAX];
} kept_t;

struct chain {
    service_t *service;
    chain_observer_t observer;
    chain_transfer_t *transfers [TRANSFERS_MAX];
    size_t count;
    chain_transfer_t *forgotten [TRANSFERS_MAX]; /* freed when no receiver uses it any more */
    size_t forgotten_count;
    uint64_t timer;
};

/*  --- chain_fake_world.c --- */

void fake_chain_is (chain_t *chain, bool up);

/*  What the lent node has, or has received so far (until: bytes of it; UINT64_MAX = all). NULL: it
 *  has nothing and receives nothing. While its service is down nothing comes. */
const disk_file_t *fake_lent (const loan_t *loan, const content_t *content, uint64_t *until);

disk_t *fake_disk_of (const char *service, const char *node);
disk_file_t *fake_file_of (const disk_t *disk, const char *name);
bool fake_is_up (const disk_t *disk);
uint64_t fake_disk_used (const disk_t *disk);
void fake_file_add (disk_t *disk, const char *name, uint64_t size, uint8_t content,
                    int64_t proved_ms);
void fake_missing_add (disk_t *disk, const char *name);
void fake_file_remove (disk_t *disk, const char *name);
void fake_count_crossed (const char *service, const char *name, uint64_t bytes);
loan_t *fake_loan_of (const chain_id_t *id, const char *service);
loan_t *fake_loan_named (const chain_id_t *id, const char *source);

#endif
