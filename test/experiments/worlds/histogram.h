/*  histogram - the log's CPUs that S0's requests are drawn from: those of a real log, other
 *  people's data, where MUSUBI_DATA names their folder; else those of a made-up one.
 */
#ifndef MUSUBI_HISTOGRAM_H
#define MUSUBI_HISTOGRAM_H

#include "experiment.h"
#include "scenario.h"

/*  Read once and kept. NULL with why when MUSUBI_DATA is set and it is not there or can't be read.
 */
const cpu_histogram_t *histogram_of_log (char why [EXPERIMENT_WHY_BYTES]);

/*  Whose CPUs they are, for what is told of results. */
const char *histogram_source (void);

#endif
