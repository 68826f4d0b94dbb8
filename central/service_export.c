#include "service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec_recordset.h"
#include "model/json.h"
#include "model/presentation.h"
#include "model/quota.h"
#include "model/rr.h"
#include "result_page.h"

/*
 * A page has record sets sorted by name and type. A set that does not fit is divided. The
 * marker is "<id of the set>.<number of its records on earlier pages>".
 */
enum { SETS_A_PAGE = STORE_NAMES_MAX, MARKER_MAX = ID_LEN + 12 };

struct marker {
	/* the last set on the page; "": no set */
	char id[ID_LEN + 1];
	size_t done;			/* its records on pages so far; 0: all */
};

static enum err export_decode_marker(struct request *req, struct marker *marker)
{
	const char *text = NULL;
	char id[ID_LEN + 1] = "";
	enum err err = json_get_text(req->args, "marker", 0, MARKER_MAX, &text,
	                             &req->why);
	char end;

	*marker = (struct marker){ 0 };
	if (err || !text)
		return err;
	if (sscanf(text, "%32[0-9a-f].%zu%c", id, &marker->done, &end) != 2 ||
	    !id_parse(id, marker->id))
		return fail(&req->why, ERR_INVALID,
		            "marker: must be a marker from an answer to export_domain, "
		            "not '%.64s'", text);
	return OK;
}

struct export {
	struct zone zone;
	json_t *lines;
	size_t bytes, limit;
	struct marker marker;
	bool full;
};

/* False: the page is full. The first line always fits. */
static bool export_add_line(struct export *export, const char *line)
{
	size_t bytes = strlen(line) + 3;

	if (json_array_size(export->lines) == export->limit ||
	    (export->bytes && export->bytes + bytes > REPLY_MAX)) {
		export->full = true;
		return false;
	}
	export->bytes += bytes;
	json_array_append_new(export->lines, json_string(line));
	return true;
}

static void export_add_soa(struct export *export, struct arena *arena)
{
	struct buf text = { 0 };

	zone_format_soa(&text, &export->zone);
	export_add_line(export,
	                arena_printf(arena, "%s %" PRIu32 " IN SOA %s",
	                             export->zone.is.name, export->zone.soa_ttl,
	                             buf_string(&text)));
	buf_clear(&text);
}

/* Adds the records of the set after the first SKIP, and notes where the page ends. */
static void export_add_set(struct export *export, const struct recordset *set,
                           size_t skip, struct arena *arena)
{
	uint32_t ttl = set->has_ttl ? set->ttl : export->zone.is.ttl;
	size_t done = 0;
	char type[16];

	rrtype_format(set->type, type);
	for (size_t i = 0; i < set->record_count; i++) {
		const struct record *record = &set->records[i];
		uint32_t served = rr_served_ttl(set->type, record->rdata,
		                                record->rdata_len, ttl);

		if (record->state.task == TASK_DELETE || done++ < skip)
			continue;
		if (!export_add_line(export,
		                     arena_printf(arena, "%s %" PRIu32 " IN %s %s",
		                                  set->name, served, type,
		                                  record->data))) {
			export->marker.done = done - 1;
			break;
		}
	}
	if (!export->full || export->marker.done)
		memcpy(export->marker.id, set->id, sizeof set->id);
}

/* Reads the sets from the marker on, beginning with the divided set. */
static size_t export_read_sets(struct tx *tx, const struct export *export,
                               struct recordset *sets, struct arena *arena)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct record_criterion criterion = { 0 };
	struct paging paging = { .limit = SETS_A_PAGE, .sort = RECORDSET_SORT_NAME };
	struct tx_rows rows;
	size_t count = 0;

	memcpy(criterion.domain_id, export->zone.is.id, sizeof criterion.domain_id);
	memcpy(paging.marker, export->marker.id, sizeof paging.marker);
	if (export->marker.done &&
	    store_recordset_get(tx, export->zone.is.id, export->marker.id, arena,
	                        &sets[0]))
		/* its records are read below with the others */
		sets[count++].record_count = 0;
	store_recordset_find(tx, &everyone, &criterion, &paging, arena, &rows);
	while (store_recordset_next(&rows, &sets[count]))
		count++;
	tx_select_end(&rows);
	store_recordset_members(tx, sets, count, arena);
	return count;
}

/* Adds up to SETS_A_PAGE sets. False: there are no more sets. */
static bool export_add_sets(struct export *export, struct tx *tx, struct arena *arena)
{
	struct recordset *sets = arena_alloc(arena, (SETS_A_PAGE + 1) * sizeof(*sets));
	size_t count = export_read_sets(tx, export, sets, arena);
	size_t skip = export->marker.done;

	export->marker.done = 0;
	for (size_t i = 0; !export->full && i < count; i++)
		export_add_set(export, &sets[i], i ? 0 : skip, arena);
	return count >= SETS_A_PAGE;
}

static void export_fill(struct export *export, struct tx *tx, struct arena *arena)
{
	if (!*export->marker.id)
		export_add_soa(export, arena);
	while (!export->full && !tx->err && export_add_sets(export, tx, arena))
		;
}

static enum err export_check_quota(const struct central *central, struct request *req,
                                   struct tx *tx, const struct zone *zone)
{
	int64_t max = central->config.quota_export_recordsets;

	if (req->context.is_admin)
		return OK;
	store_quota_get(tx, zone->is.tenant, quota_name(QUOTA_EXPORT_RECORDSETS), &max);
	if (max < 0 || zone->recordsets <= max)
		return tx->err;
	return tx_fail(tx, ERR_QUOTA,
	               "the domain %.200s has %" PRIu32 " record sets, but the quota for "
	               "an export (export_recordsets) is %" PRId64, zone->is.name,
	               zone->recordsets, max);
}

static json_t *export_encode(const struct export *export, struct arena *arena)
{
	const char *marker = export->full ? arena_printf(arena, "%s.%zu",
	                                                 export->marker.id,
	                                                 export->marker.done) : NULL;

	return json_pack("{s:O, s:s?, s:I}", "lines", export->lines, "marker", marker,
	                 "serial", (json_int_t)export->zone.is.state.serial);
}

enum err service_export_domain(void *self, struct request *req)
{
	struct central *central = self;
	struct export export = { .lines = NULL };
	int64_t limit = RECORDS_MAX;
	enum err err = export_decode_marker(req, &export.marker);

	if (!err)
		err = json_get_int(req->args, "limit", 0, 2, RECORDS_MAX, &limit,
		                   &req->why);
	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(central->runtime->db, &req->why);

	export.limit = (size_t)limit;
	export.lines = json_array();
	if (!tx.err && !service_domain_get(req, &tx, &export.zone) &&
	    !export_check_quota(central, req, &tx, &export.zone)) {
		export_fill(&export, &tx, req->arena);
		req->result = export_encode(&export, req->arena);
	}
	json_decref(export.lines);
	return tx_commit(&tx);
}
