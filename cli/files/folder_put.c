/*  folder_put - puts the pieces of a folder that its site does not have, then its manifest, and
 *  then has the pieces dropped that nobody needs any more.
 */
#include "folder_pack.h"
#include "folder_transfer.h"
#include "must.h"

#include <inttypes.h>
#include <unistd.h>

/*  --- what both ways share: one piece at a time, in one session --- */

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

/*  --- putting --- */

typedef struct {
    const folder_order_t *order;
    const char *top; /* absolute */
    json_t *manifest;
    char *aside;  /* the pack, or a link to a large file, whose name may have any bytes */
    json_t *held; /* what sites have of the folder that counts for its owner: */
    char *owner;
    json_t *here; /* the names that the site keeps, and their records */
    folder_progress_t progress;
} folder_putting_t;

/*  What the site keeps already, and has a sound copy of. */
static void here_note (folder_putting_t *self)
{
    const json_t *copy;
    const char *site = name_short (text_of (self->order->ends.site, "name"));
    json_each (one, self->held) {
        json_t *file = json_object_get (one, "file");
        bool kept = flag_of (file, "kept");
        for (size_t k = 0; kept && (copy = item_of (file, "copies", k)); k++)
            if (has_text (one, "site", site) && has_text (copy, "state", "COPY_SOUND"))
                json_object_set (self->here, text_of (file, "name"), file);
    }
}

/*  Asks a site about one piece; takes the question over. */
static int piece_ask (const folder_putting_t *self, const json_t *site, const char *method,
                      json_t *question)
{
    int code;
    const transfer_ends_t *ends = &self->order->ends;
    json_auto_t *asked = made (question);
    json_decref (replica_sites_ask (ends->cli, ends->session, site, method, asked, &code));
    return code;
}

/*  What was said about the folder holds for a piece that is new, too. */
static int piece_ruled (const folder_putting_t *self, const char *name)
{
    const json_t *was = json_object_get (folder_manifest_held (self->held), "file");
    json_t *rule = json_object_get (was, "rule");
    int code = EXIT_DONE;
    bool pinned = flag_of (was, "pinned");
    if (number_of (rule, "copies") > 0)
        code = piece_ask (self, self->order->ends.site, "Rule",
                          json_pack ("{s:s, s:O}", "name", name, "rule", rule));
    if (code == EXIT_DONE && pinned)
        code = piece_ask (self, self->order->ends.site, "Pin",
                          json_pack ("{s:s, s:b}", "name", name, "pinned", true));
    return code;
}

/*  Puts what lies aside under that name, unless the site has it. */
static int piece_put (folder_putting_t *self, const char *name, uint64_t size, const char *digest)
{
    const folder_order_t *order = self->order;
    const json_t *here = json_object_get (self->here, name);
    bool expires = order->lifetime_ms != 0 || number_of (here, "expires_ms") != 0;
    if (here && !expires)
        return EXIT_DONE;
    json_t *question =
      made (json_pack ("{s:s, s:I}", "name", name, "lifetime_ms", (json_int_t) order->lifetime_ms));
    if (here)
        return piece_ask (self, order->ends.site, "Lifetime", question);
    take (question, "size", json_integer ((json_int_t) size));
    take (question, "digest", json_string (digest));
    int code = folder_carry (order, &self->progress, "Put", question, self->aside);
    json_object_set_new (self->here, name, json_object ());
    return code == EXIT_DONE ? piece_ruled (self, name) : code;
}

/*  Takes the digest of what lies aside, and puts it under a name with that. */
static int aside_put (folder_putting_t *self, const char *kind, char piece [PIECE_NAME_BYTES])
{
    char digest [DIGEST_TEXT_BYTES];
    uint64_t size;
    if (!file_digest ("put", self->aside, &size, digest))
        return EXIT_REFUSED;
    snprintf (piece, PIECE_NAME_BYTES, "%s-%s", kind, digest);
    text_auto_t *name = must_print ("%s%s%s", self->order->name, FOLDER_MARK, piece);
    return piece_put (self, name, size, digest);
}

/*  A large file: put by itself, once more when it has changed meanwhile. */
static int alone_put (folder_putting_t *self, json_t *member, char piece [PIECE_NAME_BYTES])
{
    text_auto_t *path = must_print ("%s/%s", self->top, text_of (member, "path"));
    struct stat before, after;
    bool same = false;
    int code = symlink (path, self->aside) == 0 ? EXIT_DONE : EXIT_REFUSED;
    for (int tries = 0; tries < 2 && !same && code != EXIT_UNKNOWN; tries++) {
        if (stat (path, &before) != 0)
            break;
        folder_member_note (member, &before);
        code = aside_put (self, "file", piece);
        same = stat (path, &after) == 0 && folder_status_same (&before, &after);
    }
    if (same || code == EXIT_UNKNOWN)
        return code;
    path_refuse ("put", path,
                 "it changes while it is read, or is gone; put the folder again when nobody writes "
                 "to it");
    return EXIT_REFUSED;
}

/*  What was found wrong does not end it: the rest is read, to name all that is wrong. */
static int one_put (folder_putting_t *self, size_t piece, const json_t *members, int code)
{
    char name [PIECE_NAME_BYTES];
    json_t *member = json_array_get (members, 0);
    unlink (self->aside);
    if (number_of (member, "size") > (int64_t) SMALL_BYTES_MAX) {
        code = code == EXIT_DONE ? alone_put (self, member, name) : code;
    } else if (!folder_pack_write (members, self->top, self->aside)) {
        code = EXIT_REFUSED;
    } else if (code == EXIT_DONE) {
        code = aside_put (self, "pack", name);
    }
    if (code == EXIT_DONE)
        json_array_set_new (json_object_get (self->manifest, "pieces"), piece, json_string (name));
    folder_progress_add (&self->progress, members);
    return code;
}

