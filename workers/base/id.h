/*
 * id -- identifiers: 32 hexadecimal digits, lower case (CHAR(32) in the
 * tables, `_unique_id` on the wire). id_new() puts the time first, so that
 * rows made one after the other stand side by side in an index;
 * id_random() tells nothing. Both from getrandom(2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ID_LEN = 32, RANDOM_MAX = 256 };

void id_new(char id[ID_LEN + 1]);
void id_random(char id[ID_LEN + 1]);
/* 32 lower-case hex digits, or a UUID with dashes. */
bool id_valid(const char *text);
/* 32 hex digits from either form; false if it is neither. */
bool id_parse(const char *text, char id[ID_LEN + 1]);
uint32_t random_u32(void);
/* SIZE octets, at most RANDOM_MAX, that nobody can guess. */
void random_fill(void *into, size_t size);
