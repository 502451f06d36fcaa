/*  bilb_level - how an owner's level follows what it gains (eqs 5 to 7).
 *
 *  The gain of a round follows from two sums of flow times (completion minus release) of the
 *  owner's jobs: as they were, and as they would have been alone, first come first served, on the
 *  same arrivals. A level grows without bound while there is gain.
 */
#ifndef MUSUBI_BILB_LEVEL_H
#define MUSUBI_BILB_LEVEL_H

#define BILB_SIGMA     0.02
#define BILB_LEVEL_MIN 1e-6 /* an adapted level stays above 0, from where it could not grow */

/*  The level of the next round. Without jobs, or at 0 or INFINITY, it stays. sigma in (0, 1]. */
double bilb_level_next (double level, double flow, double flow_alone, double sigma);

#endif
