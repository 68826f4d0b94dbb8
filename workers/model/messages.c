#include "model/messages.h"

#include <arpa/inet.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "model/json.h"
#include "model/name.h"

enum {
	ID_TEXT_MAX = 255,	/* of pools, tenants, servers, keys */
	REASON_MAX = 1024,
	HOST_MAX = 64,
	WORD_MAX = 16,		/* of a task, a status */
	SECONDS_MAX = 3600,
	RETRIES_MAX = 1000,
	PORT_MAX = 65535,
	PATIENCE_MAX = 3600,
	TRANSFERS_MAX = 1000000,
};

#define SECONDS_MIN 0.01

/* The length of TEXT, cut to at most MAX bytes between two characters. */
static size_t message_cut(const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);

	if (len <= max)
		return len;
	for (len = max; len && ((unsigned char)text[len] & 0xc0) == 0x80; len--)
		;
	return len;
}

/* A reason may quote any bytes. Bytes that are not UTF-8 become question marks. */
static json_t *message_encode_reason(const char *reason)
{
	char plain[REASON_MAX];
	size_t len = message_cut(reason, REASON_MAX);
	json_t *json = json_stringn(reason, len);

	if (json)
		return json;
	for (size_t i = 0; i < len; i++)
		plain[i] = (unsigned char)reason[i] < 0x80 ? reason[i] : '?';
	return json_stringn(plain, len);
}

/* Whole seconds become an integer, as Python peers send them. */
static json_t *message_encode_seconds(int ms)
{
	return ms % 1000 ? json_real(ms / 1000.0) : json_integer(ms / 1000);
}

/* Makes a bug of a failed pack: this happens only for text that is not UTF-8. */
static json_t *message_checked(json_t *json)
{
	bug_if(!json);
	return json;
}

/* Adds the parent to the reason: "name is missing" becomes "domain.name is missing". */
static enum err message_is_within(const char *parent, enum err err, struct why *why)
{
	return err ? fail(why, err, "%s.%s", parent, why->text) : OK;
}

static enum err message_get_task(const json_t *json, enum task *task, struct why *why)
{
	const char *word;
	enum err err = json_get_text(json, "task", JSON_REQUIRED, WORD_MAX, &word, why);

	if (!err && !task_parse(word, task))
		return fail(why, ERR_INVALID, "task: must be ADD, UPDATE, DELETE or "
		            "NONE, not '%s'", err_quote(word, (char[33]){ 0 }, 33));
	return err;
}

static enum err message_get_status(const json_t *json, enum status *status,
                                   struct why *why)
{
	const char *word;
	enum err err = json_get_text(json, "status", JSON_REQUIRED, WORD_MAX, &word, why);

	if (!err && !status_parse(word, status))
		return fail(why, ERR_INVALID, "status: must be PENDING, ACTIVE, ERROR or "
		            "DELETED, not '%s'", err_quote(word, (char[33]){ 0 }, 33));
	return err;
}

static enum err message_get_state(const json_t *json, struct state *state,
                                  struct why *why)
{
	enum err err = message_get_task(json, &state->task, why);

	if (!err)
		err = message_get_status(json, &state->status, why);
	if (!err && !state_valid(state->task, state->status))
		return fail(why, ERR_INVALID, "status: cannot be %s if the task is %s",
		            status_name(state->status), task_name(state->task));
	if (!err)
		err = json_get_u32(json, "serial", JSON_REQUIRED, UINT32_MAX,
		                   &state->serial, why);
	return err;
}

static enum err message_get_report(const json_t *json, enum report *report,
                                   struct why *why)
{
	const char *word;
	enum err err = json_get_text(json, "status", JSON_REQUIRED, WORD_MAX, &word, why);

	if (!err && !report_parse(word, report))
		return fail(why, ERR_INVALID, "status: must be SUCCESS, ERROR or "
		            "NO_DOMAIN, not '%.32s'", word);
	return err;
}

/* A text that must not be empty. */
static enum err message_get_word(const json_t *json, const char *key, const char **into,
                                 struct why *why)
{
	const char *text;
	enum err err = json_get_text(json, key, JSON_REQUIRED, ID_TEXT_MAX, &text, why);

