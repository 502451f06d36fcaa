/*  batch_config - the batch systems that a site may have, and the settings that say how it has one:
 *  the same rows for a site, for the agent of its batch system, and for a federation's file.
 */
#ifndef MUSUBI_BATCH_CONFIG_H
#define MUSUBI_BATCH_CONFIG_H

#include "config.h"

/*  One row for each. NAME is what the setting back_end says, the folder svc-lis/NAME, its library
 *  musubi-NAME, and the batch_system_t NAME in it. The build reads these rows, too. */
#define BATCH_SYSTEMS(ROW, BETWEEN)                                                                \
    ROW (slurm)                                                                                    \
    BETWEEN ROW (gridengine)                                                                       \
    BETWEEN ROW (commands)

#define BATCH_SYSTEM_WORD(name) #name
/*  "slurm, gridengine …" */
#define BATCH_SYSTEM_WORDS BATCH_SYSTEMS (BATCH_SYSTEM_WORD, ", ")

/*  Rows for a table of keys; before is a literal, such as "batch/" or "". */
#define BATCH_CONFIG_KEYS(before)                                                                  \
    KEY_TEXT (before "queue", "",                                                                  \
              "with a batch system: its partition, or its queue, that is the site's"),             \
      KEY_TEXT (before "programs", "",                                                             \
                "with commands: absolute path of the folder of its programs "                      \
                "(svc-lis/commands/README.md)"),                                                   \
      KEY_TEXT (before "prefix", "musubi",                                                         \
                "what all names of the site's in its batch system begin with: PREFIX-SITE-ID; "    \
                "for sites of one name on one batch system. The site and its agent must have the " \
                "same"),                                                                           \
      KEY_TEXT (before "inputs/shared", "",                                                        \
                "for its agent: absolute path of the folder of a storage node of the site "        \
                "(svc-replica node), on a disk that all nodes see; without it no task with "       \
                "inputs or outputs runs there"),                                                   \
      KEY_TEXT (before "inputs/node", "", "for its agent: the name of that storage node"),         \
      KEY_DURATION (before "limit", "10s", 100, 86400000.0,                                        \
                    "the time that a command of the batch system may take")

#endif
