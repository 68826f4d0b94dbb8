/*
 * rpc_heartbeat -- sends heartbeats to callers that want them, while their requests wait.
 */
#include "runtime/rpc_private.h"

#include "base/clock.h"
#include "base/log.h"
#include "runtime/loop.h"

enum { HEARTBEAT_TICK_MS = 200 };

void rpc_heartbeat_watch(struct rpc_server *server, const struct job *job)
{
	if (job->heartbeat_ms && !loop_timer_armed(server->heartbeat))
		loop_timer_set(server->heartbeat, HEARTBEAT_TICK_MS);
}

static void heartbeat_ignore_confirm(void *self, enum err err)
{
	(void)self;
	(void)err;
}

static void heartbeat_send(struct rpc_server *server, const struct job *job)
{
	struct buf body = { 0 };
	struct broker_message message = {
		.exchange = "", .key = job->envelope.reply_queue,
	};
	struct why why;

	envelope_heartbeat_encode(job->envelope.msg_id, &body);
	message.body = body.data;
	message.len = body.len;
	if (broker_publish(server->out, &message, heartbeat_ignore_confirm, NULL, &why))
		log_debug("heartbeat not sent: queue=%s reason=\"%s\"", message.key,
		          why.text);
	buf_clear(&body);
}

/* Sends a heartbeat if it is due. False: the caller wants no heartbeats. */
static bool heartbeat_job(struct rpc_server *server, struct job *job, int64_t now_ms)
{
	if (!job->heartbeat_ms)
		return false;
	if (now_ms >= job->heartbeat_ms) {
		heartbeat_send(server, job);
		job->heartbeat_ms = now_ms + job->envelope.heartbeat_s * 1000 / 2;
	}
	return true;
}

static bool heartbeat_redo_queue(struct rpc_server *server, int64_t now_ms)
{
	bool wanted = false;

	for (struct redo_entry *leader = server->redo_queue.leaders; leader;
	     leader = leader->next) {
		wanted |= heartbeat_job(server, (struct job *)leader, now_ms);
		for (struct redo_entry *p = leader->behind; p; p = p->next)
			wanted |= heartbeat_job(server, (struct job *)p, now_ms);
	}
	return wanted;
}

void rpc_heartbeat(void *self)
{
	struct rpc_server *server = self;
	int64_t now_ms = clock_ms();
	bool wanted = heartbeat_redo_queue(server, now_ms);

	for (struct job *job = server->head; job; job = job->next)
		wanted |= heartbeat_job(server, job, now_ms);
	if (wanted)
		loop_timer_set(server->heartbeat, HEARTBEAT_TICK_MS);
}
