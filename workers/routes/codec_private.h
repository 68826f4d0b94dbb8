/*
 * codec_private -- declarations that only codec.c, codec_router.c and codec_route.c use.
 */
#pragma once

#include "codec.h"

enum { TEXT_MAX = 255 };

/* Adds FIELD before the reason in *why: "route.host: ...". Returns ERR. */
enum err codec_within(const char *field, enum err err, struct why *why);
/*
 * Checks NAME as route_name_check() does. NAME may be NULL. ERR_INVALID: *why begins with
 * FIELD.
 */
enum err codec_check_name(const char *name, const char *field, struct why *why);
bool codec_has(const json_t *json, const char *key);
