#include "core/soa_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "dns/packet.h"
#include "model/serial.h"

enum {
	DROPS_A_PUT = 8,	/* of the smallest; that is more than the largest */
	ALLOCATION = 16,	/* what malloc takes for itself, about */
};

enum belief { SURE, DOUBTED, TAKEN };

/* A head, as far as it differs from others; what is cold is in `data`. */
struct item {
	struct item *newer, *older;	/* in the order of their reading */
	int64_t read_ms;
	uint64_t version;
	uint32_t serial, records, soa_ttl;
	char id[ID_LEN + 1];
	uint8_t belief;
	uint8_t pool_len, name_len;
	uint16_t soa_len, record_len;
	uint8_t data[];			/* pool, name, the SOA's rdata, its record */
};

struct known {
	struct map *by_name;
	struct item *newest, *oldest;
	struct item *doubted;		/* the oldest that is; all up to a SURE one are */
	size_t bytes, budget;
};

struct edition edition_of(const struct domain_ref *domain)
{
	struct edition edition = { .version = domain->version,
	                           .serial = domain->state.serial };

	/* whoever deletes it may know no versions, and leaves the serial as it is */
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

struct known *known_new(uint32_t seed, size_t budget)
{
	struct known *known = xcalloc(1, sizeof(*known));

	known->by_name = map_new(seed);
	known->budget = budget;
	return known;
}

static const uint8_t *name_of(const struct item *item)
{
	return item->data + item->pool_len;
}

static size_t bytes_of(const struct item *item)
{
	return sizeof(*item) + item->pool_len + item->name_len + item->soa_len +
	       item->record_len + map_entry_bytes(item->name_len) + 2 * ALLOCATION;
}

static void drop(struct known *known, struct item *item)
{
	*(item->newer ? &item->newer->older : &known->newest) = item->older;
	*(item->older ? &item->older->newer : &known->oldest) = item->newer;
	if (known->doubted == item)
		known->doubted = item->newer;
	known->bytes -= bytes_of(item);
	map_remove(known->by_name, name_of(item), item->name_len);
	free(item);
}

void known_free(struct known **known)
{
	struct known *old = *known;

	*known = NULL;
	if (!old)
		return;
	while (old->oldest)
		drop(old, old->oldest);
	map_free(&old->by_name);
	free(old);
}

static bool is_old(const struct item *item, int64_t now_ms)
{
	return item->read_ms + KNOWN_MS < now_ms;
}

static bool is_usable(const struct item *item, int64_t now_ms)
{
	return item && item->belief == SURE && !is_old(item, now_ms);
}

static void make_room(struct known *known, int64_t now_ms)
{
	for (int i = 0; i < DROPS_A_PUT && known->oldest; i++)
		if (known->bytes > known->budget || is_old(known->oldest, now_ms))
			drop(known, known->oldest);
}

/* Behind a question for it, of which there is nothing in it. */
static size_t make_record(const struct head *head, uint8_t record[PACKET_UDP_MAX])
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

static const uint8_t *record_of(const struct item *item)
{
	return name_of(item) + item->name_len + item->soa_len;
}

static struct item *item_new(const struct head *head, int64_t read_ms)
{
	size_t pool_len = strlen(head->pool);
	uint8_t record[PACKET_UDP_MAX];
	size_t record_len = make_record(head, record);
	struct item *item = xmalloc(sizeof(*item) + pool_len + head->name.len +
	                            head->soa_len + record_len);

	item->read_ms = read_ms;
	item->belief = SURE;
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

void known_put(struct known *known, const struct head *head, int64_t read_ms)
{
	struct item *item = item_new(head, read_ms);

	known_forget(known, &head->name);
	item->newer = NULL;
	item->older = known->newest;
	*(known->newest ? &known->newest->newer : &known->oldest) = item;
	known->newest = item;
	known->bytes += bytes_of(item);
	map_put(known->by_name, head->name.wire, head->name.len, item);
	make_room(known, read_ms);
}

bool known_get(const struct known *known, const struct name *name, int64_t now_ms,
               struct head *head)
{
	const struct item *item = map_get(known->by_name, name->wire, name->len);

	if (!is_usable(item, now_ms))
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
	memcpy(head->soa, name_of(item) + item->name_len, item->soa_len);
	return true;
}

const uint8_t *known_soa_record(const struct known *known, const struct name *name,
                                int64_t now_ms, size_t *len)
{
	const struct item *item = map_get(known->by_name, name->wire, name->len);

	if (!is_usable(item, now_ms) || !item->record_len)
		return NULL;
	*len = item->record_len;
	return record_of(item);
}

void known_forget(struct known *known, const struct name *name)
{
	struct item *item = map_get(known->by_name, name->wire, name->len);

	if (item)
		drop(known, item);
}

bool known_has(const struct known *known, const struct name *name,
               const struct edition *edition)
{
	const struct item *item = map_get(known->by_name, name->wire, name->len);

	return item && item->belief == SURE && edition->version &&
	       item->version >= edition->version &&
	       !strcmp(item->id, edition->id) &&
	       !serial_newer(edition->serial, item->serial);
}

/* ---- in doubt ---- */

void known_doubt(struct known *known)
{
	if (known->doubted == known->oldest && known->newest &&
	    known->newest->belief == DOUBTED)
		return;			/* all is already */
	for (struct item *at = known->oldest; at; at = at->newer)
		at->belief = DOUBTED;
	known->doubted = known->oldest;
}

static void take(struct item *item, struct edition *edition, struct name *name)
{
	item->belief = TAKEN;
	memcpy(edition->id, item->id, sizeof(edition->id));
	edition->version = item->version;
	edition->serial = item->serial;
	name->len = item->name_len;
	memcpy(name->wire, name_of(item), item->name_len);
}

static bool is_any_doubted(const struct known *known)
{
	return known->doubted && known->doubted->belief == DOUBTED;
}

size_t known_take_doubted(struct known *known, int64_t now_ms, struct edition *taken,
                          struct name *names, size_t limit)
{
	size_t count = 0;

	while (is_any_doubted(known) && count < limit) {
		struct item *item = known->doubted;
		bool is_gone = is_old(item, now_ms);

		known->doubted = item->newer;
		if (is_gone)
			drop(known, item);
		else
			take(item, &taken[count], &names[count]);
		count += !is_gone;
	}
	return count;
}

void known_forget_doubted(struct known *known)
{
	while (is_any_doubted(known))
		drop(known, known->doubted);
}

static bool is_of(const struct item *item, const struct edition *edition)
{
	return !strcmp(item->id, edition->id) && item->version == edition->version &&
	       item->serial == edition->serial;
}

enum settled known_settle(struct known *known, const struct name *name,
                          const struct edition *stored)
{
	struct item *item = map_get(known->by_name, name->wire, name->len);

	if (!item || item->belief != TAKEN)
		return SETTLED_OTHERWISE;
	if (stored && is_of(item, stored)) {
		item->belief = SURE;
		return SETTLED_SAME;
	}
	drop(known, item);
	return SETTLED_DIFFERS;
}

size_t known_bytes(const struct known *known)
{
	return known->bytes;
}