	if (!err && !*text)
		return fail(why, ERR_INVALID, "%s: must not be empty", key);
	if (!err)
		*into = text;
	return err;
}

/* Names are sent in canonical text, so that the text can be borrowed. */
static enum err message_get_name(const json_t *json, const char *key, const char **into,
                                 struct why *why)
{
	char canonical[NAME_MAX_TEXT + 1];
	struct name name;
	const char *text;
	enum err err = json_get_text(json, key, JSON_REQUIRED, NAME_MAX_TEXT, &text, why);

	if (!err)
		err = name_parse(text, key, &name, why);
	if (err)
		return err;
	name_format(&name, canonical);
	if (strcmp(text, canonical))
		return fail(why, ERR_INVALID,
		            "%s: must be '%.100s', in lower case, not '%.100s'",
		            key, canonical, text);
	*into = text;
	return OK;
}

static enum err message_get_host(const json_t *json, const char **into, struct why *why)
{
	unsigned char address[sizeof(struct in6_addr)];
	const char *text;
	enum err err = json_get_text(json, "host", JSON_REQUIRED, HOST_MAX, &text, why);

	if (err)
		return err;
	if (inet_pton(AF_INET, text, address) != 1 && inet_pton(AF_INET6, text,
	                                                        address) != 1)
		return fail(why, ERR_INVALID, "host: must be an IPv4 or IPv6 address, "
		            "not '%s'", err_quote(text, (char[65]){ 0 }, 65));
	*into = text;
	return OK;
}

static enum err message_get_port(const json_t *json, uint16_t *port, struct why *why)
{
	int64_t number;
	enum err err = json_get_int(json, "port", JSON_REQUIRED, 1, PORT_MAX, &number,
	                            why);

	if (!err)
		*port = number;
	return err;
}

static enum err message_get_seconds(const json_t *json, const char *key, int *ms,
                                    struct why *why)
{
	const json_t *field = json_object_get(json, key);
	double seconds = json_number_value(field);	/* 0 if it is not a number */

	if (seconds < SECONDS_MIN || seconds > SECONDS_MAX)
		return fail(why, ERR_INVALID, "%s: must be a number of seconds from %g "
		            "to %d, not %g", key, SECONDS_MIN, SECONDS_MAX, seconds);
	*ms = lround(seconds * 1000);
	return OK;
}

static enum err message_get_reason(const json_t *json, const char **reason,
                                   struct why *why)
{
	*reason = "";
	return json_get_text(json, "reason", 0, REASON_MAX, reason, why);
}

enum err domain_arg_decode(const json_t *args, struct domain_ref *domain, struct why *why)
{
	const json_t *json;
	enum err err = json_get_object(args, "domain", JSON_REQUIRED, &json, why);

	return err ? err
	           : message_is_within("domain", domain_ref_decode(json, domain, why),
	                               why);
}

static enum err message_get_destination(const json_t *args,
                                        struct destination *destination, struct why *why)
{
	const json_t *json;
	enum err err = json_get_object(args, "destination", JSON_REQUIRED, &json, why);

	return err ? err
	           : message_is_within("destination",
	                               destination_decode(json, destination, why), why);
}

json_t *domain_ref_encode(const struct domain_ref *domain)
{
	json_t *json = message_checked(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I}",
		"id", domain->id,
		"name", domain->name,
		"pool", domain->pool,
		"tenant", domain->tenant,
		"task", task_name(domain->state.task),
		"status", status_name(domain->state.status),
		"serial", (json_int_t)domain->state.serial));

	if (domain->version)
		json_object_set_new(json, "version",
		                    json_integer((json_int_t)domain->version));
	if (domain->is_catalog)
		json_object_set_new(json, "catalog", json_true());
	return json;
}

enum err domain_ref_decode(const json_t *json, struct domain_ref *domain, struct why *why)
{
	struct domain_ref got = { 0 };
	int64_t version = 0;
	enum err err = json_get_id(json, "id", JSON_REQUIRED, got.id, why);

