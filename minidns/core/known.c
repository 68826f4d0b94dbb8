#include "core/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/map.h"
#include "core/packet.h"

enum {
	DROPS_A_PUT = 8,	/* of the smallest; that is more than the largest */
	ALLOCATION = 16,	/* what malloc takes for itself, about */
};

/* A head, as far as it differs from others; what is cold is in `data`. */
struct item {
	struct item *newer, *older;	/* in the order of their reading */
	int64_t read_ms;
	uint32_t serial, records, soa_ttl;
	char id[ID_LEN + 1];
	uint8_t pool_len, name_len;
	uint16_t soa_len, record_len;
	uint8_t data[];			/* pool, name, the SOA's rdata, its record */
};

struct known {
	struct map *by_name;
	struct item *newest, *oldest;
	size_t bytes, budget;
};

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

void known_free(struct known **known)
{
	struct known *old = *known;

	*known = NULL;
	if (!old)
		return;
	known_forget_all(old);
	map_free(&old->by_name);
	free(old);
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
	known->bytes -= bytes_of(item);
	map_remove(known->by_name, name_of(item), item->name_len);
	free(item);
}

static bool is_old(const struct item *item, int64_t now_ms)
{
	return item->read_ms + KNOWN_MS < now_ms;
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
	item->serial = head->serial;
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

	if (!item || is_old(item, now_ms))
		return false;
	memcpy(head->id, item->id, sizeof(head->id));
	head->name = *name;
	memcpy(head->pool, item->data, item->pool_len);
	head->pool[item->pool_len] = '\0';
	head->serial = item->serial;
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

	if (!item || !item->record_len || is_old(item, now_ms))
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

void known_forget_all(struct known *known)
{
	while (known->oldest)
		drop(known, known->oldest);
}

size_t known_bytes(const struct known *known)
{
	return known->bytes;
}
