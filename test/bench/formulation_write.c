/*  formulation_write - the rows of the class itself, which it shows nobody else: so it is compiled in
 *  here, in place of the library's.
 */
#include "formulation_write.h"

#include "../../svc-planner/solver/formulation.c"

bool formulation_write (const program_t *program, const char *file)
{
    int told = glp_term_out (GLP_OFF);
    solver_limit_t limit = {0};
    spending_t spending;
    spending_begin (&spending, &limit);
    formulation_t self = {.program = program, .spending = &spending, .strong = true};
    formulation_begin (&self);
    for (int i = 1; i <= glp_get_num_cols (self.lp); i++)
        glp_set_obj_coef (self.lp, i, glp_get_obj_coef (self.lp, i) * self.unit);
    bool written = glp_write_lp (self.lp, NULL, file) == 0;
    formulation_end (&self);
    glp_term_out (told);
    return written;
}
