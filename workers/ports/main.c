#include <string.h>

#include "agent.h"
#include "base/log.h"
#include "consistency/pulse.h"
#include "consistency/queue_watch.h"
#include "codec.h"
#include "compare.h"
#include "core/reverse.h"
#include "feed.h"
#include "ports.h"
#include "publish.h"
#include "store.h"
#include "telling.h"

static struct ports ports = { .due_period_s = 1, .look_period_s = 2,
                              .sweep_period_s = 60 };

#define AT(field) offsetof(struct ports_settings, field)

static const struct option rows[] = {
	{ "label_rules", OPTION_TEXT, AT(label_rules), "rfc1035", 7, 7,
	  "labels of dns_name: \"rfc1035\", a letter first; \"rfc1123\", or a digit, as "
	  "Neutron takes them" },
	{ "ptr_prefix_v4", OPTION_INT, AT(v4_bits), "24", 8, 24,
	  "how much of an IPv4 address a reverse domain is of: 8, 16 or 24 bits" },
	{ "ptr_prefix_v6", OPTION_INT, AT(v6_bits), "64", 4, 124,
	  "of an IPv6 address: bits, in fours" },
	{ "feed", OPTION_TEXT, AT(feed), "", 0, 255,
	  "the exchange of Neutron's notifications, \"neutron\"; \"\": none are heard" },
	{ "feed_queue", OPTION_TEXT, AT(feed_queue), "zonefleet_ports", 1, 200,
	  "our own queue there, so that we take them from nobody else" },
	{ "feed_objects", OPTION_TEXT, AT(feed_objects),
	  "Port-1.7 Network-1.1 Subnet-1.1", 0, 255,
	  "objects that Neutron's servers push to agents, in the versions of theirs, which "
	  "are heard, too; \"\": none" },
	{ "compare_period", OPTION_SECONDS, AT(compare_s), "10m", 10, 86400,
	  "how often all that Neutron has is compared with what is known of it" },
	{ "domain", OPTION_TEXT, AT(domain), "", 0, 200,
	  "of Neutron's networks that have none, as its own dns_domain; it is nobody's "
	  "project's. \"\": their ports have no names" },
	{ "publish", OPTION_TEXT, AT(publish), "all", 3, 7,
	  "which of Neutron's subnets have names for their addresses: \"all\"; "
	  "\"flagged\", those with its dns_publish_fixed_ip" },
	{ "create_domains", OPTION_BOOL, AT(creates_domains), "false", 0, 0,
	  "make a network's domain, for its project, if there is none; reverse domains "
	  "are made in any case" },
	{ "delete_reverse", OPTION_BOOL, AT(deletes_reverse), "false", 0, 0,
	  "delete a reverse domain that we made once no port has an address in it, "
	  "unless it has records of others" },
	{ "retry_period", OPTION_SECONDS, AT(retry_s), "10m", 1, 86400,
	  "how often records that central refused are tried again" },
	{ "pool", OPTION_TEXT, AT(pool), "", 0, 64,
	  "of domains that are made; \"\": central's default" },
	{ "email", OPTION_TEXT, AT(email), "", 0, 255,
	  "of domains that are made; \"\": central's default" },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "ports", "names for what is attached to networks", rows, &ports.settings },
	PULSE_SECTION,
	{ 0 }
};

static void fleet_fire(void *self)
{
	pulse_fire(((struct ports *)self)->pulse);
}

static void queues_fire(void *self)
{
	queue_watch_fire(((struct ports *)self)->queues);
}

static void due_fire(void *self)
{
	publisher_fire(((struct ports *)self)->publisher);
}

static void compare_timer_fire(void *self)
{
	compare_fire(((struct ports *)self)->comparison);
}

static void sweep_fire(void *self)
{
	struct ports *own = self;
	struct why why;
	struct tx tx = tx_once(own->runtime.db, &why);

	store_sweep_ports(&tx);
	if (tx_commit(&tx))
		log_warn("rows not swept: reason=\"%s\"", why.text);
}

