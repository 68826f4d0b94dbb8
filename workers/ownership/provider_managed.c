#include "provider.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/pages.h"
#include "dns/canonical.h"
#include "model/json.h"
#include "model/presentation.h"
#include "registry.h"
#include "runtime/loop.h"
#include "runtime/rpc.h"
#include "runtime/worker.h"

/*
 * A domain of our own: central has it, page by page, and changes it in one transaction
 * that looks first whether each set is as the plan found it ("expect").
 */

enum {
	CALL_MS = 20 * 1000,
	LINES = 20000,			/* of a page */
};

static const struct rpc_target central = { .topic = "central" };

struct domain_link {
	struct registry *registry;
	struct rpc_client *rpc;
	struct loop_timer *failure;	/* of a call that could not even be made */
	struct rpc_answer failed;
	rpc_answer_fn *answered;
	struct arena *arena;
	/* a domain that is read, or its serial */
	struct view *view;
	provider_read_fn *was_read;
	struct pages pages;
	json_t *lines;			/* of each page, until all are there */
	uint32_t serial;
	/* or changes on their way */
	provider_sent_fn *was_sent;
	void *self;
	char words[256];
	struct canonical record;
};

static void link_close(struct domain_link *link)
{
	rpc_cancel(link->rpc, link);
	loop_timer_cancel(link->failure);
	arena_reset(link->arena);
	json_array_clear(link->lines);
	link->was_read = NULL;
	link->was_sent = NULL;
}

static void on_failure(void *self)
{
	struct domain_link *link = self;

	link->answered(link, &link->failed);
}

static void ask_central(struct domain_link *link, const char *method, json_t *args,
                        rpc_answer_fn *answered)
{
	link->answered = answered;
	link->failed = (struct rpc_answer){ .class = "" };
	link->failed.err = rpc_call(link->rpc, &central, method, args, NULL, CALL_MS,
	                            answered, link, &link->failed.why);
	json_decref(args);
	if (link->failed.err)
		loop_timer_set(link->failure, 0);
}

/* ---- a domain ---- */

static void end_reading(struct domain_link *link, const char *fault)
{
	provider_read_fn *was_read = link->was_read;
	void *self = link->self;
	uint32_t serial = link->serial;

	if (fault)
		snprintf(link->words, sizeof(link->words), "central: %.200s", fault);
	link_close(link);
	was_read(self, fault ? link->words : NULL, serial);
}

static enum err take_record(struct domain_link *link, const struct name *name,
                            const struct rr *rr, struct why *why)
{
	const struct canonical *record = &link->record;
	char text[NAME_MAX_TEXT + 1];

	if (!canonical_of_rr(rr, &link->record))
		return fail(why, ERR_REMOTE, "records of a domain that are none");
	if (view_add(link->view, name, rr->type, rr->ttl,
	             (struct rdata){ record->octets + record->rdata,
	                             (uint16_t)(record->len - record->rdata) }))
		return OK;
	name_format(name, text);
	return fail(why, ERR_REMOTE,
	            "the domain has more than %d types of records at %.200s",
	            VIEW_TYPES_MAX, text);
}

/*
 * "www.example.org. 300 IN A 192.0.2.1": what export_domain prints. The first line of all
 * is the SOA, which is nobody's but central's.
 */
static enum err take_line(struct domain_link *link, char *line, bool is_first,
                          struct why *why)
{
	char *owner = strsep(&line, " "), *ttl = strsep(&line, " ");
	char *class = strsep(&line, " "), *type = strsep(&line, " ");
	struct name name;
	struct rr rr = { .name = name.wire };
	enum err err;

	if (!line || strcmp(class, "IN"))
		return fail(why, ERR_REMOTE, "a line of the export is no record");
	err = name_parse(owner, "name", &name, why);
	if (!err)
		err = rrtype_parse(type, "type", &rr.type, why);
	if (!err && is_first && rr.type == RR_SOA)
		return OK;
	if (!err)
		err = rdata_parse(rr.type, line, "records", link->arena, &rr.rdata,
		                  &rr.rdata_len, why);
	if (err)
		return err;
	rr.ttl = (uint32_t)strtoul(ttl, NULL, 10);
	return take_record(link, &name, &rr, why);
}

static enum err take_lines(struct domain_link *link, const json_t *lines, bool is_first,
                           struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < json_array_size(lines); i++) {
		const char *text = json_string_value(json_array_get(lines, i));

		if (!text)
			return fail(why, ERR_REMOTE, "a line of the export is no text");
		err = take_line(link, arena_strdup(link->arena, text), is_first && !i,
		                why);
		arena_reset(link->arena);
	}
	return err;
}

