/*
 * absences -- handles the reports of mini-DNS about zones that the pool manager is
 * deleting. For each zone and server, this module writes to the database whether the
 * zone is absent, possibly absent or still on the server (core/absence.h). One
 * transaction writes all reports of a message. The transaction locks only rows of
 * pool_manager_status, so it never waits for central. Sometimes only a server's answer
 * about the catalog zone can confirm that a zone is absent. In this case, this module
 * orders a poll of the catalog zone on this server.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"

enum err absences_record(struct poolmgr *poolmgr, const struct server_report *reports,
                         size_t count, const char *request_id, struct why *why);
