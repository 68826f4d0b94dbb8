/*
 * zone_words -- zones and wishes in words, for the tests of what is planned.
 *
 * "www/A:192.0.2.1" is a record, of "www" without it, of the apex with "=/"; the mark of
 * such a set is "A~us", "A~them", "A~mate" (another heritage) or "A~bad". "A@port/1:…" is
 * wanted by that resource, else it is by "test/1", as marks say; "A%60:…" has a TTL. In
 * data "+" is a space. "A&:…" is wanted as a part, "A&~us=192.0.2.1,192.0.2.2" the mark
 * of such an owner.
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

struct token {
	char owner[64], type[16], resource[64];
	const char *data;
	uint32_t ttl;
	bool is_mark, is_shared;
};

static struct token token_of(const char *text)
{
	struct token token = { .ttl = 0 };
	const char *slash = strchr(text, '/'), *end = strpbrk(text, ":~");
	const char *type = text;

	assert_non_null(end);
	strcpy(token.owner, "www.example.com.");
	strcpy(token.resource, "test/1");
	if (slash && slash < strpbrk(text, ":~@%&")) {
		bool is_apex = text[0] == '=';

		snprintf(token.owner, sizeof(token.owner), "%.*s%sexample.com.",
		         is_apex ? 0 : (int)(slash - text), text, is_apex ? "" : ".");
		type = slash + 1;
	}
	size_t len = strcspn(type, ":~@%&");
	memcpy(token.type, type, len);
	if (type[len] == '@')
		snprintf(token.resource, sizeof(token.resource), "%.*s",
		         (int)(end - type - len - 1), type + len + 1);
	if (type[len] == '%')
		token.ttl = (uint32_t)strtoul(type + len + 1, NULL, 10);
	token.is_shared = type[len] == '&';
	token.is_mark = *end == '~';
	token.data = end + 1;
	return token;
}

static struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

static uint16_t type_of(const char *text)
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

static void set_owner(struct mark *mark, const struct token *token, struct arena *arena)
{
	char *owner = arena_strdup(arena, token->data), *part = owner;
	struct rrset set = { .type = type_of(token->type) };

	strsep(&part, "=");
	mark_set(mark, "owner", owner);
	if (!token->is_shared)
		return;
	for (char *data; (data = strsep(&part, ",")); )
		if (*data)
			rrset_push(&set, TTL, rdata_of(set.type, data, arena), arena);
	rrset_sort(&set);
	mark_set(mark, "shared", "true");
	mark_set(mark, "part", share_part(&set, arena));
}

static void add_mark(struct view *view, const struct token *token)
{
	struct name name = name_of(token->owner), at;
	struct buf rdata = { 0 };
	struct mark mark = { 0 };
	struct why why;

	assert_int_equal(mark_name(&mark_form_ours, &name, type_of(token->type),
	                           view_zone(view), &at, &why), OK);
	if (!strcmp(token->data, "mate")) {
		buf_u8(&rdata, 18);
		buf_text(&rdata, "heritage=mate,x=us");
	} else if (!strcmp(token->data, "bad")) {
		buf_u8(&rdata, 21);
		buf_text(&rdata, "heritage=external-dns");
	} else {
		set_owner(&mark, token, view_arena(view));
		mark_set(&mark, "resource", token->resource);
		mark_write(&mark, false, &rdata);
	}
	view_add(view, &at, RR_TXT, TTL,
	         (struct rdata){ rdata.data, (uint16_t)rdata.len });
	buf_clear(&rdata);
}

static void add_record(struct view *view, const struct token *token)
{
	struct name name = name_of(token->owner);
	uint16_t type = type_of(token->type);

	view_add(view, &name, type, TTL, rdata_of(type, token->data, view_arena(view)));
}

static void want(struct view *view, const struct token *token)
{
	struct name name = name_of(token->owner);
	uint16_t type = type_of(token->type);
	struct rdata rdata = rdata_of(type, token->data, view_arena(view));
	struct wish wish = {
		.want = { type, token->ttl, 1, 1, &rdata },
		.has_ttl = token->ttl,
		.is_shared = token->is_shared,
		.resource = arena_strdup(view_arena(view), token->resource),
	};

	plan_want(view, &name, &wish);
}

static void each_token(struct view *view, const char *text,
                       void (*with)(struct view *view, const struct token *token))
{
	char *copy = arena_strdup(view_arena(view), text);

	for (char *word; (word = strsep(&copy, " ")); )
		if (*word) {
			struct token token = token_of(word);

			with(view, &token);
		}
}

static void put_in_zone(struct view *view, const struct token *token)
{
	if (token->is_mark)
		add_mark(view, token);
	else
		add_record(view, token);
}

static const struct view_marks marks_of_us = {
	.owner = "us", .form = { .prefix = "_own-%{record_type}.", .wildcard = "_wildcard" },
};

static void settle(struct view *view)
{
	view_settle(view, &marks_of_us);
}

static struct view *view_of(const char *zone)
{
	struct name apex = name_of("example.com.");
	struct view *view = view_new(&apex, 1);

	each_token(view, zone, put_in_zone);
	settle(view);
	return view;
}
