/*  storage_state - what the storage_*.c files share.
 *
 *      storage.c            what is said to its site, and what is heard
 *      storage_files.c      the files it has
 *      storage_arrivals.c   what tasks have left here, to become files
 *      storage_reports.c   the transfers it takes part in
 *      storage_links.c      who feeds it
 */
#ifndef MUSUBI_STORAGE_STATE_H
#define MUSUBI_STORAGE_STATE_H

#include "agent_poll.h"
#include "chain_wire.h"
#include "ordered.h"
#include "service.h"
#include "storage.h"
#include "storage_work.h"

/*  A file that is here, or that was removed and is not reported yet. */
typedef struct {
    stored_file_t stored; /* number 0: not to be reported until it has its name */
    char *path;           /* its path; NULL = under folder/files */
    uint64_t work;        /* work under way for it; 0 = none */
    bool looking;         /* the work reads what is to become it, after a restart */
    bool dropping;        /* the work removes it */
    bool drop;            /* it is to be removed */
    bool prove;           /* it is to be read anew, */
    uint32_t mbps;        /* at this rate, and after others; 0 = at once */
} own_file_t;

/*  A file in the folder for arrivals. */
typedef struct {
    chain_arrival_t wanted;
    uint64_t work;  /* that reads or removes it; 0 = none */
    bool read;      /* wanted.content is what lies there */
    bool full;      /* it found no room */
    bool taken;     /* it becomes a file */
    bool mentioned; /* it is in the answer that is being carried out */
} arrival_t;

/*  A feeder that is being asked. */
typedef struct {
    feeder_t
      feeder;      /* as the site named it when it was first asked: its list may change meanwhile */
    uint64_t link; /* 0 = it is dialled again at again_ms */
    bool linked;
    bool failed;
    bool refused; /* it is alive, and can't feed yet */
    bool wrong;   /* it is alive, and its bytes are wrong */
    int64_t again_ms;
} link_attempt_t;

typedef struct {
    link_attempt_t attempts [FEEDERS_MAX]; /* of the feeders asked so far, nearest first */
    size_t attempts_count;
    bool seeking;
    int64_t began_ms;
    int64_t probe_ms;    /* how long those that were dialled have to answer */
    uint64_t has_before; /* receipt.has when the search began */
    uint64_t timer;
    int64_t timer_ms;
    uint32_t rounds; /* rounds in a row that found nobody */
    uint64_t link;   /* of the feeder; 0 = none */
    bool doubted;    /* the feeder has fallen silent */
    char feeder [FEEDER_NAME_BYTES_MAX + 1];
} links_t;

/*  A transfer that the site wants of this node. */
typedef struct {
    wanted_transfer_t wanted;
    receiver_report_t receipt;
    bool mentioned; /* it is in the answer that is being carried out */
    uint64_t flow;  /* 0 = none */
    bool opened;
    bool follows;     /* the flow feeds from the file of another transfer, which receives it */
    uint64_t work;    /* that keeps or proves its file; 0 = none */
    uint64_t written; /* bytes that were begun to be written to the disk */
    uint32_t losses;  /* how often the disk did not give back what had come */
    links_t links;
} transfer_t;

typedef struct {
    service_t *service;
    storage_settings_t settings; /* borrowed */
    ordered_t *files;            /* of own_file_t, by name */
    ordered_t *transfers;        /* of transfer_t, by id */
    ordered_t *arrivals;         /* of arrival_t, by path */
    uint64_t clearing;           /* the work that removes old ones; 0 = none */
    uint64_t looking;            /* the work that looks at the disk; 0 = none */
    uint64_t bytes_max;          /* that its files may take now: no more than there are */
    uint64_t changes;            /* the number of the last change of files */
    uint64_t numbers;            /* of flows, links and work, in this start */
    uint64_t sweep;              /* the work that removes old parts; 0 = not ordered yet */
    bool swept;                  /* the sweep is done, so transfers may begin */
    uint64_t writing;            /* the one work that writes a part to the disk; 0 = none */
    uint64_t scrubbing;          /* the one work that reads at a rate; 0 = none */

    agent_poll_t *agent_poll; /* its site */
    uint64_t files_seen;
    char looked_at [CHAIN_FILE_BYTES_MAX + 1]; /* the last file of the last look; "" = of all */
    int64_t report_ms;
} storage_t;

/*  --- storage.c --- */

