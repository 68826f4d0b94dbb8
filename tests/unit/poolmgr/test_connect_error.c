#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/connect_error.h"

static void only_the_server_is_unreachable(void **unused)
{
	static const int lacks[] = { EMFILE, ENFILE, ENOMEM, ENOBUFS, EACCES, EPERM,
	                             EADDRNOTAVAIL, EAFNOSUPPORT, EROFS, ENOSPC,
	                             EDQUOT };
	static const int away[] = { 0, ENOENT, ECONNREFUSED, ECONNRESET, ETIMEDOUT,
	                            EHOSTUNREACH, ENETUNREACH, EPIPE };

	(void)unused;
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		assert_int_equal(connect_error(lacks[i]), ERR_BUSY);
	for (size_t i = 0; i < sizeof(away) / sizeof(away[0]); i++)
		assert_int_equal(connect_error(away[i]), ERR_UNREACHABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_server_is_unreachable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
