/*
 * zone_words -- makes zones and desired record sets from text, for the tests of plans.
 * The words of a text are:
 *
 *	www/A:192.0.2.1		an A record of www.example.com.
 *	A:192.0.2.1		the same, because the default owner is "www"
 *	=/A:192.0.2.1		a record of the apex
 *	A%60:192.0.2.1		a record with the TTL 60
 *	A@port/1:192.0.2.1	a record of the resource port/1; the default is test/1
 *	A&:192.0.2.1		a record that is a part of a shared record set
 *	A~us, A~them		the mark of the A record set; its owner is "us" or "them"
 *	A~mate, A~bad		a mark with another heritage; a mark without an owner
 *	A&~us=192.0.2.1,...	the mark of the part of "us" in a shared record set
 *	A~us!txt-		a mark in the form "txt-" (forms.h), not in words_form
 *	A~us!plain?		a mark without the type, as in an old external-dns
 *
 * In data, "+" is a space.
 */
#pragma once

#include "forms.h"
#include "rr_words.h"

/*
 * The current and the former form of the marks of "us". The view reads marks in both
 * forms. New marks have the current form, words_form. words_former NULL: there is no
 * former form.
 */
static const char *words_form = "ours", *words_former;

struct token {
	char owner[64], type[16], resource[64];
	const char *data, *form;
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
	token.form = token.is_mark ? strchr(token.data, '!') : NULL;
	return token;
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

/* Returns the name of a mark without a type: OWNER with the prefix and suffix of FORM. */
static struct name untyped_place(const struct mark_form *form, const char *owner)
{
	char text[256];
	int first = (int)strcspn(owner, ".");

	snprintf(text, sizeof(text), "%s%.*s%s%s", form->prefix, first, owner,
	         form->suffix, owner + first);
	return name_of(text);
}

static struct name mark_place(const struct token *token, const struct mark_form *form,
                              bool is_typed, const struct name *zone)
{
	struct name name = name_of(token->owner), at;
	struct why why;

	if (!is_typed)
		return untyped_place(form, token->owner);
	assert_int_equal(mark_name(form, &name, type_of(token->type), zone, &at, &why),
	                 OK);
	return at;
}

static void write_mark(const struct token *token, bool is_bare, struct mark *mark,
                       struct buf *rdata, struct arena *arena)
{
	char *owner = arena_strdup(arena, token->data);
	struct token own = *token;

	owner[strcspn(owner, "!")] = '\0';
	own.data = owner;
	if (!strcmp(owner, "mate")) {
		buf_u8(rdata, 18);
		buf_text(rdata, "heritage=mate,x=us");
	} else if (!strcmp(owner, "bad")) {
		buf_u8(rdata, 21);
		buf_text(rdata, "heritage=external-dns");
	} else {
		set_owner(mark, &own, arena);
		mark_set(mark, "resource", arena_strdup(arena, token->resource));
		mark_write(mark, is_bare, rdata);
	}
}

/*
 * Adds a mark that comes from a table, not from the zone. The mark must be valid as long
 * as VIEW.
 */
static void claim_mark(struct view *view, const struct token *token)
{
	struct arena *arena = view_arena(view);
	struct mark *mark = arena_alloc(arena, sizeof(*mark));
	struct name name = name_of(token->owner);
	struct buf rdata = { 0 };

	write_mark(token, false, mark, &rdata, arena);
	view_claim(view, &name, type_of(token->type), mark);
	buf_clear(&rdata);
}

static void add_mark(struct view *view, const struct token *token)
{
	char word[32];
	bool is_typed;
	struct mark_form form;
	struct name at, name = name_of(token->owner);
	struct buf rdata = { 0 };
	struct mark mark = { 0 };

	snprintf(word, sizeof(word), "%s", token->form ? token->form + 1 : words_form);
	is_typed = !strchr(word, '?');
	word[strcspn(word, "?")] = '\0';
	form = form_named(word);
	if (form.is_none) {
		claim_mark(view, token);
		return;
	}
	at = mark_place(token, &form, is_typed, view_zone(view));
	write_mark(token, form.is_same && name_equal(&name, &at), &mark, &rdata,
	           view_arena(view));
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
	struct desired desired = {
		.rrset = { type, token->ttl, 1, 1, &rdata },
		.has_ttl = token->ttl,
		.is_shared = token->is_shared,
		.resource = arena_strdup(view_arena(view), token->resource),
	};

	plan_add_endpoint(view, &name, &desired);
}

static void made(struct view *view, const struct token *token)
{
	struct name name = name_of(token->owner);
	uint16_t type = type_of(token->type);
	struct rrset set = { .type = type };

	rrset_push(&set, TTL, rdata_of(type, token->data, view_arena(view)),
	           view_arena(view));
	plan_add_owned(view, &name, &set);
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

static void settle(struct view *view)
{
	struct mark_form former = form_named(words_former ? words_former : "none");

	view_settle(view, &(struct mark_settings){
		.owner = "us", .form = form_named(words_form),
		.former = words_former ? &former : NULL,
	});
}

static struct view *view_of(const char *zone)
{
	struct name apex = name_of("example.com.");
	struct view *view = view_new(&apex, 1);

	each_token(view, zone, put_in_zone);
	settle(view);
	return view;
}
