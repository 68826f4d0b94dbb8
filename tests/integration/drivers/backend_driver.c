/*
 * backend_driver BACKEND FILE SERVER MASTER[,MASTER] OPERATION [NAME...]
 *
 * Runs one operation (create, delete, retransfer, renew, adjust, is_ours, has, list) of a
 * backend's driver on one server of a configuration file. Prints the names of a list,
 * "ours" of a zone that is, and what adjust() did; a failure is one line, "ERR: words",
 * and status 1. With several names it prints "ok" or the failure of each, with a zero
 * octet behind it, and ends with 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/driver.h"
#include "base/log.h"
#include "model/domain.h"

enum { MASTERS_MAX = 4 };

static const struct driver *driver_find(const char *name)
{
	for (size_t i = 0; drivers[i]; i++)
		if (strcmp(drivers[i]->name, name) == 0)
			return drivers[i];
	fatal("no such backend: %s", name);
}

static const void *settings_load(const struct driver *driver, const char *path,
                                 const char *id)
{
	static void *servers;
	static size_t count;
	static struct option_section none[1];
	char group[64];
	struct option_list lists[] = {
		{ group, NULL, driver->help, driver->options, driver->settings_size,
		  &servers, &count },
		{ 0 },
	};
	struct option_schema schema = { "backend_driver", none, lists };
	struct why why;

	snprintf(group, sizeof(group), "backends.%s", driver->name);
	if (option_load(&schema, path, &why))
		fatal("%s", why.text);
	for (size_t i = 0; i < count; i++) {
		struct server_settings *settings =
		    (void *)((char *)servers + i * driver->settings_size);

		if (strcmp(settings->id, id) != 0)
			continue;
		if (driver->check && driver->check(settings, &why))
			fatal("%s", why.text);
		return settings;
	}
	fatal("no such server: %s", id);
}

/* LIST is cut into its parts. */
static enum err masters_parse(char *list, struct endpoint masters[MASTERS_MAX],
                              size_t *count, struct why *why)
{
	enum err err = OK;

	while (!err && list && *count < MASTERS_MAX)
		err = endpoint_parse(strsep(&list, ","), 0, "MASTER",
		                     &masters[(*count)++], why);
	return err;
}

static enum err run(const struct driver *driver, const void *settings, char **argv,
                    const char *name, struct why *why)
{
	struct endpoint masters[MASTERS_MAX];
	struct driver_context context = { masters, 0 };
	struct domain_ref domain = { .name = name, .pool = "default", .tenant = "t" };
	struct arena *arena = arena_new();
	const char **names = NULL;
	size_t count = 0;
	bool ours = false, there = false, changed = false;
	char *list = strdup(argv[4]);
	enum err err = masters_parse(list, masters, &context.master_count, why);

	free(list);
	if (err)
		return err;
	snprintf(domain.id, sizeof(domain.id), "%032x", 7);
	if (strcmp(argv[5], "create") == 0)
		err = driver->create(settings, &context, &domain, why);
	else if (strcmp(argv[5], "delete") == 0)
		err = driver->delete(settings, &context, &domain, why);
	else if (strcmp(argv[5], "retransfer") == 0 && driver->retransfer)
		err = driver->retransfer(settings, &domain, why);
	else if (strcmp(argv[5], "renew") == 0 && driver->renew)
		err = driver->renew(settings, &context, &domain, why);
	else if (strcmp(argv[5], "adjust") == 0 && driver->adjust)
		err = driver->adjust(settings, &context, &domain, &changed, why);
	else if (strcmp(argv[5], "is_ours") == 0 && driver->is_ours)
		err = driver->is_ours(settings, &domain, &ours, why);
	else if (strcmp(argv[5], "has") == 0 && driver->has)
		err = driver->has(settings, &domain, &there, why);
	else if (strcmp(argv[5], "list") == 0 && driver->list)
		err = driver->list(settings, arena, &names, &count, why);
	else
		err = fail(why, ERR_INVALID, "%s has no %s", driver->name, argv[5]);
	for (size_t i = 0; i < count; i++)
		puts(names[i]);
	if (!err && ours)
		puts("ours");
	if (!err && strcmp(argv[5], "adjust") == 0)
		puts(changed ? "changed" : "unchanged");
	if (!err && strcmp(argv[5], "has") == 0)
		puts(there ? "there" : "not there");
	arena_free(&arena);
	return err;
}

static int run_all(const struct driver *driver, const void *settings, char **argv)
{
	for (char **name = argv + 6; *name; name++) {
		struct why why = { "" };
		enum err err = run(driver, settings, argv, *name, &why);

		printf("%s%s%s%c", err ? err_name(err) : "ok", err ? ": " : "",
		       err ? why.text : "", 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct why why = { "" };

	log_open("backend_driver", false);
	if (argc < 6)
		fatal("usage: backend_driver BACKEND FILE SERVER MASTER "
		      "create|delete|retransfer|renew|adjust|is_ours|has|list "
		      "[NAME...]");
	const struct driver *driver = driver_find(argv[1]);
	const void *settings = settings_load(driver, argv[2], argv[3]);
	if (argc > 7)
		return run_all(driver, settings, argv);
	enum err err = run(driver, settings, argv, argv[6], &why);
	if (!err)
		return 0;
	printf("%s: %s\n", err_name(err), why.text);
	return 1;
}
