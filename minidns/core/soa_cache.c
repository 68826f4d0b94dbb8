#include "core/soa_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "dns/packet.h"
#include "model/serial.h"

enum {
	DROPS_A_PUT = 8,	/* of the oldest; more than a put adds */
	ALLOCATION = 16,	/* estimated overhead of malloc() */
};

enum soa_cache_state { VALID, DOUBTED, CHECKING };

/* An entry. Rarely used parts are in `data`. */
struct item {
	struct item *newer, *older;	/* in the order of reading */
	int64_t read_ms;
	uint64_t version;
	uint32_t serial, records, soa_ttl;
	char id[ID_LEN + 1];
	uint8_t state;
	uint8_t pool_len, name_len;
	uint16_t soa_len, record_len;
	uint8_t data[];			/* pool, name, the SOA's rdata, the SOA record */
};

struct soa_cache {
	struct map *by_name;
	struct item *newest, *oldest;
	/* the oldest entry in doubt; entries from it up to a SURE one are in doubt */
	struct item *doubted;
	size_t bytes, budget;
};

struct edition edition_of(const struct domain_ref *domain)
{
	struct edition edition = { .version = domain->version,
	                           .serial = domain->state.serial };

	/* an old program without versions may delete it and keep the serial */
	if (domain->state.task == TASK_DELETE)
		edition.version = 0;
	memcpy(edition.id, domain->id, sizeof(edition.id));
	return edition;
}

bool edition_equal(const struct edition *a, const struct edition *b)
{
	return !strcmp(a->id, b->id) && a->version == b->version &&
	       a->serial == b->serial;
}

struct rr head_soa(const struct head *head)
{
	return (struct rr){
		.name = head->name.wire,
		.type = RR_SOA,
		.ttl = head->soa_ttl,
		.rdata_len = head->soa_len,
		.rdata = head->soa,
	};
}

struct soa_cache *soa_cache_new(uint32_t seed, size_t budget)
{
	struct soa_cache *cache = xcalloc(1, sizeof(*cache));

	cache->by_name = map_new(seed);
	cache->budget = budget;
	return cache;
}

static const uint8_t *soa_cache_name_of(const struct item *item)
{
	return item->data + item->pool_len;
}

static size_t soa_cache_bytes_of(const struct item *item)
{
	return sizeof(*item) + item->pool_len + item->name_len + item->soa_len +
	       item->record_len + map_entry_bytes(item->name_len) + 2 * ALLOCATION;
}

static void soa_cache_remove(struct soa_cache *cache, struct item *item)
{
	*(item->newer ? &item->newer->older : &cache->newest) = item->older;
	*(item->older ? &item->older->newer : &cache->oldest) = item->newer;
	if (cache->doubted == item)
		cache->doubted = item->newer;
	cache->bytes -= soa_cache_bytes_of(item);
	map_remove(cache->by_name, soa_cache_name_of(item), item->name_len);
	free(item);
}

void soa_cache_free(struct soa_cache **cache)
{
	struct soa_cache *old = *cache;

	*cache = NULL;
	if (!old)
		return;
	while (old->oldest)
		soa_cache_remove(old, old->oldest);
	map_free(&old->by_name);
	free(old);
}

static bool soa_cache_is_old(const struct item *item, int64_t now_ms)
{
	return item->read_ms + SOA_CACHE_MS < now_ms;
}

static bool soa_cache_is_usable(const struct item *item, int64_t now_ms)
{
	return item && item->state == VALID && !soa_cache_is_old(item, now_ms);
}

static void soa_cache_make_room(struct soa_cache *cache, int64_t now_ms)
{
	for (int i = 0; i < DROPS_A_PUT && cache->oldest; i++)
		if (cache->bytes > cache->budget ||
		    soa_cache_is_old(cache->oldest, now_ms))
			soa_cache_remove(cache, cache->oldest);
}

/* Encodes the record as it follows a question for the zone. */
static size_t soa_cache_make_record(const struct head *head,
                                    uint8_t record[PACKET_UDP_MAX])
{
	struct rr soa = head_soa(head);
	uint8_t answer[PACKET_UDP_MAX];
	struct packet_writer writer;
	size_t start;

	if (!head->soa_len)
		return 0;
	packet_writer_init(&writer, answer, sizeof(answer));
	packet_put_question(&writer, &head->name, RR_SOA, RR_CLASS_IN);
	start = writer.len;
	packet_put_rr(&writer, &soa);
	memcpy(record, answer + start, writer.len - start);
	return writer.len - start;
}

static const uint8_t *soa_cache_record_of(const struct item *item)
{
	return soa_cache_name_of(item) + item->name_len + item->soa_len;
}

static struct item *soa_cache_item_new(const struct head *head, int64_t read_ms)
{
	size_t pool_len = strlen(head->pool);
	uint8_t record[PACKET_UDP_MAX];
	size_t record_len = soa_cache_make_record(head, record);
	struct item *item = xmalloc(sizeof(*item) + pool_len + head->name.len +
	                            head->soa_len + record_len);

