#include "runtime/db.h"

#include <stdio.h>

#include "base/buf.h"
#include "handlers.h"
#include "runtime/migrate.h"
#include "store_server.h"
#include "store_tenants.h"
#include "tenants.h"

/* ---- doubtful tenants ---- */

static enum err db_read_tenants(struct db *db, json_t **in_doubt, struct why *why)
{
	struct tenants *tenants = tenants_new();
	enum err err = store_tenants(db, tenants_add, tenants, why);

	if (!err)
		*in_doubt = tenants_in_doubt(tenants);
	tenants_free(&tenants);
	return err;
}

static void db_print_tenant(struct table *table, const json_t *tenant)
{
	const char *problem = json_string_value(json_object_get(tenant, "problem"));
	const json_t *like = json_object_get(tenant, "like");
	struct buf words = { 0 };
	const char *name;
	json_t *rows;

	table_printf(table, "'%s'", json_string_value(json_object_get(tenant, "tenant")));
	json_object_foreach(json_object_get(tenant, "rows"), name, rows)
		buf_printf(&words, "%s%s: %lld", words.len ? ", " : "", name,
		           (long long)json_integer_value(rows));
	table_text(table, buf_string(&words));
	buf_reset(&words);
	if (problem)
		buf_printf(&words, "workers refuse this tenant: %s", problem);
	for (size_t i = 0; i < json_array_size(like); i++)
		buf_printf(&words, "%ssimilar to '%s'", words.len ? "; " : "",
		           json_string_value(json_array_get(like, i)));
	table_text(table, buf_string(&words));
	buf_clear(&words);
}

static void db_print_tenants(const struct cli *cli, const json_t *in_doubt)
{
	static const struct column columns[] = {
		{ "TENANT", COLUMN_LEFT }, { "ROWS", COLUMN_LEFT },
		{ "PROBLEM", COLUMN_LEFT }, { NULL, COLUMN_LEFT },
	};
	struct table table;

	if (cli->out.json || !json_array_size(in_doubt))
		return;
	table_begin(&table, &cli->out, columns);
	for (size_t i = 0; i < json_array_size(in_doubt); i++)
		db_print_tenant(&table, json_array_get(in_doubt, i));
	table_flush(&table, stdout);
	table_clear(&table);
	printf("\"Tenants of older versions\" in docs/security.md says what to do\n");
}

enum err db_tenants(struct cli *cli)
{
	struct db *db = db_new(&cli->common.db);
	json_t *in_doubt;
	enum err err = db_read_tenants(db, &in_doubt, &cli->why);

	db_free(&db);
	if (err)
		return err;
	db_print_tenants(cli, in_doubt);
	if (!cli->out.json && !cli->out.quiet && !json_array_size(in_doubt))
		printf("all tenants in the database are valid, and no two tenants have "
		       "similar names\n");
	cli_answer(cli, json_pack("{s:o}", "tenants", in_doubt));
	return OK;
}

/* ---- the schema ---- */

struct migration {
	struct cli *cli;
	json_t *applied;
	int version;
};

static void db_on_version(void *self, int version, const char *name, bool applied)
{
	struct migration *migration = self;
	const struct output *out = &migration->cli->out;

	migration->version = version;
	if (applied)
		json_array_append_new(
			migration->applied,
			json_pack("{s:i, s:s}", "version", version, "name", name));
	if (out->json || (out->quiet && !applied))
		return;
	printf("%03d %s: %s\n", version, name, applied ? "applied" : "present");
	fflush(stdout);
}

/* The migration stays done even if reading a large table takes too long. */
static void db_report_tenants(struct db *db, json_t **in_doubt)
{
	struct why why;

	if (db_read_tenants(db, in_doubt, &why))
		fprintf(stderr, "zonefleet: the tables are upgraded, but the client "
		        "cannot check the tenants: %s\nto check the tenants, run "
		        "'zonefleet db tenants'\n",
		        why.text);
}

enum { PACKET_MIN = 64 * 1024 * 1024 };

#define HOW_TO_SET(line) \
	"add the line '" line "' to the group [mariadbd] of the settings of the " \
	"server, and restart the server"

/* Workers need these settings, but the migration itself does not. */
static void db_check_server(struct cli *cli, struct db *db)
{
	struct server_limits limits;
	struct why words;

	if (store_server_limits(db, &limits, &words)) {
		output_warn(&cli->out, words.text);
		return;
	}
	if (limits.packet_bytes < PACKET_MIN) {
		fail(&words, OK, "max_allowed_packet of the database server must be at "
		     "least %d, not %lld: otherwise zonefleet refuses large records and "
		     "large changes: " HOW_TO_SET("max_allowed_packet = 64M"),
		     PACKET_MIN, (long long)limits.packet_bytes);
		output_warn(&cli->out, words.text);
	}
	if (limits.flush_at_commit != 1) {
		fail(&words, OK, "innodb_flush_log_at_trx_commit of the database server "
		     "must be 1, not %lld: otherwise a power failure can lose changes "
		     "that zonefleet has accepted: "
		     HOW_TO_SET("innodb_flush_log_at_trx_commit = 1"),
		     (long long)limits.flush_at_commit);
		output_warn(&cli->out, words.text);
	}
}

enum err db_migrate(struct cli *cli)
{
	struct migration migration = { .cli = cli, .applied = json_array() };
	struct db *db = db_new(&cli->common.db);
	json_t *in_doubt = NULL;
	enum err err = migrate_run(db, db_on_version, &migration, &cli->why);

	if (!err && json_array_size(migration.applied))
		db_report_tenants(db, &in_doubt);
	if (!err)
		db_check_server(cli, db);
	db_free(&db);
	if (in_doubt)
		db_print_tenants(cli, in_doubt);
	cli_answer(cli, json_pack("{s:i, s:o, s:o*}", "version", migration.version,
	                          "applied", migration.applied, "tenants", in_doubt));
	return err;
}

enum err db_version(struct cli *cli)
{
	struct db *db = db_new(&cli->common.db);
	int have, want;
	enum err err = migrate_version(db, &have, &want, &cli->why);

	db_free(&db);
	if (err)
		return err;
	if (!cli->out.json)
		printf("the tables have version %d, and this program needs version "
		       "%d%s\n", have,
		       want, have < want ? ": run 'zonefleet db migrate'" : "");
	cli_answer(cli, json_pack("{s:i, s:i}", "have", have, "want", want));
	return OK;
}
