/*
 * advise -- the field `warnings` of an answer: reads the record sets that core/advice.h
 * needs, and returns its texts. A call without a host inside the zone reads nothing.
 */
#pragma once

#include <jansson.h>

#include "core/changes.h"
#include "write.h"

/* For the records that CHANGES add. Call it after the write: it writes the buffer. */
json_t *advise_changes(struct write *write, const struct change *changes, size_t count);
/* For all records of a few names of the domain. */
json_t *advise_names(struct write *write, const char *const *owners, size_t count);