	item->read_ms = read_ms;
	item->state = VALID;
	item->serial = head->serial;
	item->version = head->version;
	item->records = head->records;
	item->soa_ttl = head->soa_ttl;
	memcpy(item->id, head->id, sizeof(item->id));
	item->pool_len = (uint8_t)pool_len;
	item->name_len = head->name.len;
	item->soa_len = head->soa_len;
	memcpy(item->data, head->pool, pool_len);
	memcpy(item->data + pool_len, head->name.wire, head->name.len);
	memcpy(item->data + pool_len + head->name.len, head->soa, head->soa_len);
	item->record_len = (uint16_t)record_len;
	memcpy(item->data + pool_len + head->name.len + head->soa_len, record,
	       record_len);
	return item;
}

void soa_cache_put(struct soa_cache *cache, const struct head *head, int64_t read_ms)
{
	struct item *item = soa_cache_item_new(head, read_ms);

	soa_cache_drop(cache, &head->name);
	item->newer = NULL;
	item->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = item;
	cache->newest = item;
	cache->bytes += soa_cache_bytes_of(item);
	map_put(cache->by_name, head->name.wire, head->name.len, item);
	soa_cache_make_room(cache, read_ms);
}

bool soa_cache_get(const struct soa_cache *cache, const struct name *name, int64_t now_ms,
                   struct head *head)
{
	const struct item *item = map_get(cache->by_name, name->wire, name->len);

	if (!soa_cache_is_usable(item, now_ms))
		return false;
	memcpy(head->id, item->id, sizeof(head->id));
	head->name = *name;
	bug_if(item->pool_len >= sizeof(head->pool) || item->soa_len > sizeof(head->soa));
	memcpy(head->pool, item->data, item->pool_len);
	head->pool[item->pool_len] = '\0';
	head->serial = item->serial;
	head->version = item->version;
	head->records = item->records;
	head->soa_ttl = item->soa_ttl;
	head->soa_len = item->soa_len;
	memcpy(head->soa, soa_cache_name_of(item) + item->name_len, item->soa_len);
	return true;
}

const uint8_t *soa_cache_record(const struct soa_cache *cache, const struct name *name,
                                int64_t now_ms, size_t *len)
{
	const struct item *item = map_get(cache->by_name, name->wire, name->len);

	if (!soa_cache_is_usable(item, now_ms) || !item->record_len)
		return NULL;
	*len = item->record_len;
	return soa_cache_record_of(item);
}

void soa_cache_drop(struct soa_cache *cache, const struct name *name)
{
	struct item *item = map_get(cache->by_name, name->wire, name->len);

	if (item)
		soa_cache_remove(cache, item);
}

bool soa_cache_has(const struct soa_cache *cache, const struct name *name,
                   const struct edition *edition)
{
	const struct item *item = map_get(cache->by_name, name->wire, name->len);

	return item && item->state == VALID && edition->version &&
	       item->version >= edition->version &&
	       !strcmp(item->id, edition->id) &&
	       !serial_newer(edition->serial, item->serial);
}

/* ---- in doubt ---- */

void soa_cache_doubt(struct soa_cache *cache)
{
	if (cache->doubted == cache->oldest && cache->newest &&
	    cache->newest->state == DOUBTED)
		return;			/* all entries are in doubt already */
	for (struct item *at = cache->oldest; at; at = at->newer)
		at->state = DOUBTED;
	cache->doubted = cache->oldest;
}

static void soa_cache_take(struct item *item, struct edition *edition, struct name *name)
{
	item->state = CHECKING;
	memcpy(edition->id, item->id, sizeof(edition->id));
	edition->version = item->version;
	edition->serial = item->serial;
	name->len = item->name_len;
	memcpy(name->wire, soa_cache_name_of(item), item->name_len);
}

static bool soa_cache_has_doubted(const struct soa_cache *cache)
{
	return cache->doubted && cache->doubted->state == DOUBTED;
}

size_t soa_cache_take_doubted(struct soa_cache *cache, int64_t now_ms,
                              struct edition *taken, struct name *names, size_t limit)
{
	size_t count = 0;

	while (soa_cache_has_doubted(cache) && count < limit) {
		struct item *item = cache->doubted;
		bool is_gone = soa_cache_is_old(item, now_ms);

		cache->doubted = item->newer;
		if (is_gone)
			soa_cache_remove(cache, item);
		else
			soa_cache_take(item, &taken[count], &names[count]);
		count += !is_gone;
	}
	return count;
}

void soa_cache_drop_doubted(struct soa_cache *cache)
{
	while (soa_cache_has_doubted(cache))
		soa_cache_remove(cache, cache->doubted);
}

static bool soa_cache_matches(const struct item *item, const struct edition *edition)
{
	return !strcmp(item->id, edition->id) && item->version == edition->version &&
	       item->serial == edition->serial;
}

enum soa_cache_check soa_cache_verify(struct soa_cache *cache, const struct name *name,
                                      const struct edition *stored)
{
	struct item *item = map_get(cache->by_name, name->wire, name->len);

	if (!item || item->state != CHECKING)
		return SOA_CACHE_REPLACED;
	if (stored && soa_cache_matches(item, stored)) {
		item->state = VALID;
		return SOA_CACHE_SAME;
	}
	soa_cache_remove(cache, item);
	return SOA_CACHE_DIFFERS;
}

size_t soa_cache_bytes(const struct soa_cache *cache)
{
	return cache->bytes;
}
