/*  folder_transfer - one piece at a time, in one session. */
#include "folder_transfer.h"

int folder_carry (const folder_order_t *order, folder_progress_t *progress, const char *method,
                  json_t *question, const char *path)
{
    json_auto_t *last = NULL;
    char label [PROGRESS_LABEL_BYTES];
    snprintf (label, sizeof label, "%.80s %zu of %zu files", order->name, progress->files_done,
              progress->files);
    file_transfer_t carrying = {
      .ends = order->ends,
      .method = method,
      .question = question,
      .path = path,
      .of = {.label = label, .before = progress->bytes_done, .all = progress->bytes}};
    int code = carry (&carrying, &last);
    progress->pieces_moved++;
    progress->bytes_moved += (uint64_t) number_of (last, "size");
    return code;
}

void folder_progress_add (folder_progress_t *self, const json_t *members)
{
    json_each (member, members) {
        self->files_done++;
        self->bytes_done += (uint64_t) number_of (member, "size");
    }
}

void folder_progress_begin (folder_progress_t *self, const json_t *manifest)
{
    const json_t *member;
    *self = (folder_progress_t){.begun_ms = cli_mono_ms ()};
    for (size_t i = 0; (member = folder_member_next (manifest, "file", &i)); self->files++)
        self->bytes += (uint64_t) number_of (member, "size");
}

void folder_progress_tell (const folder_progress_t *self, const folder_order_t *order,
                           const char *to, const char *moved)
{
    char text [BYTES_TEXT_BYTES], sent [BYTES_TEXT_BYTES];
    if (!cli_json (order->ends.cli,
                   json_pack ("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:f}", "name", order->name,
                              "site", name_short (text_of (order->ends.site, "name")), "to", to,
                              "files", (json_int_t) self->files, "size", (json_int_t) self->bytes,
                              "pieces_moved", (json_int_t) self->pieces_moved, "bytes_moved",
                              (json_int_t) self->bytes_moved, "seconds",
                              (double) (cli_mono_ms () - self->begun_ms) / 1000)))
        printf ("%s: %zu files, %s, to %s, %s %s\n", order->name, self->files,
                bytes_text ((double) self->bytes, text), to,
                bytes_text ((double) self->bytes_moved, sent), moved);
}
