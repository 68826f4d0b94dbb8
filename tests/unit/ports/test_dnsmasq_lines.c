#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dnsmasq_lines.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAC "fa:16:3e:00:00:01"


/* In two subnets, of which the second is hidden. */
static const struct network_row *network_of(const char *domain)
{
	static struct network_row network;
	static struct subnet subnets[2];
	struct why why;

	network = (struct network_row){ .subnets = { .list = subnets, .count = 2 } };
	assert_int_equal(cidr_parse("10.0.0.0/24", &subnets[0].cidr, &why), OK);
	assert_int_equal(cidr_parse("10.0.1.0/24", &subnets[1].cidr, &why), OK);
	subnets[0].is_published = true;
	if (*domain)
		assert_int_equal(name_parse(domain, "domain", &network.domain, &why), OK);
	return &network;
}

static struct port_row port_with(const char *fqdn, const char *const *texts, size_t count)
{
	static struct address addresses[2][8];
	static int turn;
	struct address *own = addresses[turn++ % 2];

	for (size_t i = 0; i < count; i++)
		assert_true(address_parse(texts[i], 0, &own[i]));
	return (struct port_row){ .dns_fqdn = fqdn, .mac = MAC, .addresses = own,
	                          .count = count };
}

static const struct {
	const char *what;
	int publish;
	const char *domain, *fqdn, *addresses[4];
	bool is_fed, is_floating;
	const char *addn, *dhcp;
} rows[] = {
	{ "none", PUBLISH_ALL, "a.org.", NULL, { NULL }, false, false, "", "" },
	{ "a name", PUBLISH_ALL, "a.org.", "vm.a.org.", { "10.0.0.1" }, false, false,
	  "10.0.0.1\tvm.a.org vm\n10.0.0.1\thost-10-0-0-1.a.org host-10-0-0-1\n",
	  MAC ",vm.a.org,10.0.0.1\n" },
	{ "a damaged name", PUBLISH_ALL, "a.org.", "..", { "10.0.0.1" }, false, false,
	  "10.0.0.1\thost-10-0-0-1.a.org host-10-0-0-1\n",
	  MAC ",host-10-0-0-1.a.org,10.0.0.1\n" },
	{ "no domain", PUBLISH_ALL, "", NULL, { "10.0.0.1" }, false, false, "",
	  MAC ",10.0.0.1\n" },
	{ "by their order", PUBLISH_ALL, "a.org.", NULL,
	  { "fd00::1", "10.0.0.9", "10.0.0.10" }, false, false,
	  "10.0.0.9\thost-10-0-0-9.a.org host-10-0-0-9\n"
	  "10.0.0.10\thost-10-0-0-10.a.org host-10-0-0-10\n"
	  "fd00::1\thost-fd00--1.a.org host-fd00--1\n",
	  MAC ",host-10-0-0-9.a.org,10.0.0.9\n"
	  MAC ",host-10-0-0-10.a.org,10.0.0.10\n"
	  MAC ",host-fd00--1.a.org,[fd00::1]\n" },
	{ "a hidden one has its lease", PUBLISH_ALL, "a.org.", "vm.a.org.",
	  { "10.0.1.1", "10.0.0.1" }, false, false,
	  "10.0.0.1\tvm.a.org vm\n10.0.0.1\thost-10-0-0-1.a.org host-10-0-0-1\n",
	  MAC ",vm.a.org,10.0.0.1\n" MAC ",vm.a.org,10.0.1.1\n" },
	{ "in no subnet", PUBLISH_ALL, "a.org.", NULL, { "10.0.2.1" }, true, false,
	  "10.0.2.1\thost-10-0-2-1.a.org host-10-0-2-1\n",
	  MAC ",host-10-0-2-1.a.org,10.0.2.1\n" },
	{ "in none that was told yet", PUBLISH_FLAGGED, "a.org.", NULL, { "10.0.2.1" },
	  true, false, "", MAC ",host-10-0-2-1.a.org,10.0.2.1\n" },
	{ "in none, by a call", PUBLISH_FLAGGED, "a.org.", NULL, { "10.0.2.1" }, false,
	  false,
	  "10.0.2.1\thost-10-0-2-1.a.org host-10-0-2-1\n",
	  MAC ",host-10-0-2-1.a.org,10.0.2.1\n" },
	{ "a floating IP", PUBLISH_FLAGGED, "a.org.", NULL, { "10.0.1.1" }, true, true,
	  "10.0.1.1\thost-10-0-1-1.a.org host-10-0-1-1\n",
	  MAC ",host-10-0-1-1.a.org,10.0.1.1\n" },
};

