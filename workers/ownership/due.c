#include "base/clock.h"
#include "base/log.h"
#include "ownership.h"
#include "provider.h"
#include "round.h"
#include "store.h"

#include <string.h>

/* Starts, each second, rounds of the registries whose rows are due. */

static size_t due_count_rounds(const struct ownership *ownership)
{
	size_t count = 0;

	for (size_t i = 0; i < ownership->registries.count; i++)
		count += ownership->registries.item[i].round != NULL;
	return count;
}

static bool due_may_begin(const struct ownership *ownership,
                          const struct registry *registry)
{
	return !ownership->is_draining && !registry->round &&
	       clock_ms() >= registry->not_before_ms &&
	       due_count_rounds(ownership) < ROUNDS_MAX;
}

void due_now(struct ownership *ownership, struct registry *registry)
{
	if (due_may_begin(ownership, registry))
		round_begin(ownership, registry);
}

/* A row may belong to a registry that the settings of this process lack. */
static void due_note(void *self, const char *id)
{
	struct registries *registries = &((struct ownership *)self)->registries;

	for (size_t i = 0; i < registries->count; i++)
		if (!strcmp(registries->item[i].id, id))
			registries->item[i].is_due = true;
}

/*
 * Takes the registries in turn, because at most ROUNDS_MAX rounds run at the same time.
 */
static void due_begin(struct ownership *ownership)
{
	struct registries *registries = &ownership->registries;
	size_t first = ownership->next;

	for (size_t i = 0; i < registries->count; i++) {
		size_t at = (first + i) % registries->count;
		struct registry *registry = &registries->item[at];

		if (!registry->is_due || !due_may_begin(ownership, registry))
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
	store_registries_due(&tx, due_note, ownership);
	if (tx_commit(&tx)) {
		log_warn("cannot read which registries are due: reason=\"%s\"", why.text);
		return;
	}
	due_begin(ownership);
}

void sweep_fire(void *self)
{
	struct ownership *ownership = self;
	struct why why;
	struct tx tx = tx_autocommit(ownership->runtime.db, &why);

	store_sweep_answers(&tx);
	store_sweep_sources(&tx);
	if (tx_commit(&tx))
		log_warn("old rows not removed: reason=\"%s\"", why.text);
}
