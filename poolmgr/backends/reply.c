#include "backends/reply.h"

#include <stdbool.h>
#include <string.h>

/*
 * The first row that fits counts. BIND also says "not found" if the view does not exist,
 * which says nothing about the zone. Before Knot has its first zone, it says "not exists"
 * instead of "invalid identifier". In an answer about a template this text means
 * something else, so each row is for one command.
 */
static const struct row {
	const char *backend, *command;
	int status;
	const char *words;
	enum reply reply;
} rows[] = {
	/* backend     command         status  words                    meaning */
	{ "bind9",    "addzone",       0,   "already exists",         REPLY_PRESENT },
	{ "bind9",    "delzone",       0,   "no matching view",       REPLY_REFUSED },
	{ "bind9",    "delzone",       0,   "not found",              REPLY_ABSENT  },
	{ "bind9",    "showzone",      0,   "no matching view",       REPLY_REFUSED },
	{ "bind9",    "showzone",      0,   "not found",              REPLY_ABSENT  },
	{ "knot",     "conf-begin",    0,   "too many transactions",  REPLY_BUSY    },
	{ "knot",     "conf-set zone", 0,   "duplicate identifier",   REPLY_PRESENT },
	{ "knot",     "conf-unset",    0,   "invalid identifier",     REPLY_ABSENT  },
	{ "knot",     "conf-unset",    0,   "not exists",             REPLY_ABSENT  },
	{ "knot",     "conf-read",     0,   "invalid identifier",     REPLY_ABSENT  },
	{ "knot",     "conf-read",     0,   "not exists",             REPLY_ABSENT  },
	{ "nsd",      "addzone",       0,   "already exists",         REPLY_PRESENT },
	{ "nsd",      "delzone",       0,   "not present",            REPLY_ABSENT  },
	{ "nsd",      "zonestatus",    0,   "not configured",         REPLY_ABSENT  },
	{ "powerdns", "POST",          409, "",                       REPLY_PRESENT },
	{ "powerdns", "GET",           404, "",                       REPLY_ABSENT  },
	{ "powerdns", "DELETE",        404, "",                       REPLY_ABSENT  },
};

static bool reply_row_fits(const struct row *row, const char *backend,
                           const char *command, int status, const char *said)
{
	return !strcmp(row->backend, backend) && !strcmp(row->command, command) &&
	       row->status == status && strstr(said, row->words);
}

enum reply reply_of(const char *backend, const char *command, int status,
                    const char *said)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (reply_row_fits(&rows[i], backend, command, status, said))
			return rows[i].reply;
	return REPLY_REFUSED;
}

/* The first row that fits counts. If no row fits, rndc had no connection to named. */
static const struct rndc_row {
	const char *words;
	enum err err;
} rndc_rows[] = {
	{ "' failed: ",         ERR_REMOTE      },
	{ "connect failed",     ERR_UNREACHABLE },
	{ "send failed",        ERR_UNREACHABLE },
	{ "recv failed",        ERR_UNREACHABLE },
	{ "remote host closed", ERR_UNREACHABLE },
	{ "parse message",      ERR_UNREACHABLE },
};

enum err reply_rndc_error(const char *said)
{
	for (size_t i = 0; i < sizeof(rndc_rows) / sizeof(rndc_rows[0]); i++)
		if (strstr(said, rndc_rows[i].words))
			return rndc_rows[i].err;
	return ERR_BUSY;
}
