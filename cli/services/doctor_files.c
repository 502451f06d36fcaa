/*  doctor_files - looks only: nothing is created, written or changed. */
#include "doctor_files.h"

#include "federation.h"
#include "must.h"
#include "process.h"
#include "table.h"
#include "zpl.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/*  --- sizes: forms of the counters of a status --- */

static const char *growth_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    int64_t bytes = number_of (form, key);
    char size [BYTES_TEXT_BYTES];
    if (number_of (form, "store_watched_ms") == 0)
        return "";
    snprintf (text, CELL_BYTES, "%s%s", bytes < 0 ? "-" : "+",
              bytes_text ((double) (bytes < 0 ? -bytes : bytes), size));
    return text;
}

static const char *days_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    if (!json_object_get (form, key))
        return "";
    snprintf (text, CELL_BYTES, "%" PRId64 " days", number_of (form, key));
    return text;
}

static const form_row_t size_rows [] = {
  {"SERVICE", "service", .kind = FORM_TEXT, .from = "name"},
  {">MEMORY", "memory_bytes", cell_bytes, .kind = FORM_NUMBER},
  {">STORE", "store_used_bytes", cell_bytes, .kind = FORM_NUMBER},
  {">LIMIT", "store_bytes", cell_bytes, .kind = FORM_NUMBER},
  {">A DAY", "store_growth_bytes", growth_cell, .kind = FORM_NUMBER},
  {.key = "store_watched_ms", .kind = FORM_NUMBER},
  {">FULL IN", "full_in_days", days_cell, .kind = FORM_MADE},
  {">SEGMENTS", "ledger_segments_bytes", cell_bytes, .kind = FORM_NUMBER},
  {0}};

static json_t *sizes_form (const json_t *status)
{
    json_auto_t *counted = json_pack ("{s:s}", "name", text_of (status, "name"));
    json_each_of (counter, status, "counters")
        take (counted, text_of (counter, "name"), json_integer (number_of (counter, "value")));
    json_t *form = form_of (size_rows, counted);
    int64_t free_bytes = number_of (form, "store_bytes") - number_of (form, "store_used_bytes");
    int64_t a_day = number_of (form, "store_growth_bytes");
    if (a_day > 0)
        take (form, "full_in_days", json_integer (free_bytes / a_day));
    return form;
}

void doctor_sizes_add (json_t *forms, const json_t *status)
{
    size_t at = json_array_size (forms);
    while (at > 0 && strcmp (text_of (json_array_get (forms, at - 1), "service"),
                             text_of (status, "name")) > 0)
        at--;
    json_array_insert_new (forms, at, made (sizes_form (status)));
}

void doctor_sizes_print (const json_t *forms)
{
    table_print_forms (size_rows, forms, stdout);
}

#define WHAT_BYTES         1024
#define PATH_BYTES         4096
#define STORAGE_BYTES      107374182400.0 /* the default of svc-replica node */
#define DISK_BLOCK_BYTES   512.0
#define STORE_ROOM_BYTES   67108864.0 /* too little for any store */
#define ENDPOINTS_SEPARATE ", \t"

/*  --- findings --- */

void findings_clear (findings_t *self)
{
    json_decref (self->wrong);
    json_decref (self->sizes);
    *self = (findings_t){0};
}

void findings_add (findings_t *self, const char *who, const char *format, ...)
{
    char what [WHAT_BYTES];
    format_rest (what, sizeof what, format);
    take_last (self->wrong, json_pack ("{s:s, s:s}", "who", who, "what", what));
}

int findings_tell (const findings_t *self, bool as_json)
{
    size_t count = json_array_size (self->wrong);
    if (as_json) {
        cli_print_json (json_pack ("{s:I, s:O, s:O*}", "looked_at", (json_int_t) self->looked_at,
                                   "wrong", self->wrong, "sizes", self->sizes));
    } else {
        if (self->sizes)
            doctor_sizes_print (self->sizes);
        json_each (one, self->wrong)
            printf ("%s: %s\n", json_string_value (json_object_get (one, "who")),
                    json_string_value (json_object_get (one, "what")));
        printf ("%zu checked, %zu problems found\n", self->looked_at, count);
    }
    return count == 0 ? EXIT_DONE : EXIT_REFUSED;
}

