/*
 * map -- from bytes to a pointer, for what is looked up by zone, by server or
 * by both. Keys are copied, values are the caller's. The hash is keyed with
 * random bits, so that nobody outside can aim at one chain.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct map;

struct map *map_new(uint32_t seed);
/* values stay; the caller has freed them */
void map_free(struct map **map);
void *map_get(const struct map *map, const void *key, size_t len);
/* replaces */
void map_put(struct map *map, const void *key, size_t len, void *value);
void *map_remove(struct map *map, const void *key, size_t len);	/* the value, or NULL */
/* What one entry takes, with its share of the map. */
size_t map_entry_bytes(size_t key_len);
size_t map_count(const struct map *map);
/* Some value, NULL when empty: to take it down, which so takes a time by its size. */
void *map_any(struct map *map);
