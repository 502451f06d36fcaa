/*  gridengine_features - what hosts have, by complexes: a BOOL that is true is a feature; "gpu"
 *  counts GPUs, and "gpu_type" is their type. Of a consumable qhost tells what is free.
 */
#include "gridengine_queue.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  "NAME SHORTCUT TYPE …" */
static void grid_complex_note (void *owner, char *line)
{
    name_list_t *complexes = owner;
    char name [NAME_BYTES_MAX + 1], type [16];
    if (sscanf (line, "%63s %*s %15s", name, type) == 2 &&
        (strcmp (type, "BOOL") == 0 || strcmp (name, GRID_GPU) == 0 ||
         strcmp (name, GRID_GPU "_type") == 0))
        name_list_add (complexes, name, "");
}

typedef struct {
    batch_picture_t *picture;
    batch_node_t *node; /* NULL: none of the picture */
} grid_features_t;

/*  A host begins its line; "hc:gpu=2.000000" ends one of those below. */
static void grid_resource_take (void *owner, char *line)
{
    grid_features_t *self = owner;
    char name [NAME_BYTES_MAX + 1], value [NAME_BYTES_MAX + 1];
    const char *word = strrchr (line, ':');
    if (*line != ' ')
        self->node = batch_picture_find (self->picture, strtok_r (line, " ", &line));
    else if (!self->node || !word || sscanf (word, ":%63[^=]=%63s", name, value) != 2)
        return;
    else if (strcmp (name, GRID_GPU "_type") == 0)
        snprintf (self->node->gpu, sizeof self->node->gpu, "%s", value);
    else if (strcmp (name, GRID_GPU) == 0)
        self->node->gpus = (uint32_t) strtod (value, NULL);
    else if (strtod (value, NULL) > 0) {
        text_auto_t *before = (char *) self->node->features;
        self->node->features = must_print ("%s%s%s", before ? before : "", before ? "," : "", name);
    }
}

bool grid_features_look (const batch_setup_t *setup, batch_picture_t *picture, char why [WHY_BYTES])
{
    name_list_auto_t complexes = {0};
    if (BATCH_LINES (setup, grid_complex_note, &complexes, why, "qconf", "-sc") != COMMAND_DONE)
        return false;
    text_auto_t *names = name_list_text (&complexes, ',');
    picture->features = true;
    return complexes.count == 0 ||
           BATCH_LINES (setup, grid_resource_take, &(grid_features_t){.picture = picture}, why,
                        "qhost", "-F", names) == COMMAND_DONE;
}
