/*
 * verdict -- from how a domain stands on its servers to what central is
 * told, if anything: the consensus in the words of a report.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/consensus.h"
#include "model/domain.h"
#include "model/messages.h"

struct server;

enum { VERDICT_REASON = 512 };		/* octets, with its final NUL */

/* A domain as it stands, with what each of its servers is seen to have. */
struct standing {
	struct domain_ref domain;	/* no id: there is no such domain (any more) */
	/* those of the configured servers that it is for */
	size_t count;
	const struct server **servers;
	const char **server_ids;
	struct sighting *sightings;	/* ACTION's rows, in the order of the servers */
	const char **reasons;		/* likewise; "" where there is none */
	/* those that serve a serial that is none of ours, as the caller finds them */
	bool *foreign;
	size_t foreign_count;
	bool *differs;			/* those that serve other records than ours */
	size_t differing_count;
};

/* False: nothing to tell, the domain stands as central knows it. Reason in the arena. */
bool verdict_of(const struct standing *standing, enum action action,
                int threshold_percent, struct arena *arena, struct pool_report *report);