static enum err take_domain(struct domain_link *link, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < json_array_size(link->lines); i++)
		err = take_lines(link, json_array_get(link->lines, i), !i, why);
	return err;
}

static void ask_page(struct domain_link *link, const char *marker);

static enum err decode_page(const json_t *json, struct page *page, const json_t **lines,
                            const char **marker, struct why *why)
{
	enum err err = json_get_array(json, "lines", JSON_REQUIRED, LINES, lines, why);

	*page = (struct page){ 0 };
	if (!err)
		err = json_get_u32(json, "serial", JSON_REQUIRED, UINT32_MAX,
		                   &page->serial, why);
	if (!err)
		err = json_get_text(json, "marker", 0, 64, marker, why);
	if (err)
		return err;
	page->records = json_array_size(*lines);
	for (size_t i = 0; i < page->records; i++)
		page->octets += json_string_length(json_array_get(*lines, i));
	return OK;
}

/* *marker: of the page to be asked for next; *is_last: of none. */
static enum err take_page(struct domain_link *link, const json_t *json,
                          const char **marker, bool *is_last, struct why *why)
{
	const json_t *lines;
	struct page page;
	bool is_another;
	enum err err = decode_page(json, &page, &lines, marker, why);

	if (!err)
		err = pages_take(&link->pages, &page, clock_ms(), &is_another, why);
	if (err)
		return err;
	*is_last = !is_another && !*marker;
	if (is_another) {
		json_array_clear(link->lines);
		*marker = NULL;
	} else {
		json_array_append(link->lines, (json_t *)lines);
	}
	link->serial = page.serial;
	return OK;
}

static void hear_page(void *self, const struct rpc_answer *answer)
{
	struct domain_link *link = self;
	const char *marker = NULL;
	bool is_last = false;
	struct why why = answer->why;
	enum err err = answer->err;

	if (!err)
		err = take_page(link, answer->result, &marker, &is_last, &why);
	if (!err && !is_last) {
		ask_page(link, marker);
		return;
	}
	if (!err)
		err = take_domain(link, &why);
	end_reading(link, err ? why.text : NULL);
}

static void ask_page(struct domain_link *link, const char *marker)
{
	ask_central(link, "export_domain",
	            json_pack("{s:s, s:s?}", "domain", link->registry->zone_text,
	                      "marker", marker), hear_page);
}

static void read_domain(struct registry *registry, struct view *view,
                        provider_read_fn *done, void *self)
{
	static const struct axfr_limits limits = { PROVIDER_RECORDS_MAX,
	                                           PROVIDER_OCTETS_MAX };
	struct domain_link *link = registry->link;

	link_close(link);
	link->view = view;
	link->was_read = done;
	link->self = self;
	link->serial = 0;
	pages_init(&link->pages, &limits, clock_ms(), PROVIDER_WHOLE_MS);
	ask_page(link, NULL);
}

/* ---- its serial ---- */

static void hear_domain(void *self, const struct rpc_answer *answer)
{
	struct domain_link *link = self;
	struct why why = answer->why;
	enum err err = answer->err;

	if (!err)
		err = json_get_u32(answer->result, "serial", JSON_REQUIRED, UINT32_MAX,
		                   &link->serial, &why);
	end_reading(link, err ? why.text : NULL);
}

static void ask_serial(struct registry *registry, provider_read_fn *done, void *self)
{
	struct domain_link *link = registry->link;

	link_close(link);
	link->was_read = done;
	link->self = self;
	link->serial = 0;
	ask_central(link, "get_domain",
	            json_pack("{s:s}", "domain", registry->zone_text), hear_domain);
}

/* ---- changes ---- */

static void hear_outcome(void *self, const struct rpc_answer *answer)
{
	struct domain_link *link = self;
	provider_sent_fn *was_sent = link->was_sent;

	if (answer->err)
		snprintf(link->words, sizeof(link->words), "central: %.200s",
		         answer->why.text);
	else
		link->words[0] = '\0';
	link_close(link);
	was_sent(link->self, outcome_of_err(answer->err), link->words);
}

/* How each kind is said to central; what has no row here is a bug. */
static const struct form {
	const char *op;
	bool is_prerequisite, has_records;
} forms[] = {
	[UPDATE_SET_IS]     = { "expect", true,  true  },
	[UPDATE_NO_SET]     = { "expect", true,  false },
	[UPDATE_NO_NAME]    = { "expect", true,  false },	/* of type ANY */
	[UPDATE_DELETE_SET] = { "delete", false, false },
	[UPDATE_DELETE]     = { "delete", false, true  },
	[UPDATE_ADD]        = { "add",    false, true  },
};