/*  --- settings --- */

typedef struct {
    const char *file;
    const zpl_t *settings;
    json_t *asked;
    findings_t *findings;
} doctor_files_look_t;

static const char *setting (const doctor_files_look_t *look, const char *path)
{
    const zpl_node_t *node = zpl_find (look->settings, path);
    return node && node->value && *node->value ? node->value : NULL;
}

/*  --- folders --- */

static bool is_folder (const char *path)
{
    struct stat status;
    return stat (path, &status) == 0 && S_ISDIR (status.st_mode);
}

/*  The nearest folder above that exists; "/" or "." at last. */
static void doctor_files_nearest (const char *path, char above [PATH_BYTES])
{
    snprintf (above, PATH_BYTES, "%s", path);
    while (*above && !is_folder (above)) {
        char *slash = strrchr (above, '/');
        *(slash ? slash : above) = '\0';
    }
    if (!*above)
        snprintf (above, PATH_BYTES, "%s", *path == '/' ? "/" : ".");
}

/*  Checks that a folder can be used, or created where it is missing. True when it exists. */
static bool look_at_folder (const doctor_files_look_t *look, const char *key, const char *path)
{
    char above [PATH_BYTES];
    doctor_files_nearest (path, above);
    bool there = strcmp (above, path) == 0;
    if (!there && (access (path, F_OK) == 0 || errno == ENOTDIR))
        findings_add (look->findings, look->file, "%s: %s is not a folder", key, path);
    else if (access (above, R_OK | W_OK | X_OK) != 0)
        findings_add (look->findings, look->file, "%s: %s%s: %s", key, above,
                      there ? "" : ", where it would be created", strerror (errno));
    return there;
}

static double free_bytes (const char *path)
{
    char above [PATH_BYTES];
    struct statvfs disk;
    doctor_files_nearest (path, above);
    return statvfs (above, &disk) == 0 ? (double) disk.f_bavail * (double) disk.f_frsize : -1;
}

static void look_at_store (const doctor_files_look_t *look)
{
    const char *key = setting (look, "store/pool") ? "store/pool" : "store/folder";
    const char *path = setting (look, key);
    char text [BYTES_TEXT_BYTES];
    if (!path) {
        findings_add (look->findings, look->file, "store/folder: is missing");
        return;
    }
    look_at_folder (look, key, path);
    double room = free_bytes (path);
    if (room >= 0 && room < STORE_ROOM_BYTES)
        findings_add (look->findings, look->file, "%s: only %s are free on the disk of %s", key,
                      bytes_text (room, text), path);
}

/*  --- a storage node's files --- */

