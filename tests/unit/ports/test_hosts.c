#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/hosts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAC "fa:16:3e:00:00:01"

static const struct {
	const char *address, *fqdn, *mac, *addn, *dhcp;
	const char *domain;	/* NULL: example.com. */
} rows[] = {
	{ "10.224.36.4", NULL, MAC,
	  "10.224.36.4\thost-10-224-36-4.example.com host-10-224-36-4\n",
	  MAC ",host-10-224-36-4.example.com,10.224.36.4\n" },
	{ "10.224.36.4", "vm01.example.com.", MAC,
	  "10.224.36.4\tvm01.example.com vm01\n"
	  "10.224.36.4\thost-10-224-36-4.example.com host-10-224-36-4\n",
	  MAC ",vm01.example.com,10.224.36.4\n" },
	{ "10.224.36.4", "vm01.test1.example.com.", NULL,
	  "10.224.36.4\tvm01.test1.example.com vm01.test1\n"
	  "10.224.36.4\thost-10-224-36-4.example.com host-10-224-36-4\n", "" },
	{ "fd5d:19f:52e9::2", "vm01.example.com.", MAC,
	  "fd5d:19f:52e9::2\tvm01.example.com vm01\n"
	  "fd5d:19f:52e9::2\thost-fd5d-19f-52e9--2.example.com host-fd5d-19f-52e9--2\n",
	  MAC ",vm01.example.com,[fd5d:19f:52e9::2]\n" },
	{ "10.0.0.1", "host-10-0-0-1.example.com.", NULL,
	  "10.0.0.1\thost-10-0-0-1.example.com host-10-0-0-1\n", "" },
	{ "10.0.0.1", "vm01.test1.other.org.", MAC,
	  "10.0.0.1\tvm01.test1.other.org vm01\n"
	  "10.0.0.1\thost-10-0-0-1.example.com host-10-0-0-1\n",
	  MAC ",vm01.test1.other.org,10.0.0.1\n" },
	{ "10.0.0.1", "vm01.notexample.com.", NULL,
	  "10.0.0.1\tvm01.notexample.com vm01\n"
	  "10.0.0.1\thost-10-0-0-1.example.com host-10-0-0-1\n", "" },
	{ "10.0.0.1", "vm01.other.org.", MAC, "10.0.0.1\tvm01.other.org vm01\n",
	  MAC ",vm01.other.org,10.0.0.1\n", "" },
	{ "fd5d::2", NULL, MAC, "", MAC ",[fd5d::2]\n", "" },
};

static void each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *domain_text = rows[i].domain ? rows[i].domain
		                                         : "example.com.";
		struct name domain = { 0 }, fqdn;
		struct address address;
		struct buf addn = { 0 }, dhcp = { 0 };
		struct why why;

		assert_true(address_parse(rows[i].address, 0, &address));
		if (*domain_text)
			assert_int_equal(name_parse(domain_text, "domain", &domain, &why),
			                 OK);
		if (rows[i].fqdn)
			assert_int_equal(name_parse(rows[i].fqdn, "name", &fqdn, &why),
			                 OK);

		const struct host host = { &address, &domain,
		                           rows[i].fqdn ? &fqdn : NULL, rows[i].mac };
		hosts_addn(&host, &addn);
		hosts_dhcp(&host, &dhcp);
		assert_string_equal(buf_string(&addn), rows[i].addn);
		assert_string_equal(buf_string(&dhcp), rows[i].dhcp);
		buf_clear(&addn);
		buf_clear(&dhcp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_row) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
