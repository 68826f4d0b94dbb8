/*
 * store_server -- reads the settings of the database server on which zonefleet relies
 * (schema/README.md, "Servers").
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

struct db;

struct server_limits {
	int64_t packet_bytes;		/* max_allowed_packet */
	int64_t flush_at_commit;	/* innodb_flush_log_at_trx_commit: 0, 1 or 2 */
};

enum err store_server_limits(struct db *db, struct server_limits *limits,
                             struct why *why);
