/*  task_files - compares names with an index in them by what stands around it. */
#include "task_files.h"

#include "must.h"
#include "transaction.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char index_mark [] = "%i";

static_assert (TASK_PATH_BYTES_MAX == FILE_NAME_BYTES_MAX, "paths are judged as names are");

char *task_files_text (const char *text, uint32_t index, size_t most)
{
    const char *mark = strstr (text, index_mark);
    char digits [16] = "";
    if (mark)
        snprintf (digits, sizeof digits, "%" PRIu32, index);
    size_t size = strlen (text) + strlen (digits) + 1;
    char *made = must (malloc (size));
    snprintf (made, size, "%.*s%s%s", (int) (mark ? mark - text : (ptrdiff_t) strlen (text)), text,
              digits, mark ? mark + strlen (index_mark) : "");
    if (strlen (made) <= most)
        return made;
    free (made);
    return NULL;
}

/*  --- may two names be the same? --- */

static bool all_digits (const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text [i] < '0' || text [i] > '9')
            return false;
    return true;
}

/*  Is the name this one of some task, whose index is below count? */
static bool is_of_task (const char *name, const char *pattern, uint32_t count)
{
    const char *mark = strstr (pattern, index_mark);
    size_t before = (size_t) (mark - pattern);
    uint64_t index = strncmp (name, pattern, before) == 0 && strlen (name) >= before
                       ? strtoull (name + before, NULL, 10)
                       : UINT64_MAX;
    char *made = index < count ? task_files_text (pattern, (uint32_t) index, SIZE_MAX) : NULL;
    bool same = made && strcmp (made, name) == 0;
    free (made);
    return same;
}

/*  Of two names with an index: the parts that one has beyond the other must be digits. */
static bool may_meet (const char *one, const char *other)
{
    const char *one_mark = strstr (one, index_mark), *other_mark = strstr (other, index_mark);
    size_t one_before = (size_t) (one_mark - one), other_before = (size_t) (other_mark - other);
    const char *longer = one_before > other_before ? one : other;
    size_t more = one_before > other_before ? one_before : other_before;
    size_t less = one_before > other_before ? other_before : one_before;
    const char *one_after = one_mark + strlen (index_mark);
    const char *other_after = other_mark + strlen (index_mark);
    if (strlen (one_after) < strlen (other_after)) {
        const char *swapped = one_after;
        one_after = other_after;
        other_after = swapped;
    }
    size_t beyond = strlen (one_after) - strlen (other_after);
    return strncmp (one, other, less) == 0 && all_digits (longer + less, more - less) &&
           strcmp (one_after + beyond, other_after) == 0 && all_digits (one_after, beyond);
}

/*  Could a task's file of this name be a file of that name, of the same or another task? */
static bool may_be_same (const char *one, const char *other, uint32_t count)
{
    bool one_many = strstr (one, index_mark), other_many = strstr (other, index_mark);
    if (one_many && other_many)
        return may_meet (one, other);
    if (one_many || other_many)
        return one_many ? is_of_task (other, one, count) : is_of_task (one, other, count);
    return strcmp (one, other) == 0;
}

/*  Is one path the other, or a folder in it? */
static bool paths_meet (const char *one, const char *other)
{
    size_t length = strlen (one) < strlen (other) ? strlen (one) : strlen (other);
    return strncmp (one, other, length) == 0 && (one [length] == '\0' || one [length] == '/') &&
           (other [length] == '\0' || other [length] == '/');
}

/*  --- one file --- */

static bool task_text_right (const char *text, const char *what, size_t at, const char *member,
                             uint32_t last, char why [WHY_BYTES])
{
    char wrong_name [WHY_BYTES];
    const char *mark = strstr (text, index_mark);
    char *longest = task_files_text (text, last, FILE_NAME_BYTES_MAX);
    bool good = longest != NULL;
    if (!good)
        wrong (why, "%s[%zu].%s: is longer than %d bytes with a task's index in it", what, at,
               member, FILE_NAME_BYTES_MAX);
    else if (mark && strstr (mark + 1, index_mark))
        good =
          wrong (why, "%s[%zu].%s: \"%.60s\" should have %%i at most once", what, at, member, text);
    else if (!file_name_check (longest, wrong_name))
        good = wrong (why, "%s[%zu].%s%s", what, at, member, wrong_name + strlen ("name"));
    free (longest);
    return good;
}

static bool task_file_right (run_file_t *file, const char *what, size_t at, uint32_t last,
                             char why [WHY_BYTES])
{
    if (!task_text_right (file->name, what, at, "name", last, why))
        return false;
    if (!*file->path) {
        const char *slash = strrchr (file->name, '/');
        char *path = must (strdup (slash ? slash + 1 : file->name));
        free ((char *) file->path);
        file->path = path;
    }
    return task_text_right (file->path, what, at, "path", last, why);
}

/*  --- all of them --- */

static const run_file_t *task_file_at (const run_order_t *order, size_t at)
{
    return at < order->inputs_count ? &order->inputs [at]
                                    : &order->outputs [at - order->inputs_count];
}

/*  A place in the folder is one file's. A name may be read twice, but is made once. */
static bool pair_right (const run_order_t *order, size_t one, size_t other, uint32_t count,
                        char why [WHY_BYTES])
{
    const run_file_t *a = task_file_at (order, one), *b = task_file_at (order, other);
    bool makes = other >= order->inputs_count;
    if (paths_meet (a->path, b->path))
        return wrong (why, "%s: path %.60s is another file's, or in the way of one: %.60s",
                      makes ? "outputs" : "inputs", b->path, a->path);
    if (!makes || !may_be_same (a->name, b->name, count))
        return true;
    return one < order->inputs_count
             ? wrong (why,
                      "outputs: %.80s is an input of the bag's tasks, too (%.80s); a task's "
                      "result can't be what it needs",
                      b->name, a->name)
             : wrong (why, "outputs: %.80s and %.80s may be one file; each needs a name of its own",
                      a->name, b->name);
}

bool task_files_check (run_order_t *order, uint32_t count, char why [WHY_BYTES])
{
    size_t files = order->inputs_count + order->outputs_count;
    uint32_t last = order->index_from + count - 1;
    if (files > 0 && *order->folder)
        return wrong (why, "folder: tasks with inputs or outputs have a folder of their own; leave "
                           "out folder");
    for (size_t i = 0; i < files; i++) {
        bool makes = i >= order->inputs_count;
        run_file_t *file = (run_file_t *) task_file_at (order, i);
        if (!task_file_right (file, makes ? "outputs" : "inputs",
                              makes ? i - order->inputs_count : i, last, why))
            return false;
        if (makes && count > 1 && !strstr (file->name, index_mark))
            return wrong (why,
                          "outputs[%zu].name: \"%.80s\" would be made by each of %" PRIu32
                          " tasks; put %%i into it, which is the task's index",
                          i - order->inputs_count, file->name, count);
    }
    for (size_t other = 1; other < files; other++)
        for (size_t one = 0; one < other; one++)
            if (!pair_right (order, one, other, last == UINT32_MAX ? last : last + 1, why))
                return false;
    return true;
}