static int pieces_put (folder_putting_t *self)
{
    int code = EXIT_DONE;
    const json_t *members;
    json_auto_t *groups = folder_manifest_groups (self->manifest);
    for (size_t i = 0; (members = json_array_get (groups, i)) && code != EXIT_UNKNOWN; i++) {
        code = one_put (self, i, members, code);
        if (cli_interrupted ())
            return EXIT_REFUSED;
    }
    return code;
}

/*  Puts the manifest last: from then on it is the folder. *name is its name, to be freed. */
static int manifest_put (folder_putting_t *self, char **name)
{
    const json_t *newest = json_object_get (folder_manifest_held (self->held), "file");
    const char *was = text_of (newest, "name");
    char digest [DIGEST_TEXT_BYTES];
    uint64_t size;
    int64_t version = *was ? strtoll (folder_piece_of (was), NULL, 10) + 1 : 0;
    unlink (self->aside);
    if (!folder_manifest_write (self->manifest, self->aside))
        return cli_fail (EXIT_REFUSED, "put: %s: %s", self->aside, strerror (errno));
    if (!file_digest ("put", self->aside, &size, digest))
        return EXIT_REFUSED;
    if (version < cli_wall_ms ())
        version = cli_wall_ms ();
    *name = has_text (newest, "digest", digest)
              ? must_print ("%s", was)
              : must_print ("%s%s%013" PRId64 "-%zu-%s", self->order->name, FOLDER_MARK, version,
                            self->progress.files, digest);
    return piece_put (self, *name, size, digest);
}

/*  Drops the pieces that the new manifest does not need, at all sites; one that is silent now keeps
 *  them until the folder is put again. What came after the last manifest may be of another put that
 *  goes on. */
static void rest_drop (const folder_putting_t *self, const char *manifest)
{
    const char *actor = self->order->ends.session->places.actor;
    json_auto_t *needed = json_object (), *silent = json_array ();
    json_auto_t *held = replica_sites_folder (self->order->ends.session, self->order->name, silent);
    int64_t last_ms =
      number_of (json_object_get (folder_manifest_held (self->held), "file"), "created_ms");
    json_each_of (one, self->manifest, "pieces")
        take (needed, json_string_value (one), json_true ());
    take (needed, folder_piece_of (manifest), json_true ());
    json_each (one, held) {
        const json_t *file = json_object_get (one, "file"), *site = json_object_get (one, "entry");
        const char *name = text_of (file, "name");
        bool pinned = flag_of (file, "pinned");
        const char *owner = text_of (file, "owner");
        if (json_object_get (needed, folder_piece_of (name)) ||
            number_of (file, "created_ms") > last_ms ||
            (strcmp (owner, self->owner) != 0 && strcmp (owner, actor) != 0))
            continue;
        if (number_of (json_object_get (file, "rule"), "copies") > 0)
            piece_ask (self, site, "Rule",
                       json_pack ("{s:s, s:{s:i}}", "name", name, "rule", "copies", 0));
        if (pinned)
            piece_ask (self, site, "Pin", json_pack ("{s:s, s:b}", "name", name, "pinned", false));
        piece_ask (self, site, "Evict", json_pack ("{s:s, s:b}", "name", name, "kept", true));
    }
}

static int folder_put_all (folder_putting_t *self)
{
    text_auto_t *name = NULL;
    folder_progress_begin (&self->progress, self->manifest);
    folder_pack_plan (self->manifest);
    here_note (self);
    int code = pieces_put (self);
    if (code == EXIT_DONE)
        code = manifest_put (self, &name);
    if (code != EXIT_DONE)
        return code;
    rest_drop (self, name);
    folder_progress_tell (&self->progress, self->order, text_of (self->order->ends.site, "name"),
                          "sent");
    return code;
}

/*  May it be put under this name? A site judges only what it has itself. False after saying whose
 *  it is. */
static bool name_free (const folder_putting_t *self)
{
    const transfer_ends_t *ends = &self->order->ends;
    const json_t *other = json_array_get (self->held, 0);
    bool judged = strcmp (self->owner, ends->session->places.actor) == 0;
    json_each (one, self->held)
        judged =
          judged || strcmp (text_of (one, "site"), name_short (text_of (ends->site, "name"))) == 0;
    return judged || cli_refuse ("put: %s has a folder %s of %s's; choose another name",
                                 text_of (other, "site"), self->order->name, self->owner);
}

int folder_put (const folder_order_t *order, const char *top)
{
    json_auto_t *silent = json_array ();
    folder_putting_t self = {.order = order, .top = top, .here = json_object ()};
    text_auto_t *folder = path_temporary ("musubi-XXXXXX");
    int code = EXIT_REFUSED;
    if (!mkdtemp (folder))
        return cli_fail (EXIT_USAGE, "put: %s: %s", folder, strerror (errno));
    self.aside = must_print ("%s/piece", folder);
    json_auto_t *all = replica_sites_folder (order->ends.session, order->name, silent);
    const char *actor = order->ends.session->places.actor, *owner, *other;
    json_auto_t *theirs = folder_of_one (all, actor, &owner, &other);
    self.owner = must_print ("%s", owner ? owner : actor);
    self.held = json_incref (owner ? theirs : all);
    self.manifest = name_free (&self) ? folder_tree_read (top, order->links) : NULL;
    if (self.manifest)
        code = folder_put_all (&self);
    unlink (self.aside);
    rmdir (folder);
    free (self.aside);
    free (self.owner);
    json_decref (self.held);
    json_decref (self.here);
    json_decref (self.manifest);
    return code;
}
