/*  formulation_write - a program for solvers that are not ours. */
#ifndef MUSUBI_FORMULATION_WRITE_H
#define MUSUBI_FORMULATION_WRITE_H

#include "program.h"

/*  The strong form as a file that other solvers read (CPLEX LP). False when it can't be written. */
bool formulation_write (const program_t *program, const char *file);

#endif
