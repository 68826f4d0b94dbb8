#include <stdio.h>

#include "base/clock.h"
#include "handlers.h"

enum err ping_topic(struct cli *cli)
{
	const char *topic = cli->argc ? cli->argv[0] : "central";
	int64_t started_us = clock_us();
	json_t *pong;
	double ms;
	enum err err = client_call(cli->client, topic, "oslo_rpc_server_ping",
	                           json_object(), &pong, &cli->why);

	if (err)
		return err;
	json_decref(pong);
	ms = (double)(clock_us() - started_us) / 1000;
	if (!cli->out.json && !cli->out.quiet)
		printf("%s answered in %.1f ms\n", topic, ms);
	cli_answer(cli, json_pack("{s:s, s:f}", "topic", topic, "milliseconds", ms));
	return OK;
}
