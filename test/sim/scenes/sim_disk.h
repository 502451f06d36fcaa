/*  sim_disk - carries out what the agents of storage nodes order on their disks (storage_work.h),
 *  on those of sim_flows.
 */
#ifndef MUSUBI_SIM_DISK_H
#define MUSUBI_SIM_DISK_H

#include "sim_flows.h"

typedef struct {
    sim_flows_t *flows;

    /*  A part that is not damaged is about to get its file's name. NULL = nobody looks. */
    void (*keeps) (void *owner, int process, const sim_file_t *part);
    void *owner;
} sim_disk_t;

/*  For sim_worker; owner is the disks. */
bool sim_disk_work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                    uint8_t **result, size_t *result_size);

#endif
