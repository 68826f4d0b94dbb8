/*
 * compare_queue -- the method compare_zones: compares domains with the zones that name
 * servers serve. A comparison finds a record that an operator changed on a server without
 * a new serial. mini-DNS reports differences. If the message sets tell_equal, mini-DNS
 * also reports equal zones and refused transfers. mini-DNS counts and logs all outcomes.
 * But for each server, mini-DNS logs at most one refusal and one failure per minute.
 *
 * In one process, at most eight comparisons run at the same time. At most two of these
 * comparisons use the same server. The queue starts a comparison for each server in turn.
 * The queue contains each pair of zone and server at most once. If the process ends, its
 * queue is lost.
 */
#pragma once

#include <stdint.h>

#include <jansson.h>

#include "base/err.h"

struct compare_queue;
struct deltas;
struct dns_requests;
struct figures;
struct zone_lookup;
struct loop;
struct server_report;
struct address;
struct name;
struct servers;
struct zones;

struct compare_queue_config {
	const struct figures *figures;
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct servers *servers;
	const struct dns_requests *requests;
	void (*report)(void *self, const struct server_report *report);
	/*
	 * Called before mini-DNS reports that the records of the zone on this server
	 * differ, or that the server refused the transfer. Returns how often the server
	 * has transferred the whole zone at this serial (core/retransfers.h).
	 */
	int (*transfers_of)(void *self, const struct name *zone,
	                    const struct address *server, uint32_t serial);
	/* called when a comparison has released a zone of `zones` */
	void (*released)(void *self);
	void *self;
};

struct compare_queue *compare_queue_new(struct loop *loop,
                                        const struct compare_queue_config *config);
/*
 * Stops all comparisons. After this call, free the lookup, the zones and the deltas
 * before the queue, because these three parts still call functions of some comparisons.
 */
void compare_queue_end(struct compare_queue *queue);
void compare_queue_free(struct compare_queue **queue);
/*
 * Adds comparisons to the queue. ARGS: the arguments of "compare_zones". Of the poll
 * parameters in ARGS, the queue uses only the timeout. ERR_INVALID: the arguments are
 * malformed, or an entry of the list is not valid. If the arguments are well-formed, the
 * queue accepts the valid entries. ERR_BUSY: the queue does not have room for all
 * entries.
 *
 * In general, the queue does not repeat a failed comparison, because the next sync
 * compares the zone again. There are three exceptions. If the server closed the
 * connection, the queue repeats the comparison after two seconds. If this process has not
 * read the server or its key yet, the queue repeats the comparison after three seconds.
 * For these two causes together, the queue repeats a comparison only once. If the serials
 * differ because the zone is changing, the queue repeats the comparison up to four times.
 * Before each repetition, the queue starts the comparisons of this server that are
 * already waiting.
 */
enum err compare_queue_add(struct compare_queue *queue, const json_t *args,
                           struct why *why);
