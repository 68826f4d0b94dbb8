/*
 * serial -- compares zone serials by RFC 1982. Serials have 32 bits and wrap around. Two
 * serials exactly 2^31 apart have no order: neither serial is newer than the other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool serial_newer(uint32_t a, uint32_t b);	/* true: A is newer than B */
bool serial_covers(uint32_t a, uint32_t b);	/* true: A is equal to B or newer */
/* Returns SERIAL + 1, or NOW if NOW is newer than SERIAL + 1. */
uint32_t serial_next(uint32_t serial, uint32_t now);
