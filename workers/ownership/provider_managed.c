#include "provider.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/paged_read.h"
#include "dns/canonical.h"
#include "model/json.h"
#include "model/presentation.h"
#include "registry.h"
#include "runtime/loop.h"
#include "runtime/rpc.h"
#include "runtime/worker.h"

/*
 * The provider for a domain of zonefleet. Central exports the domain page by page.
 * Central changes it in one transaction, which first checks that each set is as the plan
 * found it ("expect").
 */

enum {
	CALL_MS = 20 * 1000,
	LINES = 20000,			/* lines of a page */
};

static const struct rpc_target central = { .topic = "central" };

struct domain_link {
	struct registry *registry;
	struct rpc_client *rpc;
	struct loop_timer *failure;	/* reports a call that could not be sent */
	struct rpc_answer failed;
	rpc_answer_fn *answered;
	struct arena *arena;
	/* set while a domain or its serial is read */
	struct view *view;
	provider_read_fn *read_done;
	struct paged_read read;
	json_t *lines;			/* lines of the pages so far */
	uint32_t serial;
	/* set while changes are sent */
	provider_sent_fn *sent_done;
	void *self;
	char words[256];
	struct canonical record;
};

static void domain_link_close(struct domain_link *link)
{
	rpc_cancel(link->rpc, link);
	loop_timer_cancel(link->failure);
	arena_reset(link->arena);
	json_array_clear(link->lines);
	link->read_done = NULL;
	link->sent_done = NULL;
}

static void domain_link_on_failure(void *self)
{
	struct domain_link *link = self;

	link->answered(link, &link->failed);
}

static void domain_link_call(struct domain_link *link, const char *method, json_t *args,
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

static void domain_link_end_read(struct domain_link *link, const char *fault)
{
	provider_read_fn *read_done = link->read_done;
	void *self = link->self;
	uint32_t serial = link->serial;

	if (fault)
		snprintf(link->words, sizeof(link->words), "central: %.200s", fault);
	domain_link_close(link);
	read_done(self, fault ? link->words : NULL, serial);
}

static enum err domain_link_add_record(struct domain_link *link, const struct name *name,
                                       const struct rr *rr, struct why *why)
{
	const struct canonical *record = &link->record;
	char text[NAME_MAX_TEXT + 1];

	if (!canonical_of_rr(rr, &link->record))
		return fail(why, ERR_REMOTE, "the domain has a malformed record of "
		            "type %u", rr->type);
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
 * "www.example.org. 300 IN A 192.0.2.1": a line of export_domain. The first line is the
 * SOA, which only central writes.
 */
static enum err domain_link_add_line(struct domain_link *link, char *line, bool is_first,
                                     struct why *why)
{
	char *owner = strsep(&line, " "), *ttl = strsep(&line, " ");
	char *class = strsep(&line, " "), *type = strsep(&line, " ");
	struct name name;
	struct rr rr = { .name = name.wire };
	enum err err;

	if (!line || strcmp(class, "IN"))
		return fail(why, ERR_REMOTE, "the answer contains a line that is not a "
		            "record");
	err = name_parse(owner, "name", &name, why);
	if (!err)
		err = rrtype_parse(type, "type", &rr.type, why);
	if (!err && is_first && rr.type == RR_SOA)
		return OK;
	if (!err)
		err = rdata_parse_stored(rr.type, line, "records", link->arena, &rr.rdata,
		                         &rr.rdata_len, why);
	if (err)
		return err;
	rr.ttl = (uint32_t)strtoul(ttl, NULL, 10);
	return domain_link_add_record(link, &name, &rr, why);
}

static enum err domain_link_add_lines(struct domain_link *link, const json_t *lines,
                                      bool is_first, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < json_array_size(lines); i++) {
		const char *text = json_string_value(json_array_get(lines, i));

		if (!text)
			return fail(why, ERR_REMOTE,
			            "the answer contains a line that is not a string");
		err = domain_link_add_line(link, arena_strdup(link->arena, text),
		                           is_first && !i, why);
		arena_reset(link->arena);
	}
	return err;
}

static enum err domain_link_add_domain(struct domain_link *link, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < json_array_size(link->lines); i++)
		err = domain_link_add_lines(link, json_array_get(link->lines, i), !i,
		                            why);
	return err;
}

static void domain_link_ask_page(struct domain_link *link, const char *marker);

static enum err read_page_decode(const json_t *json, struct read_page *page,
                                 const json_t **lines, const char **marker,
                                 struct why *why)
{
	enum err err = json_get_array(json, "lines", JSON_REQUIRED, LINES, lines, why);

