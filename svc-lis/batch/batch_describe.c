/*  batch_describe - svc-lis describe SYSTEM QUEUE SITE: the description of a federation of one
 *  site, as its batch system has it, to standard output. Nodes that are alike are one class; what
 *  of them can't be an attribute is left out, which is told on standard error. */
#include "batch_back_end.h"
#include "batch_main.h"
#include "must.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MS   10000 /* of a command of the batch system */
#define DIGITS_MAX 9     /* of the number in a range of names */
#define PLAIN      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define SITE_HEAD  "name = %s\ndirectories = g1\nplanners = 1\n\nsites\n    %s\n        classes\n"
#define SITE_TAIL                                                                                  \
    "        back_end = %s\n"                                                                      \
    "    #   accounts                    # as which local account whose tasks run\n"               \
    "    #       climate = \"alice, bob\"\n"                                                       \
    "        batch\n            queue = \"%s\"\n"
#define ATTRIBUTE "                    %s = \"%s\"\n"

/*  By what makes a class. */
static int describe_kinds (const batch_node_t *a, const batch_node_t *b)
{
    static const char form [] = "%010" PRIu32 " %s %010" PRIu32 " %s";
    text_auto_t *one = must_print (form, a->cpus, a->gpu, a->gpus, a->features ? a->features : "");
    text_auto_t *other =
      must_print (form, b->cpus, b->gpu, b->gpus, b->features ? b->features : "");
    return strcmp (one, other);
}

/*  n2 is before n10. */
static int describe_compare (const void *one, const void *other)
{
    const batch_node_t *a = one, *b = other;
    int kinds = describe_kinds (a, b);
    return kinds != 0 ? kinds : strverscmp (a->node, b->node);
}

/*  Writes the first name, or the range that begins with it: the last number of its host's name
 *  counts. Returns how many names that are. */
static size_t describe_range (const batch_node_t *nodes, size_t count, FILE *to)
{
    const char *name = nodes->node;
    size_t until = strcspn (name, "."), from, range = 1;
    while (until > 0 && !isdigit ((unsigned char) name [until - 1]))
        until--;
    for (from = until; from > 0 && isdigit ((unsigned char) name [from - 1]);)
        from--;
    int width = (int) (until - from);
    unsigned long first = strtoul (name + from, NULL, 10);
    for (; width > 0 && width <= DIGITS_MAX && range < count; range++) {
        text_auto_t *next =
          must_print ("%.*s%0*lu%s", (int) from, name, width, first + range, name + until);
        if (strcmp (nodes [range].node, next) != 0)
            break;
    }
    if (range == 1)
        fputs (name, to);
    else
        fprintf (to, "%.*s[%.*s-%0*lu]%s", (int) from, name, width, name + from, width,
                 first + range - 1, name + until);
    return range;
}

/*  Can a feature be an attribute, and is it none of those of GPUs? */
static bool describe_feature (const char *feature)
{
    return strspn (feature, PLAIN) == strlen (feature) && strcmp (feature, BATCH_GPU) != 0 &&
           strcmp (feature, BATCH_GPUS) != 0;
}

static void describe_attributes (const batch_node_t *node, size_t class, FILE *to)
{
    name_list_auto_t features = {0};
    name_list_add (&features, node->features ? node->features : "", "");
    if (features.count > 0 || node->gpus > 0)
        fputs ("                attributes\n", to);
    for (size_t i = 0; i < features.count; i++)
        if (i + 2 < CLASS_ATTRIBUTES_MAX && describe_feature (features.words [i]))
            fprintf (to, ATTRIBUTE, features.words [i], BATCH_FEATURE);
        else
            fprintf (stderr, "node-%zu: left out: feature %s\n", class, features.words [i]);
    if (*node->gpu)
        fprintf (to, ATTRIBUTE, BATCH_GPU, node->gpu);
    if (node->gpus > 0)
        fprintf (to, "                    " BATCH_GPUS " = %" PRIu32 "\n", node->gpus);
}

/*  Without CPUs a node is nothing that a site sells. */
static void describe_classes (const batch_picture_t *picture, FILE *to)
{
    const batch_node_t *node = picture->nodes, *end = node + picture->nodes_count;
    for (; node < end && node->cpus == 0; node++)
        fprintf (stderr, "left out: %s, which has no CPUs\n", node->node);
    for (size_t class = 1, count; node < end; class ++, node += count) {
        for (count = 1; node + count < end && describe_kinds (node, node + count) == 0;)
            count++;
        fprintf (to, "            node-%zu\n                nodes = %zu\n", class, count);
        fputs ("                names = \"", to);
        for (size_t i = 0; i < count; fputs (i < count ? ", " : "\"\n", to))
            i += describe_range (node + i, count - i, to);
        fprintf (to, "                cpus_per_node = %" PRIu32 "\n", node->cpus);
        describe_attributes (node, class, to);
    }
}

int batch_describe_main (int argc, char **argv, const batch_system_t *const *systems)
{
    const batch_system_t *system = argc == 4 ? batch_system_find (systems, argv [1]) : NULL;
    char why [WHY_BYTES] = "describe: SYSTEM QUEUE SITE should follow";
    batch_setup_t setup = {
      .queue = system ? argv [2] : "", .site = system ? argv [3] : "", .limit_ms = LIMIT_MS};
    batch_picture_t picture = {0};
    batch_fitness_t fitness = system ? system->check (&setup, false, why) : BATCH_UNFIT;
    if (fitness == BATCH_FIT && !system->look (&setup, &picture, why))
        fitness = BATCH_SILENT;
    else if (fitness == BATCH_FIT && (picture.gone || picture.nodes_count == 0)) {
        fitness = BATCH_UNFIT;
        wrong (why, "%s has no nodes in %s", picture.system, setup.queue);
    }
    if (fitness == BATCH_FIT) {
        qsort (picture.nodes, picture.nodes_count, sizeof *picture.nodes, describe_compare);
        printf (SITE_HEAD, setup.site, setup.site);
        describe_classes (&picture, stdout);
        printf (SITE_TAIL, picture.system, setup.queue);
    } else
        fprintf (stderr, "%s\n", why);
    codec_clear (&batch_picture_codec, &picture);
    static const int codes [] = {[BATCH_FIT] = 0, [BATCH_UNFIT] = 2, [BATCH_SILENT] = 3};
    return codes [fitness];
}