	if (!err)
		err = message_get_name(json, "name", &got.name, why);
	if (!err)
		err = message_get_word(json, "pool", &got.pool, why);
	if (!err)
		err = json_get_text(json, "tenant", JSON_REQUIRED, ID_TEXT_MAX,
		                    &got.tenant, why);
	if (!err)
		err = message_get_state(json, &got.state, why);
	if (!err)
		err = json_get_int(json, "version", 0, 0, INT64_MAX, &version, why);
	got.version = (uint64_t)version;
	if (!err)
		err = json_get_bool(json, "catalog", 0, &got.is_catalog, why);
	if (!err)
		*domain = got;
	return err;
}

static json_t *destination_encode(const struct destination *destination)
{
	json_t *json = message_checked(json_pack("{s:s, s:s, s:i, s:s?}",
		"id", destination->id,
		"host", destination->host,
		"port", destination->port,
		"tsig_key", destination->tsig_key));

	if (destination->patience_s)
		json_object_set_new(json, "patience",
		                    json_integer(destination->patience_s));
	return json;
}

static enum err message_get_patience(const json_t *json, int *patience_s, struct why *why)
{
	int64_t seconds = 0;
	enum err err = json_get_int(json, "patience", 0, 0, PATIENCE_MAX, &seconds, why);

	*patience_s = (int)seconds;
	return err;
}

enum err destination_decode(const json_t *json, struct destination *destination,
                            struct why *why)
{
	struct destination got = { 0 };
	enum err err = message_get_word(json, "id", &got.id, why);

	if (!err)
		err = message_get_host(json, &got.host, why);
	if (!err)
		err = message_get_port(json, &got.port, why);
	if (!err)
		err = json_get_text(json, "tsig_key", 0, ID_TEXT_MAX, &got.tsig_key, why);
	if (!err)
		err = message_get_patience(json, &got.patience_s, why);
	if (!err)
		*destination = got;
	return err;
}

/* Puts the common terms of all orders into ARGS. */
static json_t *terms_encode(json_t *args, const struct poll_order *order)
{
	json_object_set_new(args, "timeout", message_encode_seconds(order->timeout_ms));
	json_object_set_new(args, "retry_interval",
	                    message_encode_seconds(order->retry_interval_ms));
	json_object_set_new(args, "max_retries", json_integer(order->max_retries));
	return args;
}

static enum err message_get_terms(const json_t *args, struct poll_order *order,
                                  struct why *why)
{
	int64_t max_retries = 0;
	enum err err = message_get_seconds(args, "timeout", &order->timeout_ms, why);

	if (!err)
		err = message_get_seconds(args, "retry_interval",
		                          &order->retry_interval_ms, why);
	if (!err)
		err = json_get_int(args, "max_retries", JSON_REQUIRED, 0, RETRIES_MAX,
		                   &max_retries, why);
	order->max_retries = max_retries;
	return err;
}

json_t *poll_order_encode(const struct poll_order *order)
{
	json_t *args = message_checked(json_pack("{s:o, s:o}",
		"domain", domain_ref_encode(&order->domain),
		"destination", destination_encode(&order->destination)));

	return terms_encode(args, order);
}

enum err poll_order_decode(const json_t *args, struct poll_order *order, struct why *why)
{
	struct poll_order got = { 0 };
	enum err err = domain_arg_decode(args, &got.domain, why);

	if (!err)
		err = message_get_destination(args, &got.destination, why);
	if (!err)
		err = message_get_terms(args, &got, why);
	if (!err)
		*order = got;
	return err;
}

json_t *server_report_encode(const struct server_report *report)
{
	json_t *args = message_checked(json_pack("{s:o, s:s, s:s, s:o, s:o}",
		"domain", domain_ref_encode(&report->domain),
		"name_server", report->name_server,
		"status", report_name(report->report),
		"serial_number",
		report->has_serial ? json_integer(report->serial) : json_null(),
		"reason", message_encode_reason(report->reason)));

	if (report->silent)
		json_object_set_new(args, "silent", json_true());
	if (report->unasked)
		json_object_set_new(args, "unasked", json_true());
	if (report->differs)
		json_object_set_new(args, "differs", json_true());
	if (report->equal)
		json_object_set_new(args, "equal", json_true());
	if (report->refused)
		json_object_set_new(args, "refused", json_true());
	if (report->transfers)
		json_object_set_new(args, "transfers", json_integer(report->transfers));
	return args;
}

