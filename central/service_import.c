#include "service.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codec_domain.h"
#include "codec_recordset.h"
#include "core/rules.h"
#include "import.h"
#include "model/json.h"
#include "model/rr.h"

enum { SPEC_MAX = 60000 };

static enum err import_decode_mode(struct request *req, const char **mode)
{
	enum import_mode unused;
	enum err err = json_get_text(req->args, "mode", 0, 16, mode, &req->why);

	if (!err && *mode && !import_mode_parse(*mode, &unused))
		return fail(&req->why, ERR_INVALID,
		            "mode: must be create, replace or upsert, not '%.16s'",
		            *mode);
	return err;
}

/* Encodes the domain, the mode and the caller with its rights, for the commit. */
static const char *import_encode_spec(struct write *write, const json_t *domain,
                                      const char *mode, bool is_forced)
{
	const struct context *context = &write->req->context;
	json_t *json = json_pack("{s:O, s:s?, s:b, s:s?, s:{s:s, s:s, s:b, s:b, s:s}}",
		"domain", domain, "mode", mode, "force", is_forced,
		"account", write->req->account,
		"context", "project_id", context->tenant, "user", context->user,
		"is_admin", context->is_admin,
		"own_tenant_only", context->own_tenant_only,
		"request_id", context->request_id);
	char *text = json_dumps(json, JSON_COMPACT);
	const char *spec = arena_strdup(write->arena, text);

	free(text);
	json_decref(json);
	return spec;
}

/*
 * The commit checks this again. A domain that exists keeps its name, even if the rules
 * no longer allow the name.
 */
static enum err import_check_domain(struct write *write, const struct domain_spec *spec)
{
	static const struct access everyone = { .tenant = "", .all = true };
	const struct domain_key key = { .name = spec->owner };
	struct zone zone;

	if (!store_domain_get(write->tx, &key, &everyone, write->arena, &zone))
		return write->tx->err ? write->tx->err
		                      : service_domain_check_new(write, spec);
	if (store_domain_is_visible(&write->access, &zone))
		return OK;
	return tx_fail(write->tx, ERR_NOT_FOUND, "there is no domain '%.200s'",
	               spec->owner);
}

#define HOW_TO_FREE \
	"commit or cancel an import (central removes an import that no call uses for " \
	"%d s)"

/* Checks the quotas after the change. Administrators have no quota. */
static enum err import_check_quotas(const struct central *central,
                                    const struct request *req,
                                    struct tx *tx, const char *tenant)
{
	int max = central->config.quota_imports, age_s = central->config.import_age_s;
	int max_records = central->config.quota_import_records;
	int64_t count, records;

	if (req->context.is_admin || (max < 0 && max_records < 0))
		return OK;
	store_import_counts(tx, tenant, &count, &records);
	if (!tx->err && max >= 0 && count > max)
		return tx_fail(tx, ERR_QUOTA,
		               "the tenant already has %d imports, and the quota "
		               "(quota_imports) allows no more: " HOW_TO_FREE, max,
		               age_s);
	if (!tx->err && max_records >= 0 && records > max_records)
		return tx_fail(tx, ERR_QUOTA, "the tenant's imports would have %" PRId64
		               " records, but the quota (quota_import_records) is %d: "
		               HOW_TO_FREE, records, max_records, age_s);
	return tx->err;
}

enum err service_begin_import(struct write *write)
{
	struct request *req = write->req;
	struct import import = { .tenant = write->access.tenant };
	struct domain_spec spec;
	const json_t *domain;
	const char *mode = NULL;
	bool is_forced = false;
	enum err err = service_object(req, "domain", &domain);

