#include "base/clock.h"
#include "base/log.h"
#include "ownership.h"
#include "provider.h"
#include "round.h"
#include "store.h"

#include <string.h>

/* Each second: registries whose time has come, by their rows. */

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

/* Those of other settings are not ours to know. */
static void note_due(void *self, const char *id)
{
	struct registries *registries = &((struct ownership *)self)->registries;

	for (size_t i = 0; i < registries->count; i++)
		if (!strcmp(registries->item[i].id, id))
			registries->item[i].is_due = true;
}

void due_fire(void *self)
{
	struct ownership *ownership = self;
	struct registries *registries = &ownership->registries;
	struct why why;

	for (size_t i = 0; i < registries->count; i++)
		registries->item[i].is_due = false;

	struct tx tx = tx_once(ownership->runtime.db, &why);
	store_registries_due(&tx, note_due, ownership);
	if (tx_commit(&tx)) {
		log_warn("due registries not read: reason=\"%s\"", why.text);
		return;
	}
	for (size_t i = 0; i < registries->count; i++)
		if (registries->item[i].is_due)
			due_now(ownership, &registries->item[i]);
}
