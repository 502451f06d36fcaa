/*  chain_choice - chain.h by its names of "any": the real chain, or chain_fake's. */
#include "chain_fake.h"

static bool is_real;

void fake_chains (bool fake)
{
    is_real = !fake;
}

#define CHOICE(type, verb, declared, passed)                                                       \
    type fake_chain_##verb declared;                                                               \
    type any_chain_##verb declared;                                                                \
    type any_chain_##verb declared                                                                 \
    {                                                                                              \
        return is_real ? chain_##verb passed : fake_chain_##verb passed;                           \
    }

CHOICE (const chain_arrival_t *, arrival,
        (chain_t * a, const moment_t *b, const char *c, const chain_arrival_t *d), (a, b, c, d))
CHOICE (void, arrival_end, (chain_t * a, const moment_t *b, const char *c, const char *d),
        (a, b, c, d))
CHOICE (bool, begin,
        (chain_t * a, const moment_t *b, const chain_order_t *c, chain_id_t *d, char e [WHY_BYTES]),
        (a, b, c, d, e))
CHOICE (uint64_t, bytes_files, (const chain_node_t *a), (a))
CHOICE (uint64_t, bytes_held, (const chain_t *a, const chain_node_t *b), (a, b))
CHOICE (void, cancel,
        (chain_t * a, const moment_t *b, const chain_id_t *c, const char *d, const char *e),
        (a, b, c, d, e))
CHOICE (void, destroy, (chain_t * *a), (a))
CHOICE (bool, drop, (chain_t * a, const moment_t *b, const char *c, const char *d), (a, b, c, d))
CHOICE (chain_file_t *, file_after, (const chain_node_t *a, const char *b), (a, b))
CHOICE (uint32_t, feeds, (const chain_t *a, const chain_node_t *b), (a, b))
CHOICE (chain_file_t *, file, (const chain_node_t *a, const char *b), (a, b))
CHOICE (void, forget, (chain_t * a, const moment_t *b, const chain_id_t *c), (a, b, c))
CHOICE (bool, join,
        (chain_t * a, const moment_t *b, const chain_id_t *c, const char *d, char e [WHY_BYTES]),
        (a, b, c, d, e))
CHOICE (bool, lend,
        (chain_t * a, const moment_t *b, const chain_loan_t *c,
         char d [CHAIN_ENDPOINT_BYTES_MAX + 1], char e [WHY_BYTES]),
        (a, b, c, d, e))
CHOICE (chain_t *, new, (service_t * a, const char *const *b, size_t c, const chain_limits_t *d),
        (a, b, c, d))
CHOICE (chain_transfer_t *, next, (const chain_t *a, const chain_transfer_t *b), (a, b))
CHOICE (chain_node_t *, node, (const chain_t *a, const char *b), (a, b))
CHOICE (chain_node_t *, node_at, (const chain_t *a, size_t b), (a, b))
CHOICE (size_t, nodes, (const chain_t *a), (a))
CHOICE (void, observe, (chain_t * a, const chain_observer_t *b), (a, b))
CHOICE (bool, prove, (chain_t * a, const moment_t *b, const char *c, const char *d, uint32_t e),
        (a, b, c, d, e))
CHOICE (uint64_t, room, (const chain_t *a, const chain_node_t *b), (a, b))
CHOICE (bool, source,
        (chain_t * a, const moment_t *b, const chain_id_t *c, const chain_source_t *d,
         char e [WHY_BYTES]),
        (a, b, c, d, e))
CHOICE (chain_transfer_t *, transfer, (const chain_t *a, const chain_id_t *b), (a, b))
