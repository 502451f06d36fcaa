/*  chain_fake_world - the disks, loans and crossings of all sites. */
#include "chain_fake_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fake_world_t fake_world;

void fake_reset (void)
{
    for (size_t i = 0; i < fake_world.disks_count; i++)
        free (fake_world.disks [i].files);
    memset (&fake_world, 0, sizeof fake_world);
}

disk_t *fake_disk_of (const char *service, const char *node)
{
    for (size_t i = 0; i < fake_world.disks_count; i++)
        if (strcmp (fake_world.disks [i].service, service) == 0 &&
            strcmp (fake_world.disks [i].node.name, node) == 0)
            return &fake_world.disks [i];
    return NULL;
}

static disk_t *disk_add (const char *service, const char *node, uint64_t max, bool guest)
{
    assert (fake_world.disks_count < DISKS_MAX);
    disk_t *disk = &fake_world.disks [fake_world.disks_count++];
    *disk = (disk_t){.node = {.agent = {.state = AGENT_UP, .waits = true},
                              .guest = guest,
                              .bytes_max = max,
                              .data = "tcp://fake:1"}};
    snprintf (disk->service, sizeof disk->service, "%s", service);
    snprintf (disk->node.name, sizeof disk->node.name, "%s", node);
    disk->files = must (calloc (FILES_MAX, sizeof *disk->files));
    return disk;
}

void fake_disk (const char *service, const char *node, uint64_t bytes_max)
{
    disk_add (service, node, bytes_max, false);
}

void fake_room (const char *service, const char *node, uint64_t bytes_max)
{
    fake_disk_of (service, node)->node.bytes_max = bytes_max;
}

void fake_guest (const char *service, const char *name)
{
    disk_add (service, name, UINT64_MAX / 2, true);
}

void fake_up (const char *service, const char *node, bool up)
{
    agent_session_t *agent = &fake_disk_of (service, node)->node.agent;
    agent->state = up ? AGENT_UP : AGENT_SILENT;
    agent->waits = up;
}

bool fake_is_up (const disk_t *disk)
{
    return disk->node.agent.state == AGENT_UP;
}

disk_file_t *fake_file_of (const disk_t *disk, const char *name)
{
    for (size_t i = 0; disk && i < disk->count; i++)
        if (strcmp (disk->files [i].told.stored.file, name) == 0)
            return &disk->files [i];
    return NULL;
}

void fake_digest (uint8_t digest [CHAIN_DIGEST_BYTES], uint8_t content)
{
    memset (digest, content, CHAIN_DIGEST_BYTES);
}

uint64_t fake_disk_used (const disk_t *disk)
{
    uint64_t used = 0;
    for (size_t i = 0; i < disk->count; i++)
        used += disk->files [i].told.stored.content.size;
    return used;
}

void fake_file_add (disk_t *disk, const char *name, uint64_t size, uint8_t content,
                    int64_t proved_ms)
{
    disk_file_t *file = fake_file_of (disk, name);
    if (!file) {
        assert (disk->count < FILES_MAX);
        file = &disk->files [disk->count++];
    }
    *file = (disk_file_t){.told.stored = {.content.size = size,
                                          .content.digest_known = !disk->node.guest,
                                          .proved_ms = proved_ms},
                          .content = content};
    snprintf (file->told.stored.file, sizeof file->told.stored.file, "%s", name);
    fake_digest (file->told.stored.content.digest, content);
    fake_world.overrun = fake_world.overrun || fake_disk_used (disk) > disk->node.bytes_max;
}

void fake_file (const char *service, const char *node, const char *name, uint64_t size,
                uint8_t content)
{
    fake_file_add (fake_disk_of (service, node), name, size, content, 1);
}

void fake_missing_add (disk_t *disk, const char *name)
{
    snprintf (disk->missing, sizeof disk->missing, "%s", name);
}

void fake_file_remove (disk_t *disk, const char *name)
{
    disk_file_t *file = fake_file_of (disk, name);
    if (file)
        *file = disk->files [--disk->count];
}

void fake_lose (const char *service, const char *node, const char *name)
{
    fake_file_remove (fake_disk_of (service, node), name);
}

void fake_spoil (const char *service, const char *node, const char *name, uint8_t content)
{
    fake_file_of (fake_disk_of (service, node), name)->content = content;
}

bool fake_has (const char *service, const char *node, const char *name, uint8_t content)
{
    const disk_file_t *file = fake_file_of (fake_disk_of (service, node), name);
    return file && file->content == content;
}

