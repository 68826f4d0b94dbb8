/*
 * provider -- whoever has the zone, as the seed's "DNSProvider": it is read, and it is
 * given what was planned. One thing at a time; no callback comes from within a call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/batch.h"
#include "core/outcome.h"
#include "core/update.h"
#include "core/view.h"

struct runtime;
struct registry;

enum {
	/* of a zone that is read, whoever has it */
	PROVIDER_WHOLE_MS = 600 * 1000,
	PROVIDER_RECORDS_MAX = 10 * 1000 * 1000,
	PROVIDER_OCTETS_MAX = INT32_MAX,
};

/*
 * FAULT, in words: the zone did not come whole, and what did means nothing, SERIAL
 * neither; else NULL.
 */
typedef void provider_read_fn(void *self, const char *fault, uint32_t serial);
/* WORDS are of outcomes but APPLIED. */
typedef void provider_sent_fn(void *self, enum outcome outcome, const char *words);

struct provider {
	const char *name;
	void (*start)(struct registry *registry, const struct runtime *runtime);
	void (*stop)(struct registry *registry);
	/* Adds the zone's records to VIEW. */
	void (*read)(struct registry *registry, struct view *view, provider_read_fn *done,
	             void *self);
	/* The serial that the zone has now, by one question: has it changed? */
	void (*serial)(struct registry *registry, provider_read_fn *done, void *self);
	/* What they take in a message, at most. */
	struct batch_size (*measure)(const struct update *update);
	/* All of them, or none. */
	void (*send)(struct registry *registry, const struct update *const *updates,
	             size_t count, provider_sent_fn *done, void *self);
	void (*cancel)(struct registry *registry);	/* no callback comes any more */
};

extern const struct provider provider_rfc2136, provider_managed;
