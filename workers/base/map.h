/*
 * map -- a hash map from bytes to a pointer. The map copies the keys. The caller owns
 * the values. The hash has a random seed, so that no peer can choose keys with equal
 * hashes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct map;

struct map *map_new(uint32_t seed);
/* Frees the map, but not the values. */
void map_free(struct map **map);
void *map_get(const struct map *map, const void *key, size_t len);
/* Adds the key with the value, or replaces the value of an existing key. */
void map_put(struct map *map, const void *key, size_t len, void *value);
/* Removes the key. Returns the value of the key. NULL: the map does not have the key. */
void *map_remove(struct map *map, const void *key, size_t len);
/* Returns the memory that one entry needs, in bytes, including its part of the table. */
size_t map_entry_bytes(size_t key_len);
size_t map_count(const struct map *map);
/*
 * Returns the value of any key. NULL: the map is empty. With map_any() and map_remove(),
 * a caller can empty a map in linear time.
 */
void *map_any(struct map *map);
