#include "await.h"

#include <stdio.h>

#include "base/clock.h"
#include "progress.h"

enum err await_end(const struct await *await, bool *is_over)
{
	int64_t until_ms = clock_ms() + 1000 * await->seconds;
	struct cli *cli = await->cli;
	struct progress progress;
	int pause_ms = 0;
	enum err err;

	progress_begin(&progress, &cli->out);
	for (;;) {
		err = await->poll(await->self, is_over);
		if ((err && !client_may_recover(err)) || (!err && *is_over) ||
		    clock_ms() >= until_ms)
			break;
		progress_line(&progress, "%s %s  %.1f s", await->subject, await->what,
		              cli_elapsed(cli));
		client_pause(cli->client, &pause_ms);
	}
	progress_end(&progress);
	return err;
}

enum err await_in_time(struct await *await, bool *is_over)
{
	enum err err;

	await->seconds = AWAIT_DEFAULT_S;
	fflush(stdout);
	err = cli_seconds(await->cli, OPT_WAIT_TIMEOUT, AWAIT_MAX_S, &await->seconds);
	return err ? err : await_end(await, is_over);
}
