#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct entry {
	struct entry *next;
	void *value;
	uint32_t hash;
	size_t len;
	uint8_t key[];
};

struct map {
	struct entry **chains;
	size_t size, count;		/* size is a power of two */
	/* all chains before it are empty, even after a split */
	size_t first;
	uint32_t seed;
};

enum { FIRST_SIZE = 16 };

struct map *map_new(uint32_t seed)
{
	struct map *map = xcalloc(1, sizeof(*map));

	map->seed = seed;
	map->size = FIRST_SIZE;
	map->chains = xcalloc(map->size, sizeof(*map->chains));
	return map;
}

void map_free(struct map **map)
{
	struct map *old = *map;

	*map = NULL;
	if (!old)
		return;
	for (size_t i = 0; i < old->size; i++)
		while (old->chains[i]) {
			struct entry *entry = old->chains[i];

			old->chains[i] = entry->next;
			free(entry);
		}
	free(old->chains);
	free(old);
}

/* One-at-a-time hash (Jenkins); the seed comes first. */
static uint32_t map_hash(const struct map *map, const uint8_t *key, size_t len)
{
	uint32_t hash = map->seed;

	for (size_t i = 0; i < len; i++) {
		hash += key[i];
		hash += hash << 10;
		hash ^= hash >> 6;
	}
	hash += hash << 3;
	hash ^= hash >> 11;
	return hash + (hash << 15);
}

/* Returns the link to the entry, or the link where a new entry belongs. */
static struct entry **map_find(const struct map *map, uint32_t hash, const void *key,
                               size_t len)
{
	struct entry **at = &map->chains[hash & (map->size - 1)];

	while (*at &&
	       ((*at)->hash != hash || (*at)->len != len || memcmp((*at)->key, key, len)))
		at = &(*at)->next;
	return at;
}

static void map_double_size(struct map *map)
{
	size_t size = 2 * map->size;
	struct entry **chains = xcalloc(size, sizeof(*chains));

	for (size_t i = 0; i < map->size; i++)
		while (map->chains[i]) {
			struct entry *entry = map->chains[i];
			struct entry **to = &chains[entry->hash & (size - 1)];

			map->chains[i] = entry->next;
			entry->next = *to;
			*to = entry;
		}
	free(map->chains);
	map->chains = chains;
	map->size = size;
}

void *map_get(const struct map *map, const void *key, size_t len)
{
	struct entry *entry = *map_find(map, map_hash(map, key, len), key, len);

	return entry ? entry->value : NULL;
}

void map_put(struct map *map, const void *key, size_t len, void *value)
{
	uint32_t hash = map_hash(map, key, len);
	struct entry **at = map_find(map, hash, key, len);
	struct entry *entry = *at;

	if (!entry) {
		entry = *at = xcalloc(1, sizeof(*entry) + len);
		entry->hash = hash;
		entry->len = len;
		memcpy(entry->key, key, len);
		map->count++;
		if (map->first > (hash & (map->size - 1)))
			map->first = hash & (map->size - 1);
	}
	entry->value = value;
	if (map->count > map->size)
		map_double_size(map);
}

void *map_remove(struct map *map, const void *key, size_t len)
{
	struct entry **at = map_find(map, map_hash(map, key, len), key, len);
	struct entry *entry = *at;
	void *value;

	if (!entry)
		return NULL;
	value = entry->value;
	*at = entry->next;
	free(entry);
	map->count--;
	return value;
}

size_t map_entry_bytes(size_t key_len)
{
	/* each entry may need two chains */
	return sizeof(struct entry) + key_len + 2 * sizeof(struct entry *);
}

size_t map_count(const struct map *map)
{
	return map->count;
}

void *map_any(struct map *map)
{
	if (!map->count)
		return NULL;
	while (!map->chains[map->first])
		map->first++;
	return map->chains[map->first]->value;
}
