/*  site_wire - a site's description and a need's requirements, to and from proto/gis.proto. */
#ifndef MUSUBI_SITE_WIRE_H
#define MUSUBI_SITE_WIRE_H

#include "codec.h"
#include "site.h"

extern const codec_t attribute_codec;
extern const codec_t node_class_codec;
extern const codec_t site_codec;
extern const codec_t requirement_codec;

#endif
