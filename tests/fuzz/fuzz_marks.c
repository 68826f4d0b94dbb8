/*
 * Any zone, with any marks in it: whose its sets are is found out, a set is planned at
 * each name, and no update is made of that which does not say what it was made from.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/mark_seal.h"
#include "core/update.h"
#include "model/rr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS_MAX = 200 };

static const struct plan_rules rules = {
	.types = { RR_A, RR_AAAA, RR_CNAME, RR_TXT, RR_NS, RR_DNAME }, .type_count = 6,
	.ttl = 300, .max_delete_pct = 100, .max_update_pct = 100,
};

static struct mark_form form_of(uint8_t octet)
{
	static const char *const prefixes[] = { "txt-", "%{record_type}-x.", "a.b." };
	struct mark_form form = mark_form_ours;
	struct why why;

	if (octet % 6 == 1)
		return mark_form_seed;
	if (octet % 6 == 2)
		return mark_form_plain;
	if (octet % 6 > 2 && mark_form_parse(prefixes[octet % 6 - 3], "", "wild", "mark",
	                                     &form, &why))
		abort();
	return form;
}

static void add_records(struct view *view, const uint8_t *data, size_t size)
{
	size_t at = 1;
	struct rr rr;

	for (int i = 0; i < RECORDS_MAX && rr_next(data, size, &at, &rr); i++) {
		struct name name;

		name.len = (uint8_t)name_wire_len(rr.name, NAME_MAX_WIRE);
		memcpy(name.wire, rr.name, name.len);
		name_fold(&name);
		if (rr.type)
			view_add(view, &name, rr.type, rr.ttl,
			         (struct rdata){ rr.rdata, rr.rdata_len });
	}
}

/* At each name of the zone, by turns of another type. */
static void add_wishes(struct view *view)
{
	static const uint8_t octets[16] = { 192, 0, 2, 1 };
	struct node *node = view_first(view);

	for (size_t i = 0; node && i < RECORDS_MAX; node = node->next, i++) {
		struct rdata rdata = { octets, i % 2 ? 16 : 4 };
		struct desired desired = {
			.rrset = { i % 2 ? RR_AAAA : RR_A, 300, 1, 1, &rdata },
			.has_ttl = i % 3, .is_shared = i % 5 == 0, .resource = "fuzz/1",
		};
		struct name name;

		node_name(node, &name);
		plan_add_endpoint(view, &name, &desired);
	}
}

static void check_update(struct view *view, const struct plan *plan, size_t first,
                         size_t end)
{
	struct update update;

	update_make(view, &plan->items[first], end - first, 300, &update);
	if (update.changes.count && !update.prerequisites.count)
		abort();
	for (size_t i = 0; i < update.changes.count; i++)
		if (!name_is_below(&update.changes.rrs[i].name, view_zone(view)))
			abort();
}

/* Nobody who lacks the key writes a text that it opens. */
static void check_sealed(const uint8_t *data, size_t size)
{
	static const uint8_t key[MARK_KEY] = "a key that is in no fuzzer's way";
	struct buf sealed = { 0 }, plain = { 0 };
	uint8_t nonce[MARK_NONCE];

	buf_append(&sealed, data, size);
	if (mark_open(key, buf_string(&sealed), &plain, nonce) || plain.len)
		abort();
	buf_clear(&sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct name zone = { .len = 1 };
	struct mark_form form;
	struct view *view;
	struct plan plan;

	if (!size)
		return 0;
	check_sealed(data, size);
	form = form_of(data[0]);
	view = view_new(&zone, 1);
	add_records(view, data, size);
	view_settle(view, &(struct mark_settings){ .owner = "us", .form = form });
	add_wishes(view);
	plan_make(view, &rules, true, &plan);
	for (size_t first = 0, end; first < plan.count; first = end) {
		end = plan_group_end(&plan, first);
		check_update(view, &plan, first, end);
	}
	view_free(&view);
	return 0;
}
