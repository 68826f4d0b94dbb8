/*
 * driver_settings -- reads the settings of one server for the unit test of a driver. For
 * example, driver_settings(&driver_nsd, "control = \"127.0.0.1:8952\";").
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends/drivers.h"

/* Reads the text of a settings file. If the text has an error, the test fails. */
static void settings_load(const struct option_schema *schema, const char *text)
{
	char path[] = "/tmp/zfsettingsXXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct why why;
	enum err err;

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	err = option_load(schema, path, &why);
	unlink(path);
	if (err)
		fail_msg("%s", why.text);
}

/*
 * Returns the settings of one server in the driver's own struct. ROWS: the text of the
 * settings besides id and host. The struct is valid until the next call.
 */
static inline const void *driver_settings(const struct driver *driver, const char *rows)
{
	static void *servers;
	static size_t count;
	static char group[64], text[1024];
	static struct option_list lists[2];
	static const struct option_section none[1];
	const struct option_schema schema = { "test", none, lists };

	if (servers)
		option_clear(&schema);
	snprintf(group, sizeof(group), "backends.%s", driver->name);
	snprintf(text, sizeof(text), "backends: { %s: { servers: ( { id = \"ns1\"; "
	         "host = \"127.0.0.1\"; %s } ); }; };\n", driver->name, rows);
	lists[0] = (struct option_list){
		group, NULL, driver->help, driver->options, driver->settings_size,
		&servers, &count,
	};
	settings_load(&schema, text);
	return servers;
}