static size_t count_of(const char *const *texts)
{
	size_t count = 0;

	while (texts[count])
		count++;
	return count;
}

static void each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ports ports = { .settings.publish = rows[i].publish };
		struct port_row port = port_with(rows[i].fqdn, rows[i].addresses,
		                                 count_of(rows[i].addresses));
		struct dnsmasq_lines lines = { 0 };

		port.is_fed = rows[i].is_fed;
		port.is_floating = rows[i].is_floating;
		dnsmasq_lines_of(&ports, network_of(rows[i].domain), &port, &lines);
		if (strcmp(buf_string(&lines.addn), rows[i].addn) ||
		    strcmp(buf_string(&lines.dhcp), rows[i].dhcp))
			fail_msg("%s:\n%s%s", rows[i].what, buf_string(&lines.addn),
			         buf_string(&lines.dhcp));
		dnsmasq_lines_clear(&lines);
	}
}

/* Without a MAC address it has no lease; what others have put in is kept. */
static void behind_what_is_there(void **state)
{
	struct ports ports = { .settings.publish = PUBLISH_ALL };
	struct port_row port = port_with(NULL, (const char *const[]){ "10.0.0.1" }, 1);
	struct dnsmasq_lines lines = { 0 };

	(void)state;
	dnsmasq_lines_of(&ports, network_of("a.org."), &port, &lines);
	port.mac = NULL;
	dnsmasq_lines_of(&ports, network_of("a.org."), &port, &lines);
	assert_string_equal(buf_string(&lines.addn),
	                    "10.0.0.1\thost-10-0-0-1.a.org host-10-0-0-1\n"
	                    "10.0.0.1\thost-10-0-0-1.a.org host-10-0-0-1\n");
	assert_string_equal(buf_string(&lines.dhcp),
	                    MAC ",host-10-0-0-1.a.org,10.0.0.1\n");
	dnsmasq_lines_clear(&lines);
}

/* ---- is anything another? ---- */

static bool differ(const struct port_row *was, const struct port_row *is)
{
	struct ports ports = { .settings.publish = PUBLISH_ALL };

	return dnsmasq_lines_differ(&ports, network_of("a.org."), was, is);
}

static void what_is_another(void **state)
{
	const char *const some[] = { "10.0.0.1", "10.0.0.2" };
	const char *const turned[] = { "10.0.0.2", "10.0.0.1" };
	const struct port_row was = port_with("vm.a.org.", some, 2);
	struct port_row is = port_with("vm.a.org.", turned, 2);

	(void)state;
	assert_false(differ(&was, &is));	/* they were told in another order */
	is.project_id = "another";
	is.revision = 7;
	assert_false(differ(&was, &is));
	is.dns_fqdn = "other.a.org.";
	assert_true(differ(&was, &is));
	is.dns_fqdn = was.dns_fqdn;
	is.mac = "fa:16:3e:00:00:02";		/* of the leases only */
	assert_true(differ(&was, &is));
	is.mac = was.mac;
	is.count = 1;
	assert_true(differ(&was, &is));
	is.count = 2;
	is.is_gone = true;
	assert_true(differ(&was, &is));
}

static void what_was_not_there(void **state)
{
	struct port_row port = port_with(NULL, (const char *const[]){ "10.0.0.1" }, 1);

	(void)state;
	assert_true(differ(NULL, &port));
	port.is_gone = true;
	assert_false(differ(NULL, &port));
	port.is_gone = false;
	port.count = 0;
	assert_false(differ(NULL, &port));	/* it has no lines */
}

/* Of a hidden address a name is in the leases only, and of one without a MAC nowhere. */
static void what_is_hidden(void **state)
{
	const char *const hidden[] = { "10.0.1.1" };
	struct port_row was = port_with("vm.a.org.", hidden, 1);
	struct port_row is = port_with("other.a.org.", hidden, 1);

	(void)state;
	assert_true(differ(&was, &is));
	was.mac = is.mac = NULL;
	assert_false(differ(&was, &is));
	is.is_floating = true;
	assert_true(differ(&was, &is));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row),
		cmocka_unit_test(behind_what_is_there),
		cmocka_unit_test(what_is_another),
		cmocka_unit_test(what_was_not_there),
		cmocka_unit_test(what_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