uint64_t fake_used (const char *service, const char *node)
{
    return fake_disk_used (fake_disk_of (service, node));
}

bool fake_overrun (void)
{
    return fake_world.overrun;
}

void fake_count_crossed (const char *service, const char *name, uint64_t bytes)
{
    for (size_t i = 0; i < fake_world.crossed_count; i++) {
        crossed_t *crossed = &fake_world.crossed [i];
        if (strcmp (crossed->service, service) == 0 && strcmp (crossed->name, name) == 0) {
            crossed->bytes += bytes;
            return;
        }
    }
    assert (fake_world.crossed_count < CROSSED_MAX);
    crossed_t *crossed = &fake_world.crossed [fake_world.crossed_count++];
    *crossed = (crossed_t){.bytes = bytes};
    snprintf (crossed->service, sizeof crossed->service, "%s", service);
    snprintf (crossed->name, sizeof crossed->name, "%s", name);
}

uint64_t fake_crossed (const char *service, const char *name)
{
    for (size_t i = 0; i < fake_world.crossed_count; i++)
        if (strcmp (fake_world.crossed [i].service, service) == 0 &&
            strcmp (fake_world.crossed [i].name, name) == 0)
            return fake_world.crossed [i].bytes;
    return 0;
}

void fake_chain_is (chain_t *chain, bool up)
{
    size_t i = 0;
    while (fake_world.chains [i] && fake_world.chains [i] != chain)
        i++;
    assert (i + 1 < DISKS_MAX);
    fake_world.chains [i] = up ? chain : NULL;
    for (; !up && fake_world.chains [i + 1]; i++) {
        fake_world.chains [i] = fake_world.chains [i + 1];
        fake_world.chains [i + 1] = NULL;
    }
}

static const chain_t *chain_of (const char *service)
{
    for (size_t i = 0; fake_world.chains [i]; i++)
        if (strcmp (fake_world.chains [i]->service->name, service) == 0)
            return fake_world.chains [i];
    return NULL;
}

/*  What comes is right: the content that has this digest. */
static const disk_file_t *part_with (const content_t *content)
{
    static disk_file_t part;
    uint8_t digest [CHAIN_DIGEST_BYTES];
    part.told.stored.content = *content;
    for (unsigned i = 0; i < 256; i++) {
        part.content = (uint8_t) i;
        fake_digest (digest, part.content);
        if (memcmp (digest, content->digest, sizeof digest) == 0)
            break;
    }
    return &part;
}

const disk_file_t *fake_lent (const loan_t *loan, const content_t *content, uint64_t *until)
{
    const disk_file_t *file = fake_file_of (fake_disk_of (loan->service, loan->node), loan->name);
    const chain_t *lender = chain_of (loan->service);
    *until = UINT64_MAX;
    if (file)
        return file;
    *until = 0;
    if (!lender)
        return part_with (content);
    for (size_t i = 0; i < lender->count; i++) {
        const chain_transfer_t *transfer = lender->transfers [i];
        for (size_t k = 0;
             !transfer->loan && !transfer->over && strcmp (transfer->file, loan->name) == 0 &&
             k < transfer->receivers_count;
             k++) {
            *until = transfer->receivers [k].has;
            if (strcmp (transfer->receivers [k].node, loan->node) == 0 &&
                transfer->receivers [k].state != RECEIVER_FAILED)
                return part_with (content);
        }
    }
    return NULL;
}

loan_t *fake_loan_of (const chain_id_t *id, const char *service)
{
    for (size_t i = 0; i < fake_world.outgoing_feeds_count; i++)
        if (memcmp (&fake_world.outgoing_feeds [i].id, id, sizeof *id) == 0 &&
            strcmp (fake_world.outgoing_feeds [i].service, service) == 0)
            return &fake_world.outgoing_feeds [i];
    return NULL;
}

/*  The lender and its node are in the source's name, "replica/b/n1". */
loan_t *fake_loan_named (const chain_id_t *id, const char *source)
{
    for (size_t i = 0; i < fake_world.outgoing_feeds_count; i++) {
        size_t size = strlen (fake_world.outgoing_feeds [i].service);
        if (memcmp (&fake_world.outgoing_feeds [i].id, id, sizeof *id) == 0 &&
            strncmp (fake_world.outgoing_feeds [i].service, source, size) == 0 &&
            source [size] == '/')
            return &fake_world.outgoing_feeds [i];
    }
    return NULL;
}