	if (!err)
		err = codec_domain_spec(domain, "domain", write->arena, &spec, &req->why);
	if (!err)
		err = import_check_domain(write, &spec);
	if (!err)
		err = import_decode_mode(req, &mode);
	if (!err)
		err = json_get_bool(req->args, "force", 0, &is_forced, &req->why);
	if (err)
		return err;
	id_new(import.id);
	import.domain_name = spec.owner;
	import.spec = import_encode_spec(write, domain, mode, is_forced);
	if (strlen(import.spec) > SPEC_MAX)
		return fail(&req->why, ERR_TOO_LARGE, "domain: the JSON text must have "
		            "at most %d bytes, not %zu", SPEC_MAX, strlen(import.spec));
	store_import_insert(write->tx, &import);
	req->result = json_pack("{s:s}", "id", import.id);
	return import_check_quotas(write->central, req, write->tx, import.tenant);
}

/* ---- parts ---- */

/* The domain may not exist yet, so the rules get only its name. */
static enum err import_check_owner(const struct import *import, const struct name *apex,
                                   const struct change *record, struct why *why)
{
	struct zone zone = { .apex = *apex, .is.name = import->domain_name };

	if (record->type == RR_SOA && name_equal(&record->name, apex))
		return OK;
	return rules_owner(&zone, record, why);
}

/* A reason names the part, too: a client may have sent several parts at once. */
static enum err import_decode_part(struct request *req, const struct import *import,
                                   uint32_t part, const json_t *array,
                                   struct staged *staged)
{
	size_t count = json_array_size(array);
	struct change *records = arena_alloc(req->arena, (count + 1) * sizeof(*records));
	struct name apex;
	enum err err = name_parse(import->domain_name, "domain", &apex, &req->why);

	for (size_t i = 0; !err && i < count; i++) {
		const char *field = arena_printf(req->arena, "part %u, records[%zu]",
		                                 part, i);

		err = codec_record_import(json_array_get(array, i), field, req->arena,
		                          &records[i], &req->why);
		if (!err)
			err = import_check_owner(import, &apex, &records[i], &req->why);
		id_new(staged[i].id);
		staged[i].record = &records[i];
	}
	return err;
}

/* The commit has the rights of the caller who began the import (import_encode_spec()). */
static bool import_is_of_administrator(const struct import *import)
{
	json_t *spec = json_loads(import->spec, 0, NULL);
	const json_t *context = json_object_get(spec, "context");
	bool is_admin = json_is_true(json_object_get(context, "is_admin"));

	json_decref(spec);
	return is_admin;
}

/* Locks an import that the caller may continue. */
static enum err import_lock(struct request *req, struct tx *tx, struct import *import)
{
	struct access access;
	char id[ID_LEN + 1];
	enum err err = access_of(req, &access);

	if (!err)
		err = service_id(req, "import", id);
	if (err)
		return tx_fail(tx, err, "%s", req->why.text);
	if (!store_import_lock_now(tx, id, &access, req->may_wait, req->arena, import))
		return tx_fail(tx, ERR_NOT_FOUND, "there is no import %s", id);
	if (!req->context.is_admin && import_is_of_administrator(import))
		return tx_fail(tx, ERR_DENIED,
		               "an administrator began import %s: only an "
		               "administrator may continue or cancel it", id);
	return OK;
}

/* A repeated part replaces itself, so its answer is not stored. */
static enum err import_stage_part(const struct central *central, struct request *req,
                                  struct tx *tx, uint32_t part, const json_t *array)
{
	size_t count = json_array_size(array);
	struct staged *staged = arena_alloc(req->arena, (count + 1) * sizeof(*staged));
	struct import import;
	enum err err = import_lock(req, tx, &import);

	if (err)
		return err;
	if (import.state != IMPORT_OPEN)
		return tx_fail(tx, ERR_CONFLICT, "import %s must be OPEN, not %s",
		               import.id, import.state_name);
	err = import_decode_part(req, &import, part, array, staged);
	if (err)
		return tx_fail(tx, err, "%s", req->why.text);
	store_import_stage(tx, import.id, part, staged, count, req->arena);
	req->result = json_pack("{s:I}", "records", (json_int_t)count);
	return import_check_quotas(central, req, tx, import.tenant);
}

enum err service_add_to_import(void *self, struct request *req)
{
	struct central *central = self;
	const json_t *array;
	uint32_t part;
	enum err err = json_get_u32(req->args, "part", JSON_REQUIRED, INT32_MAX, &part,
	                            &req->why);