/* null: the serial is unknown. */
static enum err message_get_seen_serial(const json_t *args, struct server_report *report,
                                        struct why *why)
{
	const json_t *field = json_object_get(args, "serial_number");

	report->has_serial = !json_is_null(field);
	if (!report->has_serial)
		return OK;
	return json_get_u32(args, "serial_number", JSON_REQUIRED, UINT32_MAX,
	                    &report->serial, why);
}

/* `differs` and `equal` need a serial. */
static enum err message_get_compared(const json_t *args, struct server_report *report,
                                     struct why *why)
{
	int64_t transfers = 0;
	enum err err = json_get_bool(args, "differs", 0, &report->differs, why);

	if (!err)
		err = json_get_bool(args, "equal", 0, &report->equal, why);
	if (!err)
		err = json_get_bool(args, "refused", 0, &report->refused, why);
	if (!err)
		err = json_get_int(args, "transfers", 0, 0, TRANSFERS_MAX, &transfers,
		                   why);
	if (err)
		return err;
	report->transfers = (int)transfers;
	if (report->differs + report->equal + report->refused > 1)
		return fail(why, ERR_INVALID, "at most one of the fields 'differs', "
		            "'equal' and 'refused' may be true");
	if ((report->differs || report->equal) &&
	    (report->report != REPORT_SUCCESS || !report->has_serial))
		return fail(why, ERR_INVALID, "%s: may be true only if status is SUCCESS "
		            "and serial_number is set",
		            report->differs ? "differs" : "equal");
	if (report->refused && (report->report != REPORT_SUCCESS || report->has_serial))
		return fail(why, ERR_INVALID, "refused: may be true only if status is "
		            "SUCCESS and serial_number is absent");
	return OK;
}

enum err server_report_decode(const json_t *args, struct server_report *report,
                              struct why *why)
{
	struct server_report got = { 0 };
	enum err err = domain_arg_decode(args, &got.domain, why);

	if (!err)
		err = message_get_word(args, "name_server", &got.name_server, why);
	if (!err)
		err = message_get_report(args, &got.report, why);
	if (!err && got.report == REPORT_FOREIGN)
		err = fail(why, ERR_INVALID, "status: must be SUCCESS, ERROR or "
		           "NO_DOMAIN for a server, not FOREIGN");
	if (!err)
		err = message_get_seen_serial(args, &got, why);
	if (!err)
		err = json_get_bool(args, "silent", 0, &got.silent, why);
	if (!err)
		err = json_get_bool(args, "unasked", 0, &got.unasked, why);
	if (!err)
		err = message_get_compared(args, &got, why);
	if (!err)
		err = message_get_reason(args, &got.reason, why);
	if (!err)
		*report = got;
	return err;
}

json_t *pool_report_encode(const struct pool_report *report)
{
	return message_checked(json_pack("{s:o, s:s, s:I, s:o}",
		"domain", domain_ref_encode(&report->domain),
		"status", report_name(report->report),
		"serial_number", (json_int_t)report->serial,
		"reason", message_encode_reason(report->reason)));
}

enum err pool_report_decode(const json_t *args, struct pool_report *report,
                            struct why *why)
{
	struct pool_report got = { 0 };
	enum err err = domain_arg_decode(args, &got.domain, why);

	if (!err)
		err = message_get_report(args, &got.report, why);
	if (!err)
		err = json_get_u32(args, "serial_number", JSON_REQUIRED, UINT32_MAX,
		                   &got.serial, why);
	if (!err)
		err = message_get_reason(args, &got.reason, why);
	if (!err)
		*report = got;
	return err;
}

/* ---- lists ---- */

