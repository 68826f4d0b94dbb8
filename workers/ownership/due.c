#include "base/clock.h"
#include "base/log.h"
#include "ownership.h"
#include "provider.h"
#include "round.h"
#include "store.h"

#include <string.h>

/* Each second: registries whose time has come, by their rows. */

enum { DUE_MAX = 500 };

static struct registry *registry_of(struct ownership *ownership, const char *id)
{
	for (size_t i = 0; i < ownership->registries.count; i++)
		if (!strcmp(ownership->registries.item[i].id, id))
			return &ownership->registries.item[i];
	return NULL;
}

static bool may_begin(const struct ownership *ownership, const struct registry *registry)
{
	return !ownership->is_draining && !registry->round &&
	       clock_ms() >= registry->not_before_ms;
}

void due_now(struct ownership *ownership, struct registry *registry)
{
	if (may_begin(ownership, registry))
		round_begin(ownership, registry);
}

void due_fire(void *self)
{
	struct ownership *ownership = self;
	struct arena *arena = arena_new();
	const char *ids[DUE_MAX];
	struct why why;
	struct tx tx = tx_once(ownership->runtime.db, &why);
	size_t count = store_registries_due(&tx, arena, ids, DUE_MAX);

	if (tx_commit(&tx)) {
		log_warn("due registries not read: reason=\"%s\"", why.text);
		count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct registry *registry = registry_of(ownership, ids[i]);

		if (registry)
			due_now(ownership, registry);
	}
	arena_free(&arena);
}
