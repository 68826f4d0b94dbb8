#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "dns/canonical.h"
#include "model/json.h"
#include "model/presentation.h"

enum { TYPE_MAX = 16, OWNERS_MAX = 1100 };

/* ---- write ---- */

/* True: the rdata of this type is only a name. */
static bool rrtype_is_name(uint16_t type)
{
	return type == RR_CNAME || type == RR_NS || type == RR_PTR || type == RR_DNAME;
}

static json_t *document_strip_dot(const char *text)
{
	size_t len = strlen(text);

	return json_stringn(text, len > 1 ? len - 1 : len);
}

size_t document_add(json_t *entries, const struct record_row *row)
{
	char name[NAME_MAX_TEXT + 1], type[TYPE_MAX];
	struct buf target = { 0 };
	struct why why;
	size_t len = 0;

	name_format(&row->name, name);
	rrtype_format(row->rrset.type, type);
	for (size_t i = 0; i < row->rrset.count; i++) {
		const struct rdata *rdata = &row->rrset.records[i];
		const char *text;

		buf_reset(&target);
		if (rdata_format(row->rrset.type, rdata->octets, rdata->len, &target,
		                 &why))
			continue;
		text = buf_string(&target);
		json_array_append_new(entries, json_pack("{s:o, s:s, s:o, s:s}",
			"dnsname", document_strip_dot(name), "owner", row->owner,
			"target", rrtype_is_name(row->rrset.type)
			          ? document_strip_dot(text) : json_string(text),
			"type", type));
		len += strlen(name) + strlen(row->owner) + target.len + 60;
	}
	buf_clear(&target);
	return len;
}

/* ---- read ---- */

const struct json_field document_fields[] = {
	{ "dnsname", "string", "the name, without a final dot", .max = NAME_MAX_TEXT },
	{ "owner", "string", "the owner; empty: the record has no owner",
	  .max = OWNERS_MAX },
	{ "target", "string", "the data of the record", .max = RDATA_MAX_TEXT },
	{ "type", "string", "the record type", .max = TYPE_MAX },
	{ 0 }
};

/* One entry; its texts are borrowed. */
struct entry {
	const char *dnsname, *owner, *target, *type;
};

static enum err entry_get(const json_t *json, struct entry *entry, struct why *why)
{
	enum err err;

	if (!json_is_object(json))
		return fail(why, ERR_INVALID, "must be an object");
	err = json_only_fields(json, document_fields, "an entry", why);
	if (!err)
		err = json_get_text(json, "dnsname", JSON_REQUIRED, NAME_MAX_TEXT,
		                    &entry->dnsname, why);
	if (!err)
		err = json_get_text(json, "owner", JSON_REQUIRED, OWNERS_MAX,
		                    &entry->owner, why);
	if (!err)
		err = json_get_text(json, "target", JSON_REQUIRED, RDATA_MAX_TEXT,
		                    &entry->target, why);
	return err ? err : json_get_text(json, "type", JSON_REQUIRED, TYPE_MAX,
	                                 &entry->type, why);
}

static const char *document_add_dot(const char *text, struct arena *arena)
{
	size_t len = strlen(text);

	return !len || text[len - 1] == '.' ? text : arena_printf(arena, "%s.", text);
}

static enum err entry_get_target(const struct entry *entry, struct arena *arena,
                                 struct owned_row *set)
{
	static _Thread_local struct canonical canonical;
	struct rr rr = { set->name.wire, set->intended.type, 0, 0, NULL };
	const char *text = rrtype_is_name(rr.type)
	                   ? document_add_dot(entry->target, arena) : entry->target;
	struct rdata rdata;
	struct why why;
	enum err err = rdata_parse_stored(rr.type, text, "target", arena, &rr.rdata,
	                                  &rr.rdata_len, &why);

	if (err)
		return err;
	if (!canonical_of_rr(&rr, &canonical))
		return ERR_INVALID;
	rdata.len = (uint16_t)(canonical.len - canonical.rdata);
	rdata.octets = arena_dup(arena, canonical.octets + canonical.rdata, rdata.len);
	rrset_push(&set->intended, 0, rdata, arena);
	return OK;
}

static enum err entry_get_name(const struct entry *entry, struct name *name)
{
	const struct name root = { .len = 1 };
	struct why why;
	enum err err = name_parse_in(entry->dnsname, &root, "dnsname", name, &why);

	if (!err)
		name_fold(name);
	return err;
}

/* Adds a set of one record if the entry has our owner. */
static void document_add_entry(const struct entry *entry, const struct registry *registry,
                               struct arena *arena, struct document *document)
{
	struct owned_row *set = &document->sets[document->count];
	struct why why;

	*set = (struct owned_row){ .resource = "" };
	if (entry_get_name(entry, &set->name)) {
		document->unreadable++;
	} else if (!name_is_below(&set->name, &registry->zone)) {
		document->outside++;
	} else if (!*entry->owner) {
		document->unmanaged++;
	} else if (strcmp(entry->owner, registry->settings->storage_id)) {
		document->others++;
	} else if (rrtype_parse(entry->type, "type", &set->intended.type, &why) ||
	           entry_get_target(entry, arena, set)) {
		document->unreadable++;
	} else {
		set->rrset.type = set->intended.type;
		document->count++;
	}
}

static int document_compare_sets(const void *a, const void *b)
{
	const struct owned_row *x = a, *y = b;
	int order = name_compare_wire(x->name.wire, y->name.wire);

	return order ? order : x->rrset.type - y->rrset.type;
}

/* Records of one name and type become one set. */
static void document_join_sets(struct document *document, struct arena *arena)
{
	size_t count = 0;

	if (document->count > 1)
		qsort(document->sets, document->count, sizeof(*document->sets),
		      document_compare_sets);
	for (size_t i = 0; i < document->count; i++) {
		const struct owned_row *set = &document->sets[i];

		if (count && !document_compare_sets(&document->sets[count - 1], set))
			rrset_push(&document->sets[count - 1].intended, 0,
			           set->intended.records[0], arena);
		else
			document->sets[count++] = *set;
	}
	document->count = count;
	for (size_t i = 0; i < count; i++)
		rrset_sort(&document->sets[i].intended);
}

enum err document_read(const json_t *entries, const struct registry *registry,
                       struct arena *arena, struct document *document, struct why *why)
{
	size_t count = json_array_size(entries);
	struct entry entry;

	*document = (struct document){ .count = 0 };
	document->sets = arena_alloc(arena, (count + 1) * sizeof(*document->sets));
	for (size_t i = 0; i < count; i++) {
		enum err err = entry_get(json_array_get(entries, i), &entry, why);
		struct why said = *why;

		if (err)
			return fail(why, err, "records[%zu]: %.400s", i, said.text);
		document_add_entry(&entry, registry, arena, document);
	}
	document_join_sets(document, arena);
	return OK;
}
