/*  histogram - the log's CPUs that S0's requests are drawn from: other people's data, read from the
 *  folder that MUSUBI_DATA names.
 */
#ifndef MUSUBI_HISTOGRAM_H
#define MUSUBI_HISTOGRAM_H

#include "experiment.h"
#include "scenario.h"

/*  Read once and kept. NULL with why when it is not there or can't be read. */
const cpu_histogram_t *histogram_of_log (char why [EXPERIMENT_WHY_BYTES]);

#endif