/*  There is something new to report: at once, or, if only bytes have moved, with the next report.
 */
void storage_news (storage_t *self, const moment_t *now, bool at_once);
uint64_t storage_order (storage_t *self, const char *kind, const storage_work_t *work);

/*  --- storage_files.c --- */

void files_init (storage_t *self);
void files_end (storage_t *self);
void files_start (storage_t *self, const moment_t *now);
own_file_t *files_find (const storage_t *self, const char *file);
const char *files_path (const storage_t *self, const own_file_t *file,
                        char path [STORAGE_PATH_BYTES]);

/*  The path of its marks (flow.h), whether there are any or not. */
const char *files_marks (const storage_t *self, const own_file_t *file,
                         char path [STORAGE_PATH_BYTES]);
const char *files_part (const storage_t *self, const chain_id_t *id,
                        char path [STORAGE_PATH_BYTES]);
uint64_t files_bytes (const storage_t *self);

/*  The parts that are about to become files, with room for so many more. The caller frees the list.
 */
chain_id_t *files_parts (const storage_t *self, size_t more, size_t *count);

/*  Files to be reported; returns how many. */
size_t files_told (const storage_t *self, stored_file_t *files, size_t most);

/*  The site knows all changes up to this number. */
void files_heard (storage_t *self, uint64_t number);
void files_want (storage_t *self, const moment_t *now, const storage_wanted_t *wanted);

/*  The part of a transfer is whole and right: makes it the file. transfer_kept is called at the
 *  end. */
void files_keep (storage_t *self, const moment_t *now, const transfer_t *transfer);

/*  Is a file of this name about to be here, or to go? arrivals_again is called at the end. */
bool files_busy (const storage_t *self, const char *name);

/*  The file at this path is right: gives it its name. False while something else is done to a file
 *  of that name, or it is here. */
bool files_take (storage_t *self, const moment_t *now, const char *name, const content_t *content,
                 const char *path);

/*  The file that the part of this transfer is about to become; NULL = none. */
const own_file_t *files_keeping (const storage_t *self, const chain_id_t *id);
void files_used (storage_t *self, const moment_t *now, const char *file);

/*  True if this work was done for a file. */
bool files_on_work (storage_t *self, const moment_t *now, uint64_t work,
                    const storage_result_t *result, const char *why);

/*  Orders a look at the room, and at the sizes of the next files; those that differ are read. */
uint64_t files_look (storage_t *self);
void files_looked (storage_t *self, const storage_result_t *result);

/*  --- storage_arrivals.c --- */

void arrivals_start (storage_t *self, const moment_t *now);
void arrivals_want (storage_t *self, const moment_t *now, const storage_wanted_t *wanted);

/*  Goes on with those that waited until nothing else is done to the file of this name. */
void arrivals_again (storage_t *self, const moment_t *now, const char *name);
chain_arrival_t *arrivals_report (const storage_t *self, size_t *count);
bool arrivals_on_work (storage_t *self, const moment_t *now, uint64_t work,
                       const storage_result_t *result, const char *why);

/*  --- storage_reports.c --- */

void transfers_want (storage_t *self, const moment_t *now, const storage_wanted_t *wanted);
receiver_report_t *transfers_report (const storage_t *self, size_t *count);
void transfers_on_flow (void *owner, const moment_t *now, const flow_event_t *event);
uint64_t transfers_bytes (const storage_t *self);

/*  NULL when there is none. */
transfer_t *transfers_by_flow (const storage_t *self, uint64_t flow);

/*  True if this work was done for a transfer. */
bool transfers_on_work (storage_t *self, const moment_t *now, uint64_t work);

/*  The file has its name now, or could not get it (why); or its part on the disk is not what came,
 *  and is looked at again (lost). */
void transfer_kept (storage_t *self, const moment_t *now, const chain_id_t *id, bool lost,
                    const char *why);

/*  The digest of a file is known now, or the file is wrong (why). */
void transfers_proved (storage_t *self, const moment_t *now, const own_file_t *file,
                       const char *why);

/*  --- storage_links.c --- */

/*  There is a new plan, or the own file has been opened: looks for a feeder if needed. */
void links_plan (storage_t *self, const moment_t *now, transfer_t *transfer);
void links_on_flow (storage_t *self, const moment_t *now, transfer_t *transfer,
                    const flow_event_t *event);

/*  Ends all links of the transfer. */
void links_end (storage_t *self, transfer_t *transfer);

#endif
