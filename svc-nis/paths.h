/*  paths - Nis.Paths: ways through the domain's own graph over which so much is free. Pure. */
#ifndef MUSUBI_PATHS_H
#define MUSUBI_PATHS_H

#include "domain.h"
#include "questions.h"

/*  Steps of all searches of one request together (path.h), enough for 256 questions over 4096
 *  links; a question that comes too late for them is answered as not found, saying so. */
#define PATHS_STEPS_MAX 8000000

/*  So many questions without a path are told why, in one answer: that costs a dozen searches. */
#define PATHS_EXPLAINED_MAX 32

typedef struct paths paths_t;

/*  Registers Nis.Paths. domain is borrowed for life, its links are in the order of the room's
 *  resources; so are the others. At most asks_max questions in one request. */
paths_t *paths_new (service_t *service, const domain_t *domain, const room_t *room,
                    questions_t *questions, uint32_t asks_max);
void paths_destroy (paths_t **self_p);

/*  The capacities in domain have changed. */
void paths_changed (paths_t *self);

#endif