	*page = (struct read_page){ 0 };
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

/* *marker: of the next page; *is_last: there is no next page. */
static enum err domain_link_add_page(struct domain_link *link, const json_t *json,
                                     const char **marker, bool *is_last, struct why *why)
{
	const json_t *lines;
	struct read_page page;
	bool is_restarted;
	enum err err = read_page_decode(json, &page, &lines, marker, why);

	if (!err)
		err = paged_read_add(&link->read, &page, clock_ms(), &is_restarted, why);
	if (err)
		return err;
	*is_last = !is_restarted && !*marker;
	if (is_restarted) {
		json_array_clear(link->lines);
		*marker = NULL;
	} else {
		json_array_append(link->lines, (json_t *)lines);
	}
	link->serial = page.serial;
	return OK;
}

static void domain_link_on_page(void *self, const struct rpc_answer *answer)
{
	struct domain_link *link = self;
	const char *marker = NULL;
	bool is_last = false;
	struct why why = answer->why;
	enum err err = answer->err;

	if (!err)
		err = domain_link_add_page(link, answer->result, &marker, &is_last, &why);
	if (!err && !is_last) {
		domain_link_ask_page(link, marker);
		return;
	}
	if (!err)
		err = domain_link_add_domain(link, &why);
	domain_link_end_read(link, err ? why.text : NULL);
}

static void domain_link_ask_page(struct domain_link *link, const char *marker)
{
	domain_link_call(link, "export_domain",
	                 json_pack("{s:s, s:s?}", "domain", link->registry->zone_text,
	                           "marker", marker), domain_link_on_page);
}

static void managed_read(struct registry *registry, struct view *view,
                         provider_read_fn *done, void *self)
{
	static const struct axfr_limits limits = { PROVIDER_RECORDS_MAX,
	                                           PROVIDER_OCTETS_MAX };
	struct domain_link *link = registry->link;

	domain_link_close(link);
	link->view = view;
	link->read_done = done;
	link->self = self;
	link->serial = 0;
	paged_read_init(&link->read, &limits, clock_ms(), PROVIDER_WHOLE_MS);
	domain_link_ask_page(link, NULL);
}

/* ---- its serial ---- */

static void domain_link_on_domain(void *self, const struct rpc_answer *answer)
{
	struct domain_link *link = self;
	struct why why = answer->why;
	enum err err = answer->err;

	if (!err)
		err = json_get_u32(answer->result, "serial", JSON_REQUIRED, UINT32_MAX,
		                   &link->serial, &why);
	domain_link_end_read(link, err ? why.text : NULL);
}

static void managed_serial(struct registry *registry, provider_read_fn *done, void *self)
{
	struct domain_link *link = registry->link;

	domain_link_close(link);
	link->read_done = done;
	link->self = self;
	link->serial = 0;
	domain_link_call(link, "get_domain",
	                 json_pack("{s:s}", "domain",
	                           registry->zone_text), domain_link_on_domain);
}

/* ---- changes ---- */

static void domain_link_on_outcome(void *self, const struct rpc_answer *answer)
{
	struct domain_link *link = self;
	provider_sent_fn *sent_done = link->sent_done;

	if (answer->err)
		snprintf(link->words, sizeof(link->words), "central: %.200s",
		         err_without_field(answer->why.text));
	else
		link->words[0] = '\0';
	domain_link_close(link);
	sent_done(link->self, outcome_of_err(answer->err), link->words);
}

/* How central names each kind of change. A kind without a row is a bug. */
static const struct change_form {
	const char *op;
	bool is_prerequisite, has_records;
} change_forms[] = {
	[UPDATE_SET_IS]     = { "expect", true,  true  },
	[UPDATE_NO_SET]     = { "expect", true,  false },
	[UPDATE_NO_NAME]    = { "expect", true,  false },	/* of type ANY */
	[UPDATE_DELETE_SET] = { "delete", false, false },
	[UPDATE_DELETE]     = { "delete", false, true  },
	[UPDATE_ADD]        = { "add",    false, true  },
};

static const struct change_form *change_form_of(const struct update_rr *rr,
                                                bool is_prerequisite)
{
	bug_if((size_t)rr->kind >= sizeof(change_forms) / sizeof(change_forms[0]));
	bug_if(!change_forms[rr->kind].op ||
	       change_forms[rr->kind].is_prerequisite != is_prerequisite);
	return &change_forms[rr->kind];
}

static json_t *change_rdata(const struct update_rr *rr)
{
	struct buf text = { 0 };
	struct why why;
	json_t *json;

	/* without rdata the change would apply to the whole set */
	bug_if(!rr->rdata.len);
	bug_if(rdata_format(rr->type, rr->rdata.octets, rr->rdata.len, &text, &why));
	json = json_string(buf_string(&text));
	buf_clear(&text);
	return json;
}

static json_t *change_new(const struct change_form *form, const struct update_rr *rr)
{
	char name[NAME_MAX_TEXT + 1], type[16];

	name_format(&rr->name, name);
	if (rr->kind == UPDATE_NO_NAME)
		snprintf(type, sizeof(type), "ANY");
	else
		rrtype_format(rr->type, type);
	return json_pack("{s:s, s:s, s:s}", "op", form->op, "name", name, "type", type);
}

static bool update_rr_same_set(const struct update_rr *a, const struct update_rr *b)
{
	return a->kind == b->kind && a->type == b->type && name_equal(&a->name, &b->name);
}

/*
 * With `managed_by`, `delete` leaves records that others have added, and the plan has
 * decided about these, too. So a second change deletes the rest. Central refuses it if
 * another producer manages a record.
 */
static void changes_add_change(json_t *changes, const struct update_rr *rr,
                               json_t *change)
{
	json_t *managed = json_copy(change);

	json_object_set_new(managed, "managed_by", json_string("ownership"));
	json_array_append_new(changes, managed);
	if (rr->kind != UPDATE_ADD)
		json_array_append(changes, change);
	json_decref(change);
}

/*
 * Makes one change of rrs[i] and the following records of its set; returns the index
 * after them.
 */
static size_t changes_add_set(json_t *changes, const struct change_form *form,
                              const struct update_rrs *rrs, size_t i)
{
	const struct update_rr *first = &rrs->rrs[i];
	json_t *change = change_new(form, first), *records = json_array();
	bool is_whole_set = !form->is_prerequisite && !form->has_records;

	if (first->kind == UPDATE_ADD)
		json_object_set_new(change, "ttl", json_integer(first->ttl));
	for (; i < rrs->count && update_rr_same_set(&rrs->rrs[i], first); i++)
		if (form->has_records)
			json_array_append_new(records, change_rdata(&rrs->rrs[i]));
	if (!is_whole_set)
		json_object_set(change, "records", records);
	json_decref(records);
	if (form->is_prerequisite)
		json_array_append_new(changes, change);
	else
		changes_add_change(changes, first, change);
	return i;
}

/*
 * True: central needs the prerequisite. For a name in use an update has a prerequisite
 * for each type that a server may have. Central gets only those of types that can be
 * ours. Sets of other types cannot be confused with ours, and central itself refuses a
 * CNAME beside them.
 */
static bool change_is_needed(const struct update_rr *rr)
{
	return rr->kind != UPDATE_NO_SET || mark_type_is_known(rr->type);
}

static void changes_add_rrs(json_t *changes, const struct update_rrs *rrs,
                            bool is_prerequisite)
{
	for (size_t i = 0; i < rrs->count; ) {
		const struct update_rr *rr = &rrs->rrs[i];
		const struct change_form *form = change_form_of(rr, is_prerequisite);

		i = change_is_needed(rr) ? changes_add_set(changes, form, rrs, i) : i + 1;
	}
}

static void changes_add_update(json_t *changes, const struct update *update)
{
	changes_add_rrs(changes, &update->prerequisites, true);
	changes_add_rrs(changes, &update->changes, false);
}

static void managed_send(struct registry *registry, const struct update *const *updates,
                         size_t count, provider_sent_fn *done, void *self)
{
	struct domain_link *link = registry->link;
	json_t *changes = json_array();

	link->sent_done = done;
	link->self = self;
	for (size_t i = 0; i < count; i++)
		changes_add_update(changes, updates[i]);
	domain_link_call(link, "apply_changes",
	                 json_pack("{s:s, s:o}", "domain", registry->zone_text, "changes",
	                           changes), domain_link_on_outcome);
}

static struct batch_size managed_measure(const struct update *update)
{
	size_t octets = 0;

