/*
 * crashpoint -- preloaded into a program of ours: it dies at a given place, as if
 * by kill -9.
 *
 * The places are right before and right after a message is published, one is
 * acknowledged, a statement is executed, a transaction is committed and a file is
 * replaced. When a process comes to one, and the folder $CRASH_POINTS has a file of that
 * name ("commit-before"), it takes the file away, so that nobody else dies of it, and
 * kills itself.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <amqp.h>
#include <amqp_framing.h>
#include <mysql.h>

static void crash_if(const char *action, const char *when)
{
	const char *folder = getenv("CRASH_POINTS");
	char path[512];

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s-%s", folder, action, when);
	if (!unlink(path))
		raise(SIGKILL);
}

#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* A message is a method, a header and a body: "after" is behind its last frame. */
int amqp_send_method(amqp_connection_state_t state, amqp_channel_t channel,
                     amqp_method_number_t id, void *decoded)
{
	if (id == AMQP_BASIC_PUBLISH_METHOD)
		crash_if("publish", "before");
	return REAL(amqp_send_method)(state, channel, id, decoded);
}

int amqp_send_frame(amqp_connection_state_t state, const amqp_frame_t *frame)
{
	int sent;

	if (frame->frame_type != AMQP_FRAME_BODY)
		return REAL(amqp_send_frame)(state, frame);
	crash_if("publish", "within");
	sent = REAL(amqp_send_frame)(state, frame);
	crash_if("publish", "after");
	return sent;
}

int amqp_basic_ack(amqp_connection_state_t state, amqp_channel_t channel, uint64_t tag,
                   amqp_boolean_t multiple)
{
	int sent;

	crash_if("acknowledge", "before");
	sent = REAL(amqp_basic_ack)(state, channel, tag, multiple);
	crash_if("acknowledge", "after");
	return sent;
}

int mysql_stmt_execute(MYSQL_STMT *statement)
{
	int failed;

	crash_if("execute", "before");
	failed = REAL(mysql_stmt_execute)(statement);
	crash_if("execute", "after");
	return failed;
}

int mysql_real_query(MYSQL *mysql, const char *sql, unsigned long len)
{
	int commits = len == 6 && !memcmp(sql, "COMMIT", 6), failed;

	if (commits)
		crash_if("commit", "before");
	failed = REAL(mysql_real_query)(mysql, sql, len);
	if (commits)
		crash_if("commit", "after");
	return failed;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	int failed;

	crash_if("replace", "before");
	failed = REAL(renameat)(from_folder, from, to_folder, to);
	crash_if("replace", "after");
	return failed;
}
