/*  balancer_records - the balancer's records: its coalition, members and jobs. */
#include "balancer_state.h"

static const uint8_t coalition_key [] = "coalition";
#define COALITION_KEY ((bytes_t){coalition_key, sizeof coalition_key - 1})

void balancer_put_coalition (balancer_t *self)
{
    service_put (self->service, TABLE_COALITION, COALITION_KEY,
                 codec_encode (&stored_coalition_codec, &self->coalition.kept));
}

void balancer_put_member (balancer_t *self, const coalition_member_t *member)
{
    service_put (self->service, TABLE_MEMBERS, text_bytes (member->kept.site),
                 codec_encode (&stored_member_codec, &member->kept));
}

void balancer_drop_member (balancer_t *self, const char *site)
{
    outbox_delete (self->service->outbox, TABLE_MEMBERS, text_bytes (site));
    coalition_remove (&self->coalition, site);
}

void balancer_put_job (balancer_t *self, const job_t *job)
{
    uint8_t key [JOB_KEY_BYTES];
    service_put (self->service, TABLE_JOBS, job_key (job, key),
                 codec_encode (&stored_job_codec, &job->kept));
}

void balancer_drop_job (balancer_t *self, job_t *job)
{
    uint8_t key [JOB_KEY_BYTES];
    outbox_delete (self->service->outbox, TABLE_JOBS, job_key (job, key));
    coalition_job_remove (&self->coalition, job);
}

/*  --- at start --- */

static void on_coalition (void *owner, bytes_t key, bytes_t value)
{
    balancer_t *self = owner;
    char why [WHY_BYTES];
    (void) key;
    if (!codec_decode (&stored_coalition_codec, &self->coalition.kept, value, why))
        service_bad_record (self->service, "coalition", why);
}

static void on_member (void *owner, bytes_t key, bytes_t value)
{
    balancer_t *self = owner;
    member_kept_t kept;
    char why [WHY_BYTES];
    if (stored_member_decode (&kept, key, value, why))
        coalition_add (&self->coalition, kept.site)->kept = kept;
    else
        service_bad_record (self->service, "members", why);
}

static void on_job (void *owner, bytes_t key, bytes_t value)
{
    balancer_t *self = owner;
    job_t stored;
    char why [WHY_BYTES];
    if (stored_job_decode (&stored, key, value, why)) {
        coalition_job_add (&self->coalition, stored.home, stored.bag)->kept = stored.kept;
        self->coalition.jobs_over += stored.kept.ended_ms != 0;
    } else {
        service_bad_record (self->service, "jobs", why);
    }
}

void balancer_load (balancer_t *self)
{
    service_load (self->service, TABLE_COALITION, on_coalition, self);
    service_load (self->service, TABLE_MEMBERS, on_member, self);
    service_load (self->service, TABLE_JOBS, on_job, self);
}
