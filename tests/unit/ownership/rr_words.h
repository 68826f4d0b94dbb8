/*
 * rr_words -- makes names and records from text, for the tests of plans. In the text of
 * data, "+" is a space. `usual` contains the rules that most of these tests use.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan.h"
#include "core/share.h"
#include "model/presentation.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { TTL = 300 };

static const struct plan_rules usual = {
	.types = { RR_A, RR_AAAA, RR_CNAME, RR_PTR, RR_TXT, RR_SRV, RR_MX, RR_NS },
	.type_count = 8,
	.ttl = TTL,
	.max_delete_pct = 100, .max_update_pct = 100,
};

static struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

static __attribute__((unused)) uint16_t type_of(const char *text)
{
	uint16_t type;
	struct why why;

	assert_int_equal(rrtype_parse(text, "type", &type, &why), OK);
	return type;
}

static struct rdata rdata_of(uint16_t type, const char *text, struct arena *arena)
{
	char *spaced = arena_strdup(arena, text);
	struct rdata rdata;
	struct why why;

	for (char *at = spaced; (at = strchr(at, '+')); )
		*at = ' ';
	assert_int_equal(rdata_parse(type, spaced, "data", arena, &rdata.octets,
	                             &rdata.len, &why), OK);
	return rdata;
}
