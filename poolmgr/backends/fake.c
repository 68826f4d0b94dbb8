/*
 * fake -- a server that gets no commands: it provisions itself, or a test sets its
 * failures. Create and delete do nothing, after a delay if configured.
 */
#include "backends/drivers.h"
#include "base/pause.h"

struct fake {
	struct server_settings server;
	char *fail_create, *fail_delete;
	int delay_ms;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct fake),
	{ "fail_create", OPTION_TEXT, offsetof(struct fake, fail_create), NULL, 1, 255,
	  "error text for tests. Each creation of a zone fails with this text" },
	{ "fail_delete", OPTION_TEXT, offsetof(struct fake, fail_delete), NULL, 1, 255,
	  "error text for tests. Each deletion of a zone fails with this text" },
	{ "delay_ms", OPTION_INT, offsetof(struct fake, delay_ms), "0", 0, 60000,
	  "duration of each creation or deletion of a zone, in milliseconds" },
	{ 0 }
};

static enum err fake_run(const struct fake *fake, const char *failure, struct why *why)
{
	pause_ms(fake->delay_ms);
	if (failure)
		return fail(why, ERR_REMOTE, "%s", failure);
	return OK;
}

static enum err fake_create(const void *settings, const struct driver_context *context,
                            const struct domain_ref *domain, struct why *why)
{
	const struct fake *fake = settings;

	(void)context, (void)domain;
	return fake_run(fake, fake->fail_create, why);
}

static enum err fake_delete(const void *settings, const struct driver_context *context,
                            const struct domain_ref *domain, struct why *why)
{
	const struct fake *fake = settings;

	(void)context, (void)domain;
	return fake_run(fake, fake->fail_delete, why);
}

const struct driver driver_fake = {
	.name = "fake",
	.help = "a server that gets no commands, for example a server that creates its "
	        "zones itself",
	.options = options,
	.settings_size = sizeof(struct fake),
	.create = fake_create,
	.delete = fake_delete,
};
