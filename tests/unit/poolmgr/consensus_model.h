/*
 * consensus_model -- a slow and simple model of the consensus of servers. In the model,
 * a serial is a 64-bit position relative to the wanted serial, and the model tries every
 * position from -MODEL_FAR to 0. The model uses no code of core/consensus.c, so a test
 * can compare the results of both. This file also makes random servers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/consensus.h"

/*
 * no serial of any_observation() is so far behind the wanted serial, except the serial
 * that is neither newer nor older
 */
enum { MODEL_FAR = 8 };

static inline bool model_position(uint32_t serial, uint32_t wanted, int64_t *position)
{
	int64_t ahead = (int64_t)(uint32_t)(serial - wanted);

	if (ahead == INT64_C(0x80000000))
		return false;
	*position = ahead > INT64_C(0x80000000) ? ahead - INT64_C(0x100000000) : ahead;
	return true;
}

static inline bool model_error(const struct observation *s, uint32_t wanted,
                               int64_t *failed)
{
	return (s->status == OBSERVED_ERROR || s->status == OBSERVED_NO_DOMAIN) &&
	       s->has_failed && model_position(s->failed_serial, wanted, failed);
}

static inline bool model_reaches(const struct observation *s, uint32_t wanted, int64_t at)
{
	int64_t position, failed;

	if (!s->has_serial || !model_position(s->serial, wanted, &position))
		return false;
	if (model_error(s, wanted, &failed) && position >= failed)
		position = failed - 1;
	return position <= 0 && position >= at;
}

static inline bool model_failed(const struct observation *s, uint32_t wanted, int64_t at)
{
	int64_t failed;

	return model_error(s, wanted, &failed) && failed >= at &&
	       !model_reaches(s, wanted, at);
}

/*
 * Returns OK / N in whole percent, rounded. The result is 100 only if OK is equal to N.
 */
static inline int model_share(size_t ok, size_t n)
{
	int percent = (int)((double)ok / (double)n * 100 + 0.5 + 1e-9);

	return ok < n && percent == 100 ? 99 : percent;
}

static inline struct consensus model(const struct observation *servers, size_t n,
                                     int threshold, uint32_t wanted)
{
	struct consensus want = { 0 };

	for (int64_t at = -MODEL_FAR; at <= 0; at++) {
		size_t ok = 0;

		for (size_t i = 0; i < n; i++)
			ok += model_reaches(&servers[i], wanted, at);
		if (model_share(ok, n) >= threshold && (ok > 0 || at == 0)) {
			want.reached = true;
			want.serial = wanted + (uint32_t)at;
		}
	}
	for (int64_t at = -MODEL_FAR; at <= 0; at++) {
		uint32_t serial = wanted + (uint32_t)at;
		size_t bad = 0;

		for (size_t i = 0; i < n; i++)
			bad += model_failed(&servers[i], wanted, at);
		if (model_share(n - bad, n) >= threshold || bad == 0)
			continue;
		if (want.reached && (int32_t)(serial - want.serial) <= 0)
			continue;
		want.failed = true;
		want.failed_serial = serial;
	}
	return want;
}

static inline uint32_t noise(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Returns a random serial near 0, 2^31 or 2^32. */
static inline uint32_t any_serial(uint32_t *state)
{
	static const uint32_t around[] = {
		0, 1, 2, 7,
		UINT32_C(0x7fffffff), UINT32_C(0x80000000), UINT32_C(0x80000001),
		UINT32_C(0xfffffffe), UINT32_C(0xffffffff),
	};

	return around[noise(state) % (sizeof(around) / sizeof(around[0]))];
}

static inline struct observation any_observation(uint32_t *state, uint32_t wanted)
{
	struct observation s = {
		.status = noise(state) % 4,
		.has_serial = noise(state) % 4 != 0,
		.serial = wanted - 3 + noise(state) % 6,
		.has_failed = noise(state) % 4 != 0,
		.failed_serial = wanted - 3 + noise(state) % 5,
	};

	/* sometimes a serial that is neither newer nor older than WANTED (RFC 1982) */
	if (noise(state) % 32 == 0)
		s.serial = wanted + UINT32_C(0x80000000), s.has_failed = false;
	return s;
}