static void retry_fire(void *self)
{
	struct ports *own = self;
	struct why why;
	struct tx tx = tx_begin(own->runtime.db, &why);

	store_retry_refused(&tx);
	if (tx_commit(&tx))
		log_warn("refused records not tried again: reason=\"%s\"", why.text);
}

static const struct timer timers[] = {
	{ "fleet", &pulse_config.period_s, fleet_fire },
	{ "queues", &queue_watch_period_s, queues_fire },
	{ "due", &ports.due_period_s, due_fire },
	{ "sweep", &ports.sweep_period_s, sweep_fire },
	{ "retry", &ports.settings.retry_s, retry_fire },
	{ "compare", &ports.look_period_s, compare_timer_fire },
	{ 0 }
};

enum label_rules ports_label_rules(const struct ports *own)
{
	return strcmp(own->settings.label_rules, "rfc1123") ? LABELS_RFC1035
	                                                    : LABELS_RFC1123;
}

bool ports_publishes_all(const struct ports *own)
{
	return strcmp(own->settings.publish, "flagged");
}

/* TEXT of ports.OPTION is one of two words. */
static enum err check_word(const char *option, const char *text, const char *one,
                           const char *other, struct why *why)
{
	if (!strcmp(text, one) || !strcmp(text, other))
		return OK;
	return fail(why, ERR_INVALID, "ports.%s: must be \"%s\" or \"%s\"", option, one,
	            other);
}

static enum err check(void *self, struct why *why)
{
	const struct ports_settings *settings = &((struct ports *)self)->settings;
	struct name domain;
	enum err err = fleet_check(&pulse_config, why);

	if (!err)
		err = check_word("label_rules", settings->label_rules, "rfc1035",
		                 "rfc1123", why);
	if (!err)
		err = check_word("publish", settings->publish, "all", "flagged", why);
	if (!err)
		err = feed_check(settings->feed_objects, why);
	if (!err)
		err = codec_domain(settings->domain, &domain, why);
	if (!err)
		err = reverse_check(32, settings->v4_bits, why);
	return err ? err : reverse_check(128, settings->v6_bits, why);
}

static enum err prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	publish_metrics();
	feed_metrics();
	telling_metrics();
	compare_metrics();
	fleet_metrics();
	queue_watch_metrics((const char *const[]){ "ports", NULL });
	return OK;
}

static enum err start(void *self, const struct runtime *runtime, struct why *why)
{
	struct ports *own = self;

	(void)why;
	own->runtime = *runtime;
	own->pulse = pulse_new("ports", runtime->loop, runtime->db_config);
	own->queues = queue_watch_new(pulse_fleet(own->pulse), runtime);
	own->publisher = publisher_new(own);
	own->comparison = compare_new(own);
	own->feed = feed_open(own);
	return OK;
}

static void drain(void *self)
{
	struct ports *own = self;

	feed_pause(own->feed);
	publisher_drain(own->publisher);
}

static bool idle(const void *self)
{
	return publisher_is_idle(((const struct ports *)self)->publisher);
}

static void stop(void *self)
{
	struct ports *own = self;

	feed_close(&own->feed);
	compare_free(&own->comparison);
	publisher_free(&own->publisher);
	queue_watch_free(&own->queues);
	pulse_free(&own->pulse);
}

int main(int argc, char **argv)
{
	const struct worker worker = {
		.name = "ports",
		.schema = true,
		.summary = "gives names to what is attached to networks",
		.sections = sections,
		.methods = ports_methods,
		.timers = timers,
		.check = check,
		.prepare = prepare,
		.start = start,
		.drain = drain,
		.idle = idle,
		.stop = stop,
		.agent = &ports_agent,
		.self = &ports,
	};

	return worker_main(argc, argv, &worker);
}
