/*  batch_config - the batch systems that a site may have. */
#ifndef MUSUBI_BATCH_CONFIG_H
#define MUSUBI_BATCH_CONFIG_H

/*  One row for each. NAME is what the setting back_end says, the folder svc-lis/NAME, its library
 *  musubi-NAME, and the batch_system_t NAME in it. The build reads these rows, too. */
#define BATCH_SYSTEMS(ROW, BETWEEN)                                                                \
    ROW (slurm)                                                                                    \
    BETWEEN ROW (gridengine)                                                                       \
    BETWEEN ROW (commands)

#define BATCH_SYSTEM_WORD(name) #name
/*  "slurm, gridengine …" */
#define BATCH_SYSTEM_WORDS BATCH_SYSTEMS (BATCH_SYSTEM_WORD, ", ")

#endif
