/*  histogram - how many CPUs S0's requests ask for. Where MUSUBI_DATA names a folder, the numbers
 *  are those of a real log in it, which is other people's data; elsewhere they are made up.
 */
#ifndef MUSUBI_HISTOGRAM_H
#define MUSUBI_HISTOGRAM_H

#include "experiment.h"
#include "scenario.h"

/*  Read once and kept. NULL, with why, when MUSUBI_DATA is set and the file is missing or can't be
 *  read. */
const cpu_histogram_t *histogram_of_log (char why [LONG_WHY_BYTES]);

/*  Names the source of the CPUs, for results. */
const char *histogram_source (void);

#endif
