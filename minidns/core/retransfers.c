#include "core/retransfers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "base/mem.h"

enum { KEPT_MS = 3600 * 1000, RENEWED_MS = 300 * 1000 };

enum { KEY_SIZE = sizeof(struct host_key) + NAME_MAX_WIRE };

struct retransfer_key {
	uint8_t octets[KEY_SIZE];
	size_t len;
};

/* A zone on a server. */
struct watched {
	struct watched *next, **link;	/* in the list, the oldest first */
	struct retransfer_key key;
	int64_t watched_ms;		/* when a comparison last found a difference */
	uint32_t serial;		/* of the transfers */
	int transfers;
	char last_id[ID_LEN + 1];	/* of the last fanout that counted */
};

struct retransfers {
	struct map *by_route;
	struct watched *oldest, **newest;
};

struct retransfers *retransfers_new(uint32_t seed)
{
	struct retransfers *retransfers = xcalloc(1, sizeof(*retransfers));

	retransfers->by_route = map_new(seed);
	retransfers->newest = &retransfers->oldest;
	return retransfers;
}

static void retransfers_unlink(struct retransfers *retransfers, struct watched *watched)
{
	*watched->link = watched->next;
	if (watched->next)
		watched->next->link = watched->link;
	else
		retransfers->newest = watched->link;
}

static void retransfers_append(struct retransfers *retransfers, struct watched *watched)
{
	watched->next = NULL;
	watched->link = retransfers->newest;
	*retransfers->newest = watched;
	retransfers->newest = &watched->next;
}

static void retransfers_drop(struct retransfers *retransfers, struct watched *watched)
{
	retransfers_unlink(retransfers, watched);
	map_remove(retransfers->by_route, watched->key.octets, watched->key.len);
	free(watched);
}

void retransfers_free(struct retransfers **retransfers)
{
	struct retransfers *old = *retransfers;

	*retransfers = NULL;
	if (!old)
		return;
	while (old->oldest)
		retransfers_drop(old, old->oldest);
	map_free(&old->by_route);
	free(old);
}

static void retransfers_drop_old(struct retransfers *retransfers, int64_t now_ms)
{
	while (retransfers->oldest &&
	       (map_count(retransfers->by_route) > RETRANSFERS_MAX ||
	        now_ms - retransfers->oldest->watched_ms > KEPT_MS))
		retransfers_drop(retransfers, retransfers->oldest);
}

static struct retransfer_key retransfers_key(const struct name *zone,
                                             const struct address *server)
{
	const struct host_key host = address_host_key(server);
	struct retransfer_key key = { .len = sizeof(host) + zone->len };

	memcpy(key.octets, &host, sizeof(host));
	memcpy(key.octets + sizeof(host), zone->wire, zone->len);
	return key;
}

/* NULL: the processes do not watch the zone on this server. */
static struct watched *retransfers_find(const struct retransfers *retransfers,
                                        const struct name *zone,
                                        const struct address *server)
{
	const struct retransfer_key key = retransfers_key(zone, server);

	return map_get(retransfers->by_route, key.octets, key.len);
}

void retransfers_watch(struct retransfers *retransfers, const struct name *zone,
                       const struct address *server, int64_t now_ms)
{
	struct watched *watched;

	retransfers_drop_old(retransfers, now_ms);
	watched = retransfers_find(retransfers, zone, server);
	if (watched) {
		retransfers_unlink(retransfers, watched);
	} else {
		watched = xcalloc(1, sizeof(*watched));
		watched->key = retransfers_key(zone, server);
		map_put(retransfers->by_route, watched->key.octets, watched->key.len,
		        watched);
	}
	watched->watched_ms = now_ms;
	retransfers_append(retransfers, watched);
	retransfers_drop_old(retransfers, now_ms);
}

void retransfers_count(struct retransfers *retransfers, const struct name *zone,
                       const struct address *server, uint32_t serial, const char *id)
{
	struct watched *watched = retransfers_find(retransfers, zone, server);

	if (!watched || !strcmp(watched->last_id, id))
		return;
	if (watched->serial != serial)
		watched->transfers = 0;
	watched->serial = serial;
	watched->transfers += watched->transfers < RETRANSFERS_COUNT_MAX;
	snprintf(watched->last_id, sizeof(watched->last_id), "%s", id);
}

size_t retransfers_watched(const struct retransfers *retransfers)
{
	return map_count(retransfers->by_route);
}

bool retransfers_is_watched(const struct retransfers *retransfers,
                            const struct name *zone, const struct address *server)
{
	return retransfers->oldest && retransfers_find(retransfers, zone, server);
}

bool retransfers_needs_watch(const struct retransfers *retransfers,
                             const struct name *zone, const struct address *server,
                             int64_t now_ms)
{
	const struct watched *watched = retransfers_find(retransfers, zone, server);

	return !watched || now_ms - watched->watched_ms > RENEWED_MS;
}

int retransfers_of(const struct retransfers *retransfers, const struct name *zone,
                   const struct address *server, uint32_t serial)
{
	const struct watched *watched = retransfers_find(retransfers, zone, server);

	return watched && watched->serial == serial ? watched->transfers : 0;
}
