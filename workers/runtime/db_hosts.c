#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/db_private.h"

enum { DEFAULT_PORT = 3306, PORT_MAX = 65535, PORT_DIGITS_MAX = 5 };
#define BLANKS " \t"

static bool db_port_parse(const char *text, unsigned *port)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > PORT_DIGITS_MAX || text[digits])
		return false;
	*port = strtoul(text, NULL, 10);
	return *port >= 1 && *port <= PORT_MAX;
}

/* Parses the text after the name: empty, or a colon and a port. */
static bool db_port_suffix_parse(const char *text, unsigned *port)
{
	*port = DEFAULT_PORT;
	return *text == 0 || (*text == ':' && db_port_parse(text + 1, port));
}

/* Parses "/path", "[2001:db8::1]:3306", "name:3306" or "name". */
static bool db_host_parse(struct db_host *host)
{
	const char *text = host->text;
	size_t len;

	if (*text == '/') {
		host->name = xstrdup(text);
		return true;
	}
	if (*text == '[') {
		len = strcspn(++text, "]");
		if (text[len] != ']' ||
		    !db_port_suffix_parse(text + len + 1, &host->port))
			return false;
	} else {
		len = strcspn(text, ":");
		if (!db_port_suffix_parse(text + len, &host->port))
			return false;
	}
	host->name = xprintf("%.*s", (int)len, text);
	return len > 0;
}

static char *db_host_trim(const char *text, size_t len)
{
	char *copy;

	while (len && strchr(BLANKS, text[0]))
		text++, len--;
	while (len && strchr(BLANKS, text[len - 1]))
		len--;
	copy = xmalloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = 0;
	return copy;
}

static enum err db_hosts_fill(const char *list, struct db_hosts *hosts, struct why *why)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		struct db_host *host = &hosts->item[hosts->count];

		if (hosts->count == DB_HOSTS_MAX)
			return fail(why, ERR_INVALID, "database.host: must have at most "
			            "%d hosts, but lists more", DB_HOSTS_MAX);
		hosts->count++;
		host->text = db_host_trim(list, len);
		if (!db_host_parse(host))
			return fail(why, ERR_INVALID,
			            "database.host: must be NAME:PORT, [ADDRESS]:PORT or "
			            "/SOCKET, not '%s'",
			            host->text);
		if (list[len] == 0)
			return OK;
		list += len + 1;
	}
}

enum err db_hosts_parse(const char *list, struct db_hosts *hosts, struct why *why)
{
	struct db_hosts fresh = { .count = 0 };
	enum err err = db_hosts_fill(list, &fresh, why);

	if (err)
		db_hosts_clear(&fresh);
	else
		*hosts = fresh;
	return err;
}

void db_hosts_clear(struct db_hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++) {
		free(hosts->item[i].text);
		free(hosts->item[i].name);
	}
	*hosts = (struct db_hosts){ .count = 0 };
}