struct kind {
	const char *key;
	size_t size;
	enum err (*decode)(const json_t *json, void *into, struct why *why);
};

static enum err message_decode_domain(const json_t *json, void *into, struct why *why)
{
	return domain_ref_decode(json, into, why);
}

static enum err message_decode_destination(const json_t *json, void *into,
                                           struct why *why)
{
	return destination_decode(json, into, why);
}

static enum err message_decode_server_report(const json_t *json, void *into,
                                             struct why *why)
{
	return server_report_decode(json, into, why);
}

static enum err message_decode_pool_report(const json_t *json, void *into,
                                           struct why *why)
{
	return pool_report_decode(json, into, why);
}

static enum err message_decode_check(const json_t *json, void *into, struct why *why)
{
	struct server_check_of got;
	enum err err = destination_decode(json, &got.destination, why);

	if (!err)
		err = message_get_name(json, "zone", &got.zone, why);
	if (!err)
		*(struct server_check_of *)into = got;
	return err;
}

static enum err message_decode_server_answer(const json_t *json, void *into,
                                             struct why *why)
{
	struct server_answer got = { .silent = false };
	enum err err = message_get_word(json, "name_server", &got.name_server, why);

	if (!err)
		err = json_get_bool(json, "silent", 0, &got.silent, why);
	if (!err)
		err = message_get_reason(json, &got.reason, why);
	if (!err)
		*(struct server_answer *)into = got;
	return err;
}

static const struct kind domain_kind = {
	"domains", sizeof(struct domain_ref), message_decode_domain,
};
static const struct kind destination_kind = {
	"destinations", sizeof(struct destination), message_decode_destination,
};
static const struct kind server_report_kind = {
	"reports", sizeof(struct server_report), message_decode_server_report,
};
static const struct kind pool_report_kind = {
	"reports", sizeof(struct pool_report), message_decode_pool_report,
};
static const struct kind check_kind = {
	"servers", sizeof(struct server_check_of), message_decode_check,
};
static const struct kind server_answer_kind = {
	"servers", sizeof(struct server_answer), message_decode_server_answer,
};

/* Decodes the elements, in the arena. NULL after an error, which is in *err. */
static void *message_decode_list(const json_t *args, const struct kind *kind,
                                 struct arena *arena, size_t *count, enum err *err,
                                 struct why *why)
{
	const json_t *list;
	char *items;

	*err = json_get_array(args, kind->key, JSON_REQUIRED, LIST_MAX, &list, why);
	if (*err)
		return NULL;
	*count = json_array_size(list);
	items = arena_alloc(arena, (*count + 1) * kind->size);
	for (size_t i = 0; i < *count; i++) {
		*err = kind->decode(json_array_get(list, i), items + i * kind->size, why);
		if (!*err)
			continue;
		fail(why, *err, "%s[%zu].%s", kind->key, i, why->text);
		return NULL;
	}
	return items;
}

static json_t *message_encode_domains(const struct domain_refs *domains)
{
	json_t *list = json_array();

	for (size_t i = 0; i < domains->count; i++)
		json_array_append_new(list, domain_ref_encode(&domains->item[i]));
	return list;
}

json_t *domain_refs_encode(const struct domain_refs *domains)
{
	return message_checked(
	    json_pack("{s:o}", "domains", message_encode_domains(domains)));
}

enum err domain_refs_decode(const json_t *args, struct arena *arena,
                            struct domain_refs *domains, struct why *why)
{
	enum err err;

	domains->item =
	    message_decode_list(args, &domain_kind, arena, &domains->count, &err, why);
	return err;
}

json_t *propagation_encode(const struct propagation *propagation)
{
	json_t *list = json_array(), *args;

	for (size_t i = 0; i < propagation->destination_count; i++)
		json_array_append_new(list,
		                      destination_encode(&propagation->destinations[i]));
	args = message_checked(json_pack("{s:o, s:o}", "domains",
	                                 message_encode_domains(&propagation->domains),
	                                 "destinations", list));
	if (propagation->tell_equal)
		json_object_set_new(args, "tell_equal", json_true());
	return terms_encode(args, &propagation->terms);
}

