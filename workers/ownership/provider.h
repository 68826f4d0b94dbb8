/*
 * provider -- reads and writes a zone ("DNSProvider" in the requirements, seed 001). Only
 * one operation of a registry may run at a time. Callbacks run only after the function
 * that starts the operation has returned.
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
	/* limits of one reading of a zone, for all providers */
	PROVIDER_WHOLE_MS = 600 * 1000,
	PROVIDER_RECORDS_MAX = 10 * 1000 * 1000,
	PROVIDER_OCTETS_MAX = INT32_MAX,
};

/*
 * This callback gets the result of a reading. FAULT NULL: the reading is complete.
 * Otherwise, FAULT is the reason why the reading failed, and the records and SERIAL are
 * not valid.
 */
typedef void provider_read_fn(void *self, const char *fault, uint32_t serial);
/*
 * This callback gets the outcome of the updates. WORDS: the reason, if the outcome is
 * not APPLIED.
 */
typedef void provider_sent_fn(void *self, enum outcome outcome, const char *words);

struct provider {
	const char *name;
	void (*start)(struct registry *registry, const struct runtime *runtime);
	void (*stop)(struct registry *registry);
	/* Adds the zone's records to VIEW. */
	void (*read)(struct registry *registry, struct view *view, provider_read_fn *done,
	             void *self);
	/* Reads the current serial of the zone. */
	void (*serial)(struct registry *registry, provider_read_fn *done, void *self);
	/* Returns the maximum size that the update has in a message. */
	struct batch_size (*measure)(const struct update *update);
	/*
	 * Sends the updates together. The server applies either all updates or no update.
	 */
	void (*send)(struct registry *registry, const struct update *const *updates,
	             size_t count, provider_sent_fn *done, void *self);
	void (*cancel)(struct registry *registry);
};

extern const struct provider provider_rfc2136, provider_managed;
