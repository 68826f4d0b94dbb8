#include "codec.h"
#include "core/reverse.h"
#include "feed.h"
#include "ports.h"

#define AT(field) offsetof(struct ports_settings, field)

static const char *const label_rules[] = {
	[LABELS_RFC1035] = "rfc1035", [LABELS_RFC1123] = "rfc1123", NULL
};
static const char *const publish[] = {
	[PUBLISH_ALL] = "all", [PUBLISH_FLAGGED] = "flagged", NULL
};

const struct option ports_options[] = {
	{ "label_rules", OPTION_WORD, AT(label_rules), "rfc1035", .words = label_rules,
	  .help = "how a label of dns_name begins: with a letter (rfc1035), or also with a "
	  "digit as in Neutron (rfc1123)" },
	{ "ptr_prefix_v4", OPTION_INT, AT(v4_bits), "24", 8, 24,
	  "how much of an IPv4 address a reverse domain is of: 8, 16 or 24 bits" },
	{ "ptr_prefix_v6", OPTION_INT, AT(v6_bits), "64", 4, 124,
	  "of an IPv6 address: bits, in fours" },
	{ "quota_reverse", OPTION_INT, AT(quota_reverse), "1000", -1, INT32_MAX,
	  "limit the reverse domains of a project that has no quota of its own "
	  "(`zonefleet quota set PROJECT domains`); -1: any number" },
	{ "feed", OPTION_TEXT, AT(feed), "", 0, 255,
	  "the exchange of Neutron's notifications, \"neutron\"; \"\": none are heard" },
	{ "feed_queue", OPTION_TEXT, AT(feed_queue), "zonefleet_ports", 1, 200,
	  "our own queue there, so that we take them from nobody else" },
	{ "feed_objects", OPTION_TEXT, AT(feed_objects),
	  "Port-1.7 Network-1.1 Subnet-1.1", 0, 255,
	  "objects that Neutron's servers push to agents, in the versions of theirs, which "
	  "are heard, too; \"\": none" },
	{ "compare_period", OPTION_DURATION, AT(compare_ms), "10m", 500, 86400 * 1000,
	  "how often all that Neutron has is compared with what is known of it" },
	{ "domain", OPTION_TEXT, AT(domain), "", 0, 200,
	  "of Neutron's networks that have none, as its own dns_domain; it is nobody's "
	  "project's. \"\": their ports have no names" },
	{ "publish", OPTION_WORD, AT(publish), "all", .words = publish,
	  .help = "which of Neutron's subnets have names for their addresses: all of them, or "
	  "those with Neutron's flag dns_publish_fixed_ip" },
	{ "create_domains", OPTION_BOOL, AT(creates_domains), "false", 0, 0,
	  "make a network's domain, for its project, if there is none; reverse domains "
	  "are made in any case" },
	{ "delete_reverse", OPTION_BOOL, AT(deletes_reverse), "false", 0, 0,
	  "delete a reverse domain that we made once no port has an address in it, "
	  "unless it has records of others" },
	{ "retry_period", OPTION_DURATION, AT(retry_ms), "10m", 100, 86400 * 1000,
	  "how often records that central refused are tried again, and domains looked after "
	  "that somebody may have deleted" },
	{ "pool", OPTION_TEXT, AT(pool), "", 0, 64,
	  "of domains that are made; \"\": central's default" },
	{ "email", OPTION_TEXT, AT(email), "", 0, 255,
	  "of domains that are made; \"\": central's default" },
	{ 0 }
};

enum label_rules ports_label_rules(const struct ports *own)
{
	return (enum label_rules)own->settings.label_rules;
}

bool ports_publishes_all(const struct ports *own)
{
	return own->settings.publish == PUBLISH_ALL;
}

enum err ports_settings_check(const struct ports_settings *settings, struct why *why)
{
	struct name domain;
	enum err err = feed_check(settings->feed_objects, why);

	if (!err)
		err = codec_domain(settings->domain, "ports.domain", &domain, why);
	if (!err)
		err = reverse_check(32, settings->v4_bits, why);
	return err ? err : reverse_check(128, settings->v6_bits, why);
}