/*  What the files directly in a folder take on the disk. */
static double bytes_in (const char *folder, const char *inside)
{
    char path [PATH_BYTES];
    double bytes = 0;
    snprintf (path, sizeof path, "%s/%s", folder, inside);
    DIR *listed = opendir (path);
    for (const struct dirent *entry; listed && (entry = readdir (listed));) {
        struct stat status;
        if (fstatat (dirfd (listed), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG (status.st_mode))
            bytes += (double) status.st_blocks * DISK_BLOCK_BYTES;
    }
    if (listed)
        closedir (listed);
    return bytes;
}

static void look_at_room (const doctor_files_look_t *look, const char *folder)
{
    const char *given = setting (look, "bytes");
    double bytes = given ? strtod (given, NULL) : STORAGE_BYTES;
    double room = free_bytes (folder);
    double most = room + bytes_in (folder, "files") + bytes_in (folder, "parts");
    char wanted [BYTES_TEXT_BYTES], there [BYTES_TEXT_BYTES];
    if (room >= 0 && bytes > most)
        findings_add (
          look->findings, look->file,
          "bytes: %s is more than the disk can hold, which is %s with the files already there: %s",
          bytes_text (bytes, wanted), bytes_text (most, there), folder);
}

static void look_at_storage (const doctor_files_look_t *look, const char *folder)
{
    const char *store = setting (look, "store/folder");
    if (*folder != '/') {
        findings_add (look->findings, look->file, "folder: %s must be an absolute path", folder);
        return;
    }
    if (!look_at_folder (look, "folder", folder) && store && is_folder (store))
        findings_add (look->findings, look->file,
                      "folder: %s is missing although the store %s is there, so that all files "
                      "would count as lost; is a disk not mounted?",
                      folder, store);
    look_at_room (look, folder);
}

/*  --- whom it asks --- */

/*  Notes the endpoints; all are asked at once when every file has been read. */
static void note_endpoints (const doctor_files_look_t *look, const char *key, const char *kind)
{
    const char *value = setting (look, key);
    char *endpoints = must (strdup (value ? value : ""));
    char *rest = NULL;
    for (const char *one = strtok_r (endpoints, ENDPOINTS_SEPARATE, &rest); one;
         one = strtok_r (NULL, ENDPOINTS_SEPARATE, &rest))
        json_array_append_new (look->asked, json_pack ("{s:s, s:s, s:s, s:s}", "file", look->file,
                                                       "key", key, "kind", kind, "endpoint", one));
    free (endpoints);
}

void doctor_hear (findings_t *findings, const json_t *asked, const client_reply_t *reply,
                  const json_t *answer)
{
    const char *name = text_of (answer, "name");
    const char *kind = text_of (asked, "kind");
    const char *endpoint = text_of (asked, "endpoint");
    if (reply->status != CALL_OK)
        findings_add (findings, text_of (asked, "file"), "%s: %s does not answer: %s",
                      text_of (asked, "key"), endpoint, reply->reason);
    else if (strncmp (name, kind, strlen (kind)) != 0)
        findings_add (findings, text_of (asked, "file"),
                      "%s: %s is %s, not a service of the kind %s", text_of (asked, "key"),
                      endpoint, *name ? name : "?", kind);
}

/*  --- what a site's own program says of its settings, and of its batch system --- */

static void look_by_program (const doctor_files_look_t *look)
{
    char program [PROGRAM_BYTES], said [64], line [WHAT_BYTES];
    char check [] = "--check", batch [] = "batch", from [] = "-c";
    bool site = setting (look, "back_end") != NULL;
    char *const arguments [] = {
      program, site ? check : batch, from, (char *) look->file, site ? NULL : check, NULL};
    process_t process;
    file_auto_t *log = tmpfile ();
    if (!log || (!site && !setting (look, "system")))
        return;
    snprintf (said, sizeof said, "/proc/self/fd/%d", fileno (log));
    if (!process_beside ("svc-lis", program) ||
        !process_start (&process, program, arguments, "/dev/null", said)) {
        findings_add (look->findings, look->file, "svc-lis can't be started: %s", strerror (errno));
        return;
    }
    waitpid (process.pid, NULL, 0);
    while (fgets (line, sizeof line, log))
        findings_add (look->findings, look->file, "%.*s", (int) strcspn (line, "\n"), line);
}

/*  --- a file --- */

static void look_at_settings (const doctor_files_look_t *look)
{
    const char *folder = setting (look, "replica") ? setting (look, "folder") : NULL;
    const char *runs = setting (look, "lis") ? setting (look, "runs") : NULL;
    look_at_store (look);
    if (folder)
        look_at_storage (look, folder);
    if (runs)
        look_at_folder (look, "runs", runs);
    look_by_program (look);
    note_endpoints (look, "gis", "gis/");
    note_endpoints (look, "lis", "lis/");
    note_endpoints (look, "replica", "replica/");
    note_endpoints (look, "nis", "nis/");
}

void doctor_file (const char *file, json_t *asked, findings_t *findings)
{
    char why [LONG_WHY_BYTES];
    char why_not [LONG_WHY_BYTES];
    federation_t *federation = NULL;
    size_t size;
    zpl_t *settings = zpl_new ();
    text_auto_t *text = cli_read_text (file, FEDERATION_BYTES_MAX, &size);
    findings->looked_at++;
    if (!text)
        findings_add (findings, file, "it can't be read: %s", strerror (errno));
    else if (!zpl_read (settings, text, size, why))
        findings_add (findings, file, "line %s", why);
    else if (!zpl_find (settings, "directories"))
        look_at_settings (&(doctor_files_look_t){
          .file = file, .settings = settings, .asked = asked, .findings = findings});
    else if (!(federation = federation_read (file, text, size, why_not)))
        findings_add (findings, file, "it describes a federation and is wrong: %s", why_not);
    federation_destroy (&federation);
    zpl_destroy (&settings);
}