	if (!err)
		err = json_get_array(req->args, "records", JSON_REQUIRED, RECORDS_MAX,
		                     &array, &req->why);
	if (err)
		return err;

	struct tx tx = tx_begin(central->runtime->db, &req->why);

	if (!tx.err)
		import_stage_part(central, req, &tx, part, array);
	return tx_commit(&tx);
}

/* ---- commit and cancel ---- */

static json_t *import_encode(const struct import *import)
{
	json_t *result = import->result ? json_loads(import->result, 0, NULL) : NULL;

	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:o?, s:s, s:s, s:s, s:I, s:s, "
	                 "s:s}",
		"id", import->id, "tenant", import->tenant, "domain", import->domain_name,
		"state", import->state_name, "parts", (json_int_t)import->parts,
		"records", (json_int_t)import->records, "result", result,
		"reason", import->reason, "error", import->error,
		"worker", import->worker,
		"attempts", (json_int_t)import->attempts,
		"created_at", import->created_at, "updated_at", import->updated_at);
}

/* A caller that numbers its parts from 0 may have lost one. */
static enum err import_check_gaps(struct tx *tx, const struct import *import)
{
	uint32_t numbers = store_import_part_numbers(tx, import->id);

	if (tx->err || numbers == import->parts)
		return tx->err;
	return tx_fail(tx, ERR_CONFLICT, "import %s has %" PRIu32 " parts with records, "
	               "but the last part has the number %" PRIu32 ": number the parts "
	               "from 0 without a gap, and add the missing parts", import->id,
	               import->parts, numbers - 1);
}

/* The commit compares the version when it has locked the domain. -1: any version. */
static enum err import_begin_commit(struct tx *tx, const struct import *import,
                                    int64_t version)
{
	enum err err = import_check_gaps(tx, import);

	if (err)
		return err;
	if (version >= 0)
		store_import_set_version(tx, import->id, version);
	store_import_set_state(tx, import->id, IMPORT_COMMITTING, NULL);
	return tx->err;
}

/* A second call has no effect. The answer shows the state when the commit began. */
enum err service_commit_import(void *self, struct request *req)
{
	struct central *central = self;
	struct import import;
	bool starts = false;
	int64_t version = -1;
	enum err err = json_get_int(req->args, "version", 0, 0, INT64_MAX, &version,
	                            &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin(central->runtime->db, &req->why);

	if (!tx.err && !import_lock(req, &tx, &import) && import.state == IMPORT_OPEN &&
	    !import_begin_commit(&tx, &import, version)) {
		import.state_name = "COMMITTING";
		starts = true;
	}
	err = tx_commit(&tx);
	if (err)
		return err;
	/* if the lane is full, a process with an idle lane claims the import */
	if (starts)
		import_submit(central, import.id, &req->why);
	req->result = import_encode(&import);
	return OK;
}

enum err service_get_import(void *self, struct request *req)
{
	struct central *central = self;
	struct import import;
	struct access access;
	char id[ID_LEN + 1];
	enum err err = access_of(req, &access);

	if (!err)
		err = service_id(req, "import", id);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (store_import_get(&tx, id, &access, req->arena, &import))
		req->result = import_encode(&import);
	else
		tx_fail(&tx, ERR_NOT_FOUND, "there is no import %s", id);
	return tx_commit(&tx);
}

enum err service_cancel_import(void *self, struct request *req)
{
	struct central *central = self;
	struct tx tx = tx_begin(central->runtime->db, &req->why);
	struct import import;

	if (!tx.err && !import_lock(req, &tx, &import)) {
		if (import.state == IMPORT_COMMITTING || import.state == IMPORT_DONE)
			tx_fail(&tx, ERR_CONFLICT, "import %s must be OPEN, not %s",
			        import.id, import.state_name);
		else if (import.state == IMPORT_OPEN)
			store_import_set_error(&tx, import.id, OK, "cancelled");
	}
	return tx_commit(&tx);
}
