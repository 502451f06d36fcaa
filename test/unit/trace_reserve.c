/*  trace_reserve - one reserve at three sites and two domains, in memory, for test/trace: prints
 *  each function that is entered or left meanwhile. It tells something only in the build of
 *  test/trace, where all functions call the two below.
 */
#include "network_asking.h"

/*  "+" or "-", and how far behind the program's beginning the function is. */
static void tell (char what, const void *function) __attribute__ ((no_instrument_function));
void trace_enter (void *function, void *caller) __asm__("__cyg_profile_func_enter")
  __attribute__ ((no_instrument_function));
void trace_leave (void *function, void *caller) __asm__("__cyg_profile_func_exit")
  __attribute__ ((no_instrument_function));

extern const char image __asm__("__executable_start");
static bool tracing;

static void tell (char what, const void *function)
{
    if (tracing)
        printf ("%c %zx\n", what, (size_t) ((uintptr_t) function - (uintptr_t) &image));
}

void trace_enter (void *function, void *caller)
{
    (void) caller;
    tell ('+', function);
}

void trace_leave (void *function, void *caller)
{
    (void) caller;
    tell ('-', function);
}

int main (void)
{
    fed_t fed;
    net_begin (&fed, 1);
    fed_kill (&fed, fed_find (&fed, "p1"));
    tracing = true;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    tracing = false;
    bool committed = answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
    message_free (&answer->base);
    fed_end (&fed);
    return committed ? EXIT_SUCCESS : EXIT_FAILURE;
}