static const struct form *form_of(const struct update_rr *rr, bool is_prerequisite)
{
	bug_if((size_t)rr->kind >= sizeof(forms) / sizeof(forms[0]));
	bug_if(!forms[rr->kind].op || forms[rr->kind].is_prerequisite != is_prerequisite);
	return &forms[rr->kind];
}

static json_t *text_of(const struct update_rr *rr)
{
	struct buf text = { 0 };
	struct why why;
	json_t *json;

	/* without it the change would be about the whole set */
	bug_if(!rr->rdata.len);
	bug_if(rdata_format(rr->type, rr->rdata.octets, rr->rdata.len, &text, &why));
	json = json_string(buf_string(&text));
	buf_clear(&text);
	return json;
}

static json_t *change_of(const struct form *form, const struct update_rr *rr)
{
	char name[NAME_MAX_TEXT + 1], type[16];

	name_format(&rr->name, name);
	if (rr->kind == UPDATE_NO_NAME)
		snprintf(type, sizeof(type), "ANY");
	else
		rrtype_format(rr->type, type);
	return json_pack("{s:s, s:s, s:s}", "op", form->op, "name", name, "type", type);
}

static bool is_same_set(const struct update_rr *a, const struct update_rr *b)
{
	return a->kind == b->kind && a->type == b->type && name_equal(&a->name, &b->name);
}

/* From rrs[i] on those of one set in one change; returns the next. */
static size_t add_change(json_t *changes, const struct form *form,
                         const struct update_rrs *rrs, size_t i)
{
	const struct update_rr *first = &rrs->rrs[i];
	json_t *change = change_of(form, first), *records = json_array();

	if (first->kind == UPDATE_ADD)
		json_object_set_new(change, "ttl", json_integer(first->ttl));
	for (; i < rrs->count && is_same_set(&rrs->rrs[i], first); i++)
		if (form->has_records)
			json_array_append_new(records, text_of(&rrs->rrs[i]));
	json_object_set_new(change, "records", records);
	json_array_append_new(changes, change);
	return i;
}

/*
 * At a name in use an update wants no set of any type that a server may have, one by one.
 * Central is asked only for those that can be ours: sets of the others nobody will take
 * for ours, and a CNAME beside them central refuses itself.
 */
static bool is_asked(const struct update_rr *rr)
{
	return rr->kind != UPDATE_NO_SET || mark_type_is_known(rr->type);
}

static void add_all(json_t *changes, const struct update_rrs *rrs, bool is_prerequisite)
{
	for (size_t i = 0; i < rrs->count; ) {
		const struct form *form = form_of(&rrs->rrs[i], is_prerequisite);

		i = is_asked(&rrs->rrs[i]) ? add_change(changes, form, rrs, i) : i + 1;
	}
}

static void add_changes(json_t *changes, const struct update *update)
{
	add_all(changes, &update->prerequisites, true);
	add_all(changes, &update->changes, false);
}

static void send_changes(struct registry *registry, const struct update *const *updates,
                         size_t count, provider_sent_fn *done, void *self)
{
	struct domain_link *link = registry->link;
	json_t *changes = json_array();

	link->was_sent = done;
	link->self = self;
	for (size_t i = 0; i < count; i++)
		add_changes(changes, updates[i]);
	ask_central(link, "apply_changes",
	            json_pack("{s:s, s:o}", "domain", registry->zone_text, "changes",
	                      changes), hear_outcome);
}

static struct batch_size measure(const struct update *update)
{
	size_t octets = 0;

	for (size_t i = 0; i < update->changes.count; i++)
		octets += 2u * update->changes.rrs[i].name.len +
		          4u * update->changes.rrs[i].rdata.len;
	return (struct batch_size){ update->changes.count, octets };
}

/* ---- life ---- */

static void start(struct registry *registry, const struct runtime *runtime)
{
	struct domain_link *link = xcalloc(1, sizeof(*link));

	registry->link = link;
	link->registry = registry;
	link->rpc = runtime->rpc;
	link->failure = loop_timer_new(runtime->loop, on_failure, link);
	link->arena = arena_new();
	link->lines = json_array();
}

static void stop(struct registry *registry)
{
	struct domain_link *link = registry->link;

	registry->link = NULL;
	if (!link)
		return;
	link_close(link);
	loop_timer_free(&link->failure);
	arena_free(&link->arena);
	json_decref(link->lines);
	free(link);
}

static void cancel(struct registry *registry)
{
	link_close(registry->link);
}

const struct provider provider_managed = {
	.name = "managed",
	.start = start,
	.stop = stop,
	.read = read_domain,
	.serial = ask_serial,
	.measure = measure,
	.send = send_changes,
	.cancel = cancel,
};
