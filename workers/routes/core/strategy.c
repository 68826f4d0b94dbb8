#include "core/strategy.h"

#include <string.h>

#include "base/fnv.h"

enum { CANDIDATES_MAX = 1000 };

static bool candidate_has_room(const struct candidate *candidate)
{
	return !candidate->is_down &&
	       (!candidate->has_capacity || candidate->bound < candidate->capacity);
}

/* ---- the strategies ---- */

/* The candidate at POSITION in the group, or the next one that has room. */
static size_t strategy_pick_next(const struct applicant *applicant,
                                 const struct candidate *candidates, const bool *in_group,
                                 size_t count, uint64_t position)
{
	size_t of = 0, first = 0, at = count;

	(void)applicant;
	for (size_t i = 0; i < count; i++)
		of += in_group[i];
	if (!of)
		return count;
	first = position % of;
	for (size_t i = 0, place = 0; i < count; i++) {
		if (!in_group[i])
			continue;
		if (candidate_has_room(&candidates[i]) &&
		    (place >= first || at == count)) {
			at = i;
			if (place >= first)
				break;
		}
		place++;
	}
	return at;
}

static size_t strategy_pick_least(const struct applicant *applicant,
                                  const struct candidate *candidates,
                                  const bool *in_group, size_t count, uint64_t position)
{
	size_t best = count;

	(void)applicant, (void)position;
	for (size_t i = 0; i < count; i++)
		if (in_group[i] && candidate_has_room(&candidates[i]) &&
		    (best == count || candidates[i].bound < candidates[best].bound))
			best = i;
	return best;
}

/* FNV-1a over both, mixed to spread over all bits. */
static uint64_t hash_weight(const char *id, const char *name)
{
	uint64_t hash = fnv_add(FNV_START, id, strlen(id));

	hash = fnv_add(hash, name, strlen(name));
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
	return hash ^ hash >> 33;
}

/* Rendezvous hashing: the candidate with the highest weight. */
static size_t strategy_pick_hash(const struct applicant *applicant,
                                 const struct candidate *candidates, const bool *in_group,
                                 size_t count, uint64_t position)
{
	uint64_t highest = 0;
	size_t best = count;

	(void)position;
	for (size_t i = 0; i < count; i++) {
		uint64_t own = hash_weight(applicant->id, candidates[i].name);

		if (in_group[i] && candidate_has_room(&candidates[i]) &&
		    (best == count || own > highest)) {
			highest = own;
			best = i;
		}
	}
	return best;
}

const char *const strategy_words[] = {
	[STRATEGY_ROUNDROBIN] = "roundrobin", [STRATEGY_LABEL] = "label",
	[STRATEGY_LEASTLOADED] = "leastloaded", [STRATEGY_HASH] = "hash",
	[STRATEGY_EXTERNAL] = "external", NULL
};

static const struct strategy strategies[] = {
	/*                        position  by label  pick */
	[STRATEGY_ROUNDROBIN]  = { true,     false,    strategy_pick_next  },
	[STRATEGY_LABEL]       = { true,     true,     strategy_pick_next  },
	[STRATEGY_LEASTLOADED] = { false,    false,    strategy_pick_least },
	[STRATEGY_HASH]        = { false,    false,    strategy_pick_hash  },
};

const struct strategy *strategy_at(enum strategy_word word)
{
	return word == STRATEGY_EXTERNAL ? NULL : &strategies[word];
}

const char *strategy_name(const struct strategy *strategy)
{
	return strategy_words[strategy - strategies];
}

/* ---- groups ---- */

static bool applicant_has_label(const struct applicant *applicant, const char *label)
{
	for (size_t i = 0; i < applicant->label_count; i++)
		if (!strcmp(applicant->labels[i], label))
			return true;
	return false;
}

const char *strategy_group(const struct strategy *strategy,
                           const struct applicant *applicant,
                           const struct candidate *candidates, size_t count)
{
	const char *full = "";

	for (size_t i = 0; strategy->by_label && i < count; i++) {
		if (!*candidates[i].label || !applicant_has_label(applicant,
		                                                  candidates[i].label))
			continue;
		if (candidate_has_room(&candidates[i]))
			return candidates[i].label;
		if (!*full)
			full = candidates[i].label;
	}
	return full;
}

/* OF of COUNT routers fit the applicant; UP of these are up. */
static enum err strategy_explain(size_t of, size_t up, size_t count, struct why *why)
{
	const char *words = "no router accepts routes: create a router, or end the drain "
	        "of a router ('zonefleet router drain ROUTER --undo')";

	if (of && !up)
		words = "the routers that fit the route have no instance that is up: "
		        "start an instance";
	else if (up < of)
		words = "all routers that fit the route are full or have no instance "
		        "that is up: raise a capacity, or start an instance";
	else if (of)
		words = "all routers that fit the route are full: raise a capacity, or "
		        "create another router";
	else if (count)
		words = "each router that accepts routes has a label that the route "
		        "lacks: change a label, or create a router";
	return fail(why, ERR_UNREACHABLE, "%s", words);
}

enum err strategy_pick(const struct strategy *strategy, const struct applicant *applicant,
                       const struct candidate *candidates, size_t count,
                       uint64_t position, size_t *picked, struct why *why)
{
	const char *group = strategy_group(strategy, applicant, candidates, count);
	bool in_group[CANDIDATES_MAX] = { false };
	size_t of = 0, up = 0, at;

	if (count > CANDIDATES_MAX)
		count = CANDIDATES_MAX;
	for (size_t i = 0; i < count; i++) {
		bool may = !strategy->by_label || !strcmp(candidates[i].label, group);

		in_group[i] = may && !candidates[i].is_down;
		of += may;
		up += in_group[i];
	}
	at = strategy->pick(applicant, candidates, in_group, count, position);
	if (at < count) {
		*picked = at;
		return OK;
	}
	return strategy_explain(of, up, count, why);
}
