/*
 * id -- identifiers of 32 hexadecimal digits in lower case (CHAR(32) in tables,
 * `_unique_id` on the wire). An id from id_new() begins with the time, so that new rows
 * are close to each other in an index. All digits of an id from id_random() are random.
 * Both functions use getrandom(2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ID_LEN = 32, RANDOM_MAX = 256 };

void id_new(char id[ID_LEN + 1]);
void id_random(char id[ID_LEN + 1]);
/* True: TEXT is 32 lower-case hexadecimal digits, or a UUID with dashes. */
bool id_valid(const char *text);
/*
 * Reads TEXT in one of the two forms of id_valid(), and writes the 32 hexadecimal digits
 * to ID. False: TEXT has a different form.
 */
bool id_parse(const char *text, char id[ID_LEN + 1]);
uint32_t random_u32(void);
/* Writes SIZE random octets that an attacker cannot guess. SIZE is at most RANDOM_MAX. */
void random_fill(void *into, size_t size);
