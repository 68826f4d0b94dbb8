#include "backends/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"

static char *const environment[] = {
	(char[]){ "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
	(char[]){ "LC_ALL=C" },
	NULL,
};

/*
 * Restores the signals that the worker has blocked or ignored; connects the outputs to
 * the pipe.
 */
static int command_spawn(const char *const *argv, int output, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;

	sigemptyset(&none);
	sigfillset(&usual);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
	                                 O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes,
	                         POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int error = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv,
	                         environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Reads the available output. False: the output has ended. */
static bool command_read(int fd, struct command *command, size_t *used)
{
	char chunk[1024];
	ssize_t got = read(fd, chunk, sizeof(chunk));

	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	for (ssize_t i = 0; i < got && *used < COMMAND_OUTPUT; i++)
		command->output[(*used)++] =
		    chunk[i] >= ' ' && chunk[i] < 127 ? chunk[i] : ' ';
	command->output[*used] = '\0';
	return got > 0;
}

/* True: the program ended in time. A child process of it may still write. */
static bool command_wait(int pidfd, int fd, int64_t deadline_ms, struct command *command)
{
	size_t used = 0;
	bool more = true;

	for (;;) {
		struct pollfd fds[] = {
			{ pidfd, POLLIN, 0 },
			{ more ? fd : -1, POLLIN, 0 },
		};
		int64_t left = deadline_ms - clock_ms();

		if (left <= 0)
			return false;
		if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents)
			more = command_read(fd, command, &used);
		else if (fds[0].revents)
			return true;
	}
}

static enum err command_collect(const char *const *argv, pid_t pid, int fd,
                                int timeout_ms, struct command *command, struct why *why)
{
	int pidfd = pidfd_open(pid, 0), error = pidfd < 0 ? errno : 0;
	bool ended = pidfd >= 0 &&
	             command_wait(pidfd, fd, clock_ms() + timeout_ms, command);
	int status = 0;

	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pidfd >= 0)
		close(pidfd);
	errno = error;
	descriptors_lack("a command");
	if (error)
		return fail(why, ERR_UNREACHABLE, "cannot wait for the end of %s: %s",
		            argv[0], strerror(error));
	if (!ended)
		return fail(why, ERR_TIMEOUT, "%s did not end within %d ms", argv[0],
		            timeout_ms);
	command->status = WIFEXITED(status) ? WEXITSTATUS(status)
	                                    : 128 + WTERMSIG(status);
	return OK;
}

enum err command_run(const char *const *argv, int timeout_ms, struct command *command,
                     struct why *why)
{
	int pipes[2];
	pid_t pid;

	memset(command, 0, sizeof(*command));
	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK)) {
		descriptors_lack("the output of a command");
		return fail(why, ERR_BUSY, "cannot make a pipe: %s", strerror(errno));
	}
	int error = command_spawn(argv, pipes[1], &pid);
	close(pipes[1]);
	if (error) {
		close(pipes[0]);
		return fail(why, ERR_BUSY, "cannot run %s: %s", argv[0],
		            strerror(error));
	}
	enum err err = command_collect(argv, pid, pipes[0], timeout_ms, command, why);
	close(pipes[0]);
	size_t len = strlen(command->output);
	while (len && command->output[len - 1] == ' ')
		command->output[--len] = '\0';
	return err;
}