enum err propagation_decode(const json_t *args, struct arena *arena,
                            struct propagation *propagation, struct why *why)
{
	struct propagation got = { 0 };
	enum err err = domain_refs_decode(args, arena, &got.domains, why);

	if (!err)
		got.destinations = message_decode_list(args, &destination_kind, arena,
		                                       &got.destination_count, &err, why);
	if (!err)
		err = message_get_terms(args, &got.terms, why);
	if (!err)
		err = json_get_bool(args, "tell_equal", 0, &got.tell_equal, why);
	if (!err)
		*propagation = got;
	return err;
}

enum err server_reports_decode(const json_t *args, struct arena *arena,
                               struct server_reports *reports, struct why *why)
{
	enum err err;

	reports->item = message_decode_list(args, &server_report_kind, arena,
	                                    &reports->count, &err, why);
	return err;
}

json_t *pool_reports_encode(const struct pool_reports *reports)
{
	json_t *list = json_array();

	for (size_t i = 0; i < reports->count; i++)
		json_array_append_new(list, pool_report_encode(&reports->item[i]));
	return message_checked(json_pack("{s:o}", "reports", list));
}

enum err pool_reports_decode(const json_t *args, struct arena *arena,
                             struct pool_reports *reports, struct why *why)
{
	enum err err;

	reports->item = message_decode_list(args, &pool_report_kind, arena,
	                                    &reports->count, &err, why);
	return err;
}

json_t *server_checks_encode(const struct server_checks *checks)
{
	json_t *list = json_array();

	for (size_t i = 0; i < checks->count; i++) {
		const struct server_check_of *check = &checks->item[i];
		json_t *json = destination_encode(&check->destination);

		json_object_set_new(json, "zone",
		                    message_checked(json_string(check->zone)));
		json_array_append_new(list, json);
	}
	return message_checked(
	    json_pack("{s:s, s:o, s:o}", "pool", checks->pool, "servers", list,
	              "timeout", message_encode_seconds(checks->timeout_ms)));
}

enum err server_checks_decode(const json_t *args, struct arena *arena,
                              struct server_checks *checks, struct why *why)
{
	struct server_checks got = { .count = 0 };
	enum err err = message_get_word(args, "pool", &got.pool, why);

	if (!err)
		err = message_get_seconds(args, "timeout", &got.timeout_ms, why);
	if (!err)
		got.item = message_decode_list(args, &check_kind, arena, &got.count, &err,
		                               why);
	if (!err)
		*checks = got;
	return err;
}

json_t *server_answers_encode(const struct server_answers *answers)
{
	json_t *list = json_array();

	for (size_t i = 0; i < answers->count; i++) {
		const struct server_answer *answer = &answers->item[i];

		json_array_append_new(list, message_checked(json_pack("{s:s, s:b, s:o}",
			"name_server", answer->name_server,
			"silent", answer->silent,
			"reason", message_encode_reason(answer->reason))));
	}
	return message_checked(json_pack("{s:o}", "servers", list));
}

enum err server_answers_decode(const json_t *args, struct arena *arena,
                               struct server_answers *answers, struct why *why)
{
	enum err err;

	answers->item = message_decode_list(args, &server_answer_kind, arena,
	                                    &answers->count, &err, why);
	return err;
}

json_t *outcome_encode(enum err err, const struct why *why)
{
	if (!err)
		return json_null();
	return message_checked(json_pack("{s:s, s:o}", "class", err_class(err),
	                                 "message", message_encode_reason(why->text)));
}

enum err outcome_decode(const json_t *outcomes, size_t at, struct why *why)
{
	const json_t *outcome = json_array_get(outcomes, at);
	const char *class = json_string_value(json_object_get(outcome, "class"));
	const char *message = json_string_value(json_object_get(outcome, "message"));

	if (json_is_null(outcome))
		return OK;
	return fail(why, class ? err_from_class(class) : ERR_REMOTE, "%s",
	            message ? message : "an outcome must be null or contain a message");
}
