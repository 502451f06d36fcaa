/*  path_service - Nis.Paths: ways through the domain's own graph over which so much is free.
 *  Pure. */
#ifndef MUSUBI_PATH_SERVICE_H
#define MUSUBI_PATH_SERVICE_H

#include "calendar_service.h"
#include "domain.h"

/*  Steps of all searches of one request together (path.h), enough for 256 questions over 4096
 *  links; a question that comes too late for them is answered as not found, saying so. */
#define PATH_SERVICE_STEPS_MAX 8000000

/*  How many questions without a path are told the reason, in one answer: a reason costs a dozen
 *  searches. */
#define PATH_SERVICE_EXPLAINED_MAX 32

typedef struct paths path_service_t;

/*  Registers Nis.Paths. domain is borrowed for life, its links are in the order of the room's
 *  resources; so are the others. At most asks_max questions in one request. */
path_service_t *path_service_new (service_t *service, const domain_t *domain,
                                  const free_capacity_t *room, calendar_service_t *questions,
                                  uint32_t asks_max);
void path_service_destroy (path_service_t **self_p);

/*  The capacities in domain have changed. */
void path_service_changed (path_service_t *self);

#endif
