#include "runtime/db.h"

#include <stdio.h>

#include "handlers.h"
#include "runtime/migrate.h"

struct migration {
	struct cli *cli;
	json_t *applied;
	int version;
};

static void on_version(void *self, int version, const char *name, bool applied)
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
	printf("%03d %s: %s\n", version, name, applied ? "applied" : "was there");
	fflush(stdout);
}

enum err db_migrate(struct cli *cli)
{
	struct migration migration = { .cli = cli, .applied = json_array() };
	struct db *db = db_new(&cli->common.db);
	enum err err = migrate_run(db, on_version, &migration, &cli->why);

	db_free(&db);
	cli_answer(cli, json_pack("{s:i, s:o}", "version", migration.version,
	                          "applied", migration.applied));
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
		printf("the database has version %d, this program knows %d%s\n", have,
		       want, have < want ? ": run 'zonefleet db migrate'" : "");
	cli_answer(cli, json_pack("{s:i, s:i}", "have", have, "want", want));
	return OK;
}
