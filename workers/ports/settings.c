#include "codec.h"
#include "core/reverse.h"
#include "model/identity.h"
#include "ovo.h"
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
	  .help = "rule for the first character of each label of dns_name. rfc1035: a "
	  "letter; rfc1123: a letter or a digit, as in Neutron" },
	{ "ptr_prefix_v4", OPTION_INT, AT(v4_bits), "24", 8, 24,
	  "prefix length of the reverse domains of IPv4 addresses: 8, 16 or 24 bits" },
	{ "ptr_prefix_v6", OPTION_INT, AT(v6_bits), "64", 4, 124,
	  "prefix length of the reverse domains of IPv6 addresses, in bits: a multiple "
	  "of 4" },
	{ "quota_reverse", OPTION_INT, AT(quota_reverse), "1000", -1, INT32_MAX,
	  "largest number of reverse domains for the ports of one tenant. -1: no limit. "
	  "To set a different limit for one tenant, use `zonefleet quota set TENANT "
	  "domains`. The limit does not apply to calls of administrators or to ports "
	  "from Neutron" },
	{ "feed", OPTION_TEXT, AT(feed), "", 0, 255,
	  "exchange of the notifications of Neutron, for example \"neutron\". \"\": "
	  "zonefleet-ports reads no notifications" },
	{ "feed_queue", OPTION_TEXT, AT(feed_queue), "zonefleet_ports", 1, 200,
	  "name of the queue from which zonefleet-ports reads the notifications of "
	  "Neutron. RabbitMQ puts copies of the notifications into this queue. So other "
	  "programs also get all notifications" },
	{ "feed_objects", OPTION_TEXT, AT(feed_objects),
	  "Port-1.7 Network-1.1 Subnet-1.1", 0, 255,
	  "object types of Neutron, each with its version in your Neutron release. "
	  "Neutron pushes changed objects of these types to its agents. zonefleet-ports "
	  "also reads these pushes. \"\": zonefleet-ports reads no pushes" },
	{ "compare_period", OPTION_DURATION, AT(compare_ms), "10m", 500, 86400 * 1000,
	  "time between two comparisons of Neutron's objects with the database" },
	{ "domain", OPTION_TEXT, AT(domain), "", 0, 200,
	  "domain for networks without a domain in Neutron. The setting corresponds to "
	  "dns_domain in the settings of Neutron. If this domain is missing, "
	  "zonefleet-ports creates the domain without a tenant. \"\": the ports of "
	  "networks without a domain have no names" },
	{ "publish", OPTION_WORD, AT(publish), "all", .words = publish,
	  .help = "subnets of Neutron whose addresses get names. all: all subnets; "
	  "flagged: only subnets with Neutron's flag dns_publish_fixed_ip" },
	{ "create_domains", OPTION_BOOL, AT(creates_domains), "false", 0, 0,
	  "create the missing domain of a network for the tenant of the network. "
	  "zonefleet-ports always creates missing reverse domains" },
	{ "delete_reverse", OPTION_BOOL, AT(deletes_reverse), "false", 0, 0,
	  "delete a reverse domain when it no longer contains the address of a port. "
	  "zonefleet-ports deletes only reverse domains that it created itself and that "
	  "contain no other records" },
	{ "reverse_tenant", OPTION_TEXT, AT(reverse_tenant), "", 0, IDENTITY_MAX,
	  "tenant of the reverse domains. zonefleet-ports creates reverse domains for "
	  "this tenant and does not write to reverse domains of another tenant. \"\": "
	  "the reverse domains have no tenant" },
	{ "retry_period", OPTION_DURATION, AT(retry_ms), "10m", 100, 86400 * 1000,
	  "time between two attempts to write records that central refused" },
	{ "check_period", OPTION_DURATION, AT(check_ms), "1m", 100, 86400 * 1000,
	  "time between two checks of a domain with records of ports. A check finds out "
	  "whether other programs have deleted the domain or records of ports" },
	{ "pool", OPTION_TEXT, AT(pool), "", 0, 64,
	  "pool of the domains that zonefleet-ports creates. \"\": the default pool of "
	  "central" },
	{ "email", OPTION_TEXT, AT(email), "", 0, 255,
	  "email address in the SOA record of the domains that zonefleet-ports creates. "
	  "\"\": the default of central" },
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
	enum err err = ovo_list_check(settings->feed_objects, why);

	if (!err)
		err = codec_domain(settings->domain, "ports.domain", &domain, why);
	if (!err && *settings->reverse_tenant)
		err = identity_check(settings->reverse_tenant, "ports.reverse_tenant",
		                     why);
	if (!err)
		err = reverse_check(32, settings->v4_bits, why);
	return err ? err : reverse_check(128, settings->v6_bits, why);
}
