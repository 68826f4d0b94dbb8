#include "base/clock.h"
#include "base/log.h"
#include "ownership.h"
#include "provider.h"
#include "round.h"
#include "store.h"

#include <string.h>

/* Each second: registries whose time has come, by their rows. */

static size_t rounds_under_way(const struct ownership *ownership)
{
	size_t count = 0;

	for (size_t i = 0; i < ownership->registries.count; i++)
		count += ownership->registries.item[i].round != NULL;
	return count;
}

static bool may_begin(const struct ownership *ownership, const struct registry *registry)
{
	return !ownership->is_draining && !registry->round &&
	       clock_ms() >= registry->not_before_ms &&
	       rounds_under_way(ownership) < ROUNDS_MAX;
}

void due_now(struct ownership *ownership, struct registry *registry)
{
	if (may_begin(ownership, registry))
		round_begin(ownership, registry);
}

/* Those of other settings are not ours to know. */
static void note_due(void *self, const char *id)
{
	struct registries *registries = &((struct ownership *)self)->registries;

	for (size_t i = 0; i < registries->count; i++)
		if (!strcmp(registries->item[i].id, id))
			registries->item[i].is_due = true;
}

/* In turn, for there may be more of them than are begun. */
static void begin_due(struct ownership *ownership)
{
	struct registries *registries = &ownership->registries;
	size_t first = ownership->next;

	for (size_t i = 0; i < registries->count; i++) {
		size_t at = (first + i) % registries->count;
		struct registry *registry = &registries->item[at];

		if (!registry->is_due || !may_begin(ownership, registry))
			continue;
		round_begin(ownership, registry);
		ownership->next = at + 1;
	}
}

void due_fire(void *self)
{
	struct ownership *ownership = self;
	struct registries *registries = &ownership->registries;
	struct why why;

	for (size_t i = 0; i < registries->count; i++)
		registries->item[i].is_due = false;

	struct tx tx = tx_autocommit(ownership->runtime.db, &why);
	store_registries_due(&tx, note_due, ownership);
	if (tx_commit(&tx)) {
		log_warn("due registries not read: reason=\"%s\"", why.text);
		return;
	}
	begin_due(ownership);
}

void sweep_fire(void *self)
{
	struct ownership *ownership = self;
	struct why why;
	struct tx tx = tx_autocommit(ownership->runtime.db, &why);

	store_sweep_answers(&tx);
	store_sweep_sources(&tx);
	if (tx_commit(&tx))
		log_warn("rows not swept: reason=\"%s\"", why.text);
}