	for (size_t i = 0; i < update->changes.count; i++) {
		const struct update_rr *rr = &update->changes.rrs[i];

		octets += (rr->kind == UPDATE_ADD ? 1 : 2) *
		          (2u * rr->name.len + 4u * rr->rdata.len);
	}
	return (struct batch_size){ update->changes.count, octets };
}

/* ---- life ---- */

static void managed_start(struct registry *registry, const struct runtime *runtime)
{
	struct domain_link *link = xcalloc(1, sizeof(*link));

	registry->link = link;
	link->registry = registry;
	link->rpc = runtime->rpc;
	link->failure = loop_timer_new(runtime->loop, domain_link_on_failure, link);
	link->arena = arena_new();
	link->lines = json_array();
}

static void managed_stop(struct registry *registry)
{
	struct domain_link *link = registry->link;

	registry->link = NULL;
	if (!link)
		return;
	domain_link_close(link);
	loop_timer_free(&link->failure);
	arena_free(&link->arena);
	json_decref(link->lines);
	free(link);
}

static void managed_cancel(struct registry *registry)
{
	domain_link_close(registry->link);
}

const struct provider provider_managed = {
	.name = "managed",
	.start = managed_start,
	.stop = managed_stop,
	.read = managed_read,
	.serial = managed_serial,
	.measure = managed_measure,
	.send = managed_send,
	.cancel = managed_cancel,
};
