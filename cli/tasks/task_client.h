/*  task_client - sites that run tasks, and bags and tasks by the names that users write: "ams/12",
 *  "ams/12.3".
 */
#ifndef MUSUBI_TASK_CLIENT_H
#define MUSUBI_TASK_CLIENT_H

#include "session.h"
#include "table.h"

/*  What a name means. */
typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* "ams" */
    uint64_t bag;
    bool task; /* index counts */
    uint32_t index;
} task_name_t;

/*  "ams/12" or "ams/12.3"; the site may be written as "lis/ams". False when it is neither. */
bool task_name_read (task_name_t *to, const char *text);

/*  The entry of a site by its name; looks at the directories again before saying that it is not
 *  there. NULL after telling, with *code. */
const json_t *task_site (session_t *session, const char *command, const char *name, int *code);

/*  The site or the bag that a word is meant to be; *of_bag tells which. False after refusing, with
 *  *code. */
bool task_word (const char *command, const char *word, bool *of_bag, task_name_t *name, int *code);

/*  The only site that does, all having answered; NULL after telling which there are, with *code. */
const json_t *task_only_site (session_t *session, const char *command, int *code);

/*  Rows from the site that is meant, or from all that run tasks, printed, or as JSON under a key.
 *  add takes those of one site, false after telling why not, with *code. Returns the exit code. */
typedef struct {
    const char *key;
    bool (*add) (void *owner, const cli_t *cli, session_t *session, const json_t *site,
                 json_t *rows, int *code);
    void *owner;
    const form_row_t *columns;
} task_rows_t;

int task_list (const cli_t *cli, session_t *session, const char *named, const task_rows_t *rows);

/*  One question about work, taken over, to a site, asked again under the same id while nobody
 *  answers and there is time. The answer is new; NULL after telling why there is none, with *code.
 */
json_t *task_ask (const cli_t *cli, session_t *session, const json_t *site, const char *method,
                  json_t *question, const char *request_id, int *code);

/*  The records of a site's bags, of an owner ("" = anybody's), as many of them as came; *code tells
 *  whether all did, or why not has been told. New. */
json_t *task_bags (const cli_t *cli, session_t *session, const json_t *site, const char *owner,
                   bool over, int *code);

/*  "ams" of an entry. */
const char *task_site_name (const json_t *site);

/*  "running" of "TASK_RUNNING". */
extern const char *const task_state_words [][2];
const char *task_state_word (const json_t *task);

#endif
