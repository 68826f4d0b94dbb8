#include "judge.h"

#include <string.h>

#include "base/log.h"
#include "core/content.h"
#include "follow_up.h"
#include "model/serial.h"
#include "store.h"
#include "tell.h"

/*
 * A server with a serial beyond ours has the zone from elsewhere: said in its row. But not
 * of a domain that goes: the zone may be that of its successor, of the same name.
 */
static void mark_foreign(struct tx *tx, struct standing *standing, struct arena *arena)
{
	const struct state *state = &standing->domain.state;
	uint32_t ours = state->serial;

	if (state->task == TASK_DELETE || state->status == STATUS_DELETED)
		return;
	for (size_t i = 0; i < standing->count; i++) {
		struct sighting *sighting = &standing->sightings[i];

		if (!sighting->has_serial || serial_covers(ours, sighting->serial))
			continue;
		store_foreign(tx, &standing->domain, standing->server_ids[i],
		              sighting->serial);
		standing->foreign[i] = true;
		standing->foreign_count++;
		sighting->status = SEEN_ERROR;
		sighting->has_serial = false;
		sighting->has_failed = true;
		sighting->failed_serial = ours;
		standing->reasons[i] = arena_printf(arena, FOREIGN_WORDS,
		                                    sighting->serial);
	}
}

/* One that serves other records serves nothing of ours, whatever its serial. */
static void mark_differing(struct standing *standing, struct arena *arena)
{
	for (size_t i = 0; i < standing->count; i++) {
		if (!standing->differs[i] || standing->foreign[i])
			continue;
		content_distrust(&standing->sightings[i],
		                 standing->domain.state.serial);
		standing->reasons[i] = arena_strdup(arena, CONTENT_WORDS);
	}
}

/* To be followed up, on the loop. */
static void note_foreign(struct inquiry *inquiry, const struct standing *standing,
                         const char *request_id, struct arena *arena)
{
	for (size_t i = 0; standing->foreign_count && i < standing->count; i++) {
		struct foreign *foreign;

		if (!standing->foreign[i])
			continue;
		foreign = arena_alloc(arena, sizeof(*foreign));
		*foreign = (struct foreign){
			.next = inquiry->foreign,
			.server = standing->servers[i],
			.domain = &standing->domain,
			.serial = standing->sightings[i].serial,
			.request_id = request_id,
		};
		inquiry->foreign = foreign;
	}
}

/*
 * While a change is on its way the servers agree on the one before it, which central
 * knows. It hears of such a serial once, when a report may have made it the pool's: so
 * does a domain whose changes never pause settle record by record.
 */
static bool is_news(const struct tell *tell, const struct server_report *seen,
                    const struct pool_report *verdict)
{
	if (!seen || verdict->report != REPORT_SUCCESS ||
	    verdict->serial == verdict->domain.state.serial)
		return true;
	return seen->has_serial && serial_covers(seen->serial, verdict->serial) &&
	       !tell_told(tell, verdict->domain.id, verdict->serial);
}

/* The questions of one action, without those that ask the same again. */
struct cases {
	enum action action;
	size_t count;
	const char *ids[LIST_MAX];
	const struct question *first[LIST_MAX];
};

static void gather(struct cases *cases, const struct question *questions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct question *question = &questions[i];
		size_t at = 0;

		if (question->action != cases->action)
			continue;
		while (at < cases->count &&
		       strcmp(cases->ids[at], question->domain_id) != 0)
			at++;
		if (at < cases->count)
			continue;
		cases->ids[at] = question->domain_id;
		cases->first[at] = question;
		cases->count++;
	}
}

static bool calls_for_news(const struct tell *tell, const struct inquiry *inquiry,
                           const struct ruling *ruling)
{
	const struct question *first = ruling->first;

	for (size_t i = 0; i < inquiry->count; i++) {
		const struct question *question = &inquiry->questions[i];

		if (question->action == first->action &&
		    strcmp(question->domain_id, first->domain_id) == 0 &&
		    is_news(tell, question->report, &ruling->report))
			return true;
	}
	return false;
}

static void rule(const struct poolmgr *poolmgr, const struct cases *cases,
                 const struct standing *standings, struct inquiry *inquiry,
                 struct arena *arena)
{
	for (size_t i = 0; i < cases->count; i++) {
		struct ruling *ruling = &inquiry->rulings[inquiry->found];

		note_foreign(inquiry, &standings[i], cases->first[i]->request_id, arena);
		ruling->first = cases->first[i];
		if (*standings[i].domain.id &&
		    verdict_of(&standings[i], cases->action,
		               poolmgr->config.threshold_percentage, arena,
		               &ruling->report))
			inquiry->found++;
	}
}

enum err judge_read(const struct poolmgr *poolmgr, struct db *db, struct inquiry *inquiry,
                    struct arena *arena, struct why *why)
{
	enum err err = OK;

	bug_if(inquiry->count > LIST_MAX);
	inquiry->found = 0;
	inquiry->foreign = NULL;
	for (enum action action = 0; action < ACTION_COUNT && !err; action++) {
		struct cases cases = { .action = action };
		struct standing *standings;

		gather(&cases, inquiry->questions, inquiry->count);
		if (!cases.count)
			continue;
		struct tx tx = tx_autocommit(db, why);
		standings = store_standings(&tx, arena, cases.ids, cases.count, action,
		                            poolmgr->servers);
		for (size_t i = 0; i < cases.count && action == ACTION_UPDATE; i++) {
			mark_foreign(&tx, &standings[i], arena);
			mark_differing(&standings[i], arena);
		}
		err = tx_commit(&tx);
		if (!err)
			rule(poolmgr, &cases, standings, inquiry, arena);
	}
	return err;
}

void judge_tell(struct poolmgr *poolmgr, const struct inquiry *inquiry)
{
	for (size_t i = 0; i < inquiry->found; i++) {
		const struct ruling *ruling = &inquiry->rulings[i];

		if (calls_for_news(poolmgr->tell, inquiry, ruling))
			tell_central(poolmgr->tell, &ruling->report,
			             ruling->first->request_id);
	}
	for (const struct foreign *at = inquiry->foreign; at; at = at->next)
		follow_up_saw(poolmgr->follow_up, at->server, at->domain, &at->serial,
		              &(struct cause){ at->request_id, .recovery = true });
}

/* What was found out before something failed is told, too. */
enum err judge_all(struct poolmgr *poolmgr, const struct question *questions,
                    size_t count, struct why *why)
{
	struct arena *arena = arena_new();
	struct ruling rulings[LIST_MAX];
	struct inquiry inquiry = { questions, count, rulings, 0, NULL };
	enum err err = judge_read(poolmgr, poolmgr->runtime.db, &inquiry, arena, why);

	judge_tell(poolmgr, &inquiry);
	arena_free(&arena);
	return err;
}
