#include "service_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "model/json.h"
#include "runtime/tx.h"
#include "storage.h"
#include "store_record.h"

enum { PAGE_SETS = 1000, PAGE_OCTETS = 1024 * 1024 };

/* ---- storage_records: Records() of the seed, in pages ---- */

struct record_page {
	bool has_name;			/* the page begins after this set */
	struct name name;
	uint16_t type;
	uint32_t limit;

	json_t *entries;
	size_t sets, octets;
	struct name last;
	uint16_t last_type;
};

/* "foo.example.org. 1": the last set of the previous page. */
static enum err record_page_get_marker(const json_t *args, struct record_page *page,
                                       struct why *why)
{
	char text[NAME_MAX_TEXT + 1];
	const char *marker = NULL, *space;
	enum err err = json_get_text(args, "marker", 0, NAME_MAX_TEXT + 8, &marker, why);

	if (err || !marker)
		return err;
	space = strrchr(marker, ' ');
	if (!space || (size_t)(space - marker) >= sizeof(text))
		return fail(why, ERR_INVALID,
		            "marker: must be the marker of the previous page, not '%s'",
		            err_quote(marker, (char[81]){ 0 }, 81));
	snprintf(text, sizeof(text), "%.*s", (int)(space - marker), marker);
	page->has_name = true;
	page->type = (uint16_t)strtoul(space + 1, NULL, 10);
	return name_parse(text, "marker", &page->name, why);
}

static enum err record_page_get(const json_t *args, struct record_page *page,
                                struct why *why)
{
	enum err err = record_page_get_marker(args, page, why);

	page->limit = PAGE_SETS;
	if (!err)
		err = json_get_u32(args, "limit", 0, PAGE_SETS, &page->limit, why);
	if (!err && !page->limit)
		return fail(why, ERR_INVALID, "limit: must be from 1 to %d, not 0",
		            PAGE_SETS);
	return err;
}

static bool record_page_add(void *self, const struct record_row *row)
{
	struct record_page *page = self;

	page->octets += document_add(page->entries, row);
	page->last = row->name;
	page->last_type = row->rrset.type;
	return ++page->sets < page->limit && page->octets < PAGE_OCTETS;
}

static json_t *record_page_marker(const struct record_page *page)
{
	char name[NAME_MAX_TEXT + 1];

	if (page->sets < page->limit && page->octets < PAGE_OCTETS)
		return json_null();
	name_format(&page->last, name);
	return json_sprintf("%s %d", name, page->last_type);
}

/* A zone may change between two pages, so each page has its serial. */
enum err service_storage_records(void *self, struct request *req)
{
	struct ownership *ownership = self;
	struct reading reading = { .at = NULL };
	struct record_page page = { .has_name = false };
	struct registry *registry;
	enum err err = service_registry(ownership, req, &registry);

	if (!err)
		err = record_page_get(req->args, &page, &req->why);
	if (err)
		return err;
	page.entries = json_array();

	struct tx tx = tx_begin_snapshot(ownership->runtime.db, &req->why);
	store_reading(&tx, req->arena, registry->id, &reading);
	store_records_page(&tx, req->arena, registry->id,
	                   page.has_name ? &page.name : NULL, page.type, page.limit,
	                   record_page_add, &page);
	req->result = json_pack("{s:I, s:s?, s:o, s:o}", "serial",
	                        (json_int_t)reading.serial, "read_at", reading.at,
	                        "records", page.entries, "marker",
	                        record_page_marker(&page));
	return tx_commit(&tx);
}

/*
 * ---- storage_import: sets that a document calls ours, and that the zone still has ----
 */

static json_t *service_encode_document(const struct document *document)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}",
		"claimed", (json_int_t)document->count,
		"others", (json_int_t)document->others,
		"unmanaged", (json_int_t)document->unmanaged,
		"outside", (json_int_t)document->outside,
		"unreadable", (json_int_t)document->unreadable);
}

/* A repeated message does not claim sets that were released meanwhile. */
static enum err service_write_document(struct ownership *ownership,
                                       const struct registry *registry,
                                       const struct document *document,
                                       struct request *req)
{
	struct tx tx = tx_begin(ownership->runtime.db, &req->why);

	if (!store_answer(&tx, req) && !tx.err) {
		store_answer_put(&tx, req, "");
		store_owned_intend(&tx, registry->id, document->sets, document->count);
		store_registry_urgent(&tx, registry->id);
		service_note_registry(req, registry);
		store_zone_changed(&tx, registry->zone_text, registry->id);
	}
	return tx_commit(&tx);
}

enum err service_storage_import(void *self, struct request *req)
{
	struct ownership *ownership = self;
	const json_t *entries = NULL;
	struct document document;
	struct registry *registry;
	enum err err = service_registry(ownership, req, &registry);

	if (!err && (registry->storage->is_in_zone || !registry->storage->has_rows))
		return fail(&req->why, ERR_CONFLICT, "the storage of the zone is '%s': "
		            "only the storage 'table' accepts an import",
		            registry->storage->name);
	if (!err)
		err = json_get_array(req->args, "records", JSON_REQUIRED,
		                     DOCUMENT_ENTRIES_MAX, &entries, &req->why);
	if (!err)
		err = document_read(entries, registry, req->arena, &document, &req->why);
	if (!err)
		err = service_write_document(ownership, registry, &document, req);
	if (err)
		return err;
	due_now(ownership, registry);
	req->result = service_encode_document(&document);
	return OK;
}
