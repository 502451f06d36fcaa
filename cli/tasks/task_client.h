/*  task_client - the sites that run tasks, and the names that users write for bags and tasks:
 *  "ams/12", "ams/12.3".
 */
#ifndef MUSUBI_TASK_CLIENT_H
#define MUSUBI_TASK_CLIENT_H

#include "session.h"
#include "table.h"

/*  A name, taken apart. */
typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* "ams" */
    uint64_t bag;
    bool task; /* index is set */
    uint32_t index;
} task_name_t;

/*  "ams/12" or "ams/12.3"; the site may be written as "lis/ams". False when it is neither. */
bool task_name_read (task_name_t *to, const char *text);

/*  The entry of a site by its name. Asks the directories again before it says that there is none;
 *  then NULL, with *code. */
const json_t *task_site (session_t *session, const char *command, const char *name, int *code);

/*  Is the word a bag (*of_bag, with its name) or a site? False after refusing what is neither, with
 *  *code. */
bool task_word (const char *command, const char *word, bool *of_bag, task_name_t *name, int *code);

/*  The entries of all sites that run tasks, as a new array; all sites are asked at once. mute gets
 *  those that did not answer, or are listed no more. */
json_t *task_sites (session_t *session, json_t *mute);

/*  The only site that runs tasks, if all sites have answered. NULL after saying which sites there
 *  are, with *code. */
const json_t *task_only_site (session_t *session, const char *command, int *code);

/*  Prints rows of the named site, or of all sites that run tasks; with --json under a key. add adds
 *  those of one site; false after saying why not, with *code. Returns the exit code. */
typedef struct {
    const char *key;
    bool (*add) (void *owner, const cli_t *cli, session_t *session, const json_t *site,
                 json_t *rows, int *code);
    void *owner;
    const form_row_t *columns;
} task_rows_t;

int task_list (const cli_t *cli, session_t *session, const char *named, const task_rows_t *rows);

/*  Asks a site about tasks, again and again under the same id while it does not answer and there is
 *  time. Takes the question over. The answer is new; NULL after saying why there is none, with
 *  *code. */
json_t *task_ask (const cli_t *cli, session_t *session, const json_t *site, const char *method,
                  json_t *question, const char *request_id, int *code);

/*  The records of a site's bags, of one owner ("" = all), new. If *code is not EXIT_DONE, only some
 *  came, and it has said why. */
json_t *task_bags (const cli_t *cli, session_t *session, const json_t *site, const char *owner,
                   bool over, int *code);

/*  "ams" of an entry. */
const char *task_site_name (const json_t *site);

/*  "running" of "TASK_RUNNING". */
extern const char *const task_state_words [][2];
const char *task_state_word (const json_t *task);

#endif
