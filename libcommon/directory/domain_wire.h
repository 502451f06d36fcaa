/*  domain_wire - a network domain's description, to and from proto/gis.proto. */
#ifndef MUSUBI_DOMAIN_WIRE_H
#define MUSUBI_DOMAIN_WIRE_H

#include "codec.h"
#include "domain.h"

extern const codec_t vertex_codec;
extern const codec_t link_codec;
extern const codec_t
  domain_codec; /* whoever takes one in asks domain_check, too: it has its name */

#endif
