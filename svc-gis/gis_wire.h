/*  gis_wire - the messages of proto/gis.proto that only the GIS takes or makes, as plain structs;
 *  gis_wire.c alone sees the generated code. Those that both ends use are in
 *  libcommon/directory/directory_wire.h.
 */
#ifndef MUSUBI_GIS_WIRE_H
#define MUSUBI_GIS_WIRE_H

#include "directory_wire.h"
#include "gis.h"

/*  A page of entries, borrowed, as they were announced: for SnapshotAnswer, and for FindAnswer,
 *  which has only entries and more. unchanged: without entries and homes. */
typedef struct {
    packed_t *entries;
    size_t count;
    directory_mark_t mark;
    const char *const *homes;
    size_t homes_count;
    bool unchanged;
    bool more;
    bool changes; /* entries are those that have changed; gone those that are listed no more */
    char (*gone) [NAME_BYTES_MAX + 1];
    size_t gone_count;
    absence_t *absent; /* on the first page all; with changes some of gone */
    size_t absent_count;
} entries_told_t;

extern const codec_t snapshot_told_codec;
extern const codec_t find_told_codec;

/*  The message, by one of these two codecs. Entries go into it as they are. */
packed_t entries_told_encode (const codec_t *codec, const entries_told_t *told);

/*  A change. */
typedef struct {
    uint64_t number;
    bool listed;
    packed_t entry; /* of what is listed: as it was announced, borrowed */
    bool gone;
    const char *name; /* of what is gone */
    bool remembered;  /* gone, and absent tells since when */
    absence_t absent;
} delta_told_t;

extern const codec_t delta_told_codec;

#endif
