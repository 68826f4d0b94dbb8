/*
 * compare -- the method compare_zones: of each domain and each name server of a list,
 * does the server have under its serial what we have, or had, under it? Who changes a
 * record by hand and leaves the serial as it is, no poll ever notices.
 *
 * mini-DNS reports a difference. With tell_equal it also reports that a server is equal
 * or refuses to be compared. All other outcomes are only counted. The log names a server
 * that refuses transfers, once a minute at most. What fails is not tried again: the next
 * round will; but what a server broke off is, once and two seconds later, and a zone that
 * changes, and could not be compared at one serial, a few times, behind the others. Of the
 * terms only the timeout counts: how long a server may say nothing.
 *
 * Eight run at a time, two a server, so that transfers and polls are served as before;
 * the servers take turns. The others wait, up to a bound, and each once: what waits or
 * runs is not taken up again. They end with the process, for nobody waits for them.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"

struct compares;
struct deltas;
struct dns_requests;
struct figures;
struct zone_lookup;
struct loop;
struct server_report;
struct servers;
struct zones;

struct compares_config {
	const struct figures *figures;
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct servers *servers;
	const struct dns_requests *requests;
	void (*report)(void *self, const struct server_report *report);
	void (*released)(void *self);	/* a zone of the zones */
	void *self;
};

struct compares *compares_new(struct loop *loop, const struct compares_config *config);
/* None goes on. Then the lookup and zones are freed, which owe some of them a callback. */
void compares_end(struct compares *compares);
void compares_free(struct compares **compares);
/*
 * ARGS of "compare_zones". ERR_INVALID: what is wrong with one order holds up no other,
 * and the first reason is told. ERR_BUSY: nothing was taken.
 */
enum err compares_take(struct compares *compares, const json_t *args, struct why *why);
