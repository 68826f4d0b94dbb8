#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/query.h"
#include "../dns/signed.h"

static struct tsig tsig_of(const uint8_t *data, size_t len)
{
	struct tsig tsig;

	assert_true(tsig_find(data, len, &tsig));
	assert_true(tsig.present);
	return tsig;
}

/* What is answered to a signed question that comes SKEW seconds late, with KEY known. */
static struct tsig answer_to(const struct tsig_key *key, int skew, enum tsig_error want,
                             bool is_signed)
{
	struct tsig_key own = key_of("hmac-sha256");
	uint8_t data[PACKET_UDP_MAX], answer[PACKET_MAX];
	struct tsig_chain client;
	struct query query;
	struct tsig tsig;
	size_t len = put_question(&client, &own, data);

	query_read(data, len, false, &query);
	assert_int_equal(query_verify(&query, data, key, NOW + skew),
	                 want ? QUERY_REFUSED : QUERY_SERVE);
	assert_int_equal(query.rcode, want ? RCODE_NOTAUTH : RCODE_NOERROR);
	assert_int_equal(query_key(&query) != NULL, !want);
	len = query_answer_rcode(&query, query.rcode, answer, sizeof(answer));
	tsig = tsig_of(answer, len);
	assert_int_equal(tsig.error, want);
	assert_int_equal(tsig.mac_len != 0, is_signed);
	if (is_signed)
		assert_int_equal(tsig_verify(&client, answer, &tsig, NOW), TSIG_NO_ERROR);
	return tsig;
}

static void errors_are_told_as_the_rfc_has_it(void **state)
{
	struct tsig_key key = key_of("hmac-sha256"), other = key, renamed = key;
	struct tsig late;

	(void)state;
	other.secret[0] ^= 1;
	renamed.hash = HMAC_SHA512;
	answer_to(&key, 0, TSIG_NO_ERROR, true);
	answer_to(NULL, 0, TSIG_BADKEY, false);
	answer_to(&renamed, 0, TSIG_BADKEY, false);
	answer_to(&other, 0, TSIG_BADSIG, false);
	late = answer_to(&key, 301, TSIG_BADTIME, true);
	assert_int_equal(late.time, NOW);		/* the client's */
	assert_int_equal(late.other_len, 6);
	assert_int_equal(late.other, NOW + 301);	/* ours */
}

/* The longest names there are leave room for each other over UDP. */
static void long_names_fit(void **state)
{
	char text[300] = "";
	struct tsig_key key = key_of("hmac-sha512");
	struct query query = { .has_question = true, .type = RR_SOA, .class = RR_CLASS_IN,
	                       .udp_size = PACKET_UDP_MIN, .signature = SIGNED };
	uint8_t data[PACKET_MAX];
	struct tsig tsig;

	(void)state;
	for (int i = 0; i < 3; i++)
		strcat(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		             "aaaaaaaaaaaaaaa.");
	strcat(text, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.");
	key.name = query.raw = query.name = query.tsig.key = name_of(text);
	assert_int_equal(key.name.len, NAME_MAX_WIRE);
	query.tsig.algorithm = name_of("hmac-sha512.");
	tsig_chain_begin(&query.chain, &key);
	tsig = tsig_of(data, query_answer_rcode(&query, RCODE_REFUSED, data,
	                                        sizeof(data)));
	assert_int_equal(tsig.at, PACKET_HEADER + NAME_MAX_WIRE + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_told_as_the_rfc_has_it),
		cmocka_unit_test(long_names_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
