#include "backends/http.h"

#include <errno.h>
#include <string.h>

#include <curl/curl.h>

#include "backends/connect_error.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"

/*
 * Meaning of the library's errors. All other errors mean that the server is unreachable.
 * A name that does not resolve, or a file that cannot be read, is a fault of this host.
 */
static const struct failure {
	CURLcode code;
	enum err err;
} failures[] = {
	{ CURLE_OPERATION_TIMEDOUT,   ERR_TIMEOUT   },
	{ CURLE_WRITE_ERROR,          ERR_TOO_LARGE },
	{ CURLE_FILESIZE_EXCEEDED,    ERR_TOO_LARGE },
	{ CURLE_WEIRD_SERVER_REPLY,   ERR_REMOTE    },
	{ CURLE_UNSUPPORTED_PROTOCOL, ERR_REMOTE    },
	{ CURLE_BAD_CONTENT_ENCODING, ERR_REMOTE    },
	{ CURLE_PARTIAL_FILE,         ERR_REMOTE    },
	{ CURLE_COULDNT_RESOLVE_HOST, ERR_BUSY      },
	{ CURLE_SSL_CACERT_BADFILE,   ERR_BUSY      },
	{ CURLE_FAILED_INIT,          ERR_BUSY      },
	{ 0, ERR_UNREACHABLE },
};

static enum err http_error(CURLcode code)
{
	const struct failure *failure = failures;

	while (failure->code && failure->code != code)
		failure++;
	return failure->err;
}

static bool http_url_has(CURLU *url, CURLUPart part)
{
	char *text = NULL;
	bool found = curl_url_get(url, part, &text, 0) == CURLUE_OK;

	curl_free(text);
	return found;
}

static bool http_scheme_is(CURLU *url, const char *wanted)
{
	char *scheme = NULL;
	bool same = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	            strcmp(scheme, wanted) == 0;

	curl_free(scheme);
	return same;
}

static bool http_is_plain_url(CURLU *url, const char *text)
{
	return curl_url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER) == CURLUE_OK &&
	       (http_scheme_is(url, "http") || http_scheme_is(url, "https")) &&
	       !http_url_has(url, CURLUPART_QUERY) && !http_url_has(url,
	                                                            CURLUPART_FRAGMENT);
}

enum err http_check(const char *url, const char *field, struct why *why)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		fatal("cannot start libcurl");
	CURLU *parsed = curl_url();
	bool good = http_is_plain_url(parsed, url);
	curl_url_cleanup(parsed);
	if (!good)
		return fail(why, ERR_INVALID, "%s: must be a URL such as "
		            "http://127.0.0.1:8081 or https://ns1.example.org, without a "
		            "user, query or fragment", field);
	return OK;
}

/* A part of the body. A smaller result than its size ends the transfer. */
static size_t http_on_data(char *data, size_t size, size_t count, void *self)
{
	struct http *http = self;

	if (count > http->terms.answer_max - http->answer.len)
		return 0;
	buf_append(&http->answer, data, size * count);
	return size * count;
}

#define SET(http, option, value) \
	bug_if(curl_easy_setopt((http)->curl, option, value) != CURLE_OK)

static void http_set_limits(struct http *http)
{
	SET(http, CURLOPT_PROTOCOLS_STR, "http,https");
	SET(http, CURLOPT_FOLLOWLOCATION, 0L);
	SET(http, CURLOPT_PROXY, "");
	SET(http, CURLOPT_NOSIGNAL, 1L);
	SET(http, CURLOPT_QUICK_EXIT, 1L);	/* for a resolver that hangs */
	SET(http, CURLOPT_PATH_AS_IS, 1L);
	SET(http, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)http->terms.answer_max);
}

static void http_set_tls(struct http *http)
{
	SET(http, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(http, CURLOPT_SSL_VERIFYPEER, 1L);
	SET(http, CURLOPT_SSL_VERIFYHOST, 2L);
	if (http->terms.ca_file)
		SET(http, CURLOPT_CAINFO, http->terms.ca_file);
}

static void http_add_header(struct http *http, const char *header)
{
	http->headers = curl_slist_append(http->headers, header);
	bug_if(!http->headers);
}

void http_open(struct http *http, const struct http_terms *terms)
{
	*http = (struct http){
		.terms = *terms,
		.curl = curl_easy_init(),
		.deadline_ms = clock_ms() + terms->timeout_ms,
	};
	bug_if(!http->curl);
	if (terms->key_header)
		http_add_header(http, terms->key_header);
	http_add_header(http, "Accept: application/json");
	http_add_header(http, "Content-Type: application/json");
	http_set_limits(http);
	http_set_tls(http);
	SET(http, CURLOPT_HTTPHEADER, http->headers);
	SET(http, CURLOPT_WRITEFUNCTION, http_on_data);
	SET(http, CURLOPT_WRITEDATA, http);
}

void http_close(struct http *http)
{
	curl_easy_cleanup(http->curl);
	curl_slist_free_all(http->headers);
	buf_clear(&http->answer);
}

static void http_set_request(struct http *http, const char *method, const char *body)
{
	SET(http, CURLOPT_HTTPGET, 1L);
	if (body) {
		SET(http, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
		SET(http, CURLOPT_POSTFIELDS, body);
	}
	SET(http, CURLOPT_CUSTOMREQUEST, method);
}

/* The reason is from the library, or from the system if that is more exact. */
static enum err http_failed(const struct http *http, CURLcode code, const char *said,
                            struct why *why)
{
	const struct http_terms *terms = &http->terms;
	enum err err = http_error(code);
	char quoted[CURL_ERROR_SIZE];
	long number = 0;

	if (err == ERR_TIMEOUT)
		return fail(why, err, "the API of %s (%s) did not answer within %d ms",
		            terms->server, terms->url, terms->timeout_ms);
	if (err == ERR_TOO_LARGE)
		return fail(why, err, "an answer from the API of %s (%s) exceeds "
		            "answer_max (%zu bytes): increase answer_max",
		            terms->server, terms->url, terms->answer_max);
	curl_easy_getinfo(http->curl, CURLINFO_OS_ERRNO, &number);
	if (code == CURLE_COULDNT_CONNECT && number) {
		said = strerror((int)number);
		err = connect_error((int)number);
	}
	if (http->is_lacking)
		err = ERR_BUSY;
	return fail(why, err, "the API of %s (%s): %s", terms->server, terms->url,
	            err_quote(said[0] ? said : curl_easy_strerror(code), quoted,
	                      sizeof(quoted)));
}

/* One request, within LEFT_MS. */
static CURLcode http_perform(struct http *http, const char *url, int64_t left_ms,
                             char said[CURL_ERROR_SIZE])
{
	long status = 0;

	SET(http, CURLOPT_URL, url);
	SET(http, CURLOPT_TIMEOUT_MS, (long)left_ms);
	SET(http, CURLOPT_CONNECTTIMEOUT_MS, (long)left_ms);
	SET(http, CURLOPT_ERRORBUFFER, said);
	errno = 0;
	CURLcode code = curl_easy_perform(http->curl);
	http->is_lacking = code && descriptors_lack("a control channel");
	SET(http, CURLOPT_ERRORBUFFER, NULL);
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	http->status = (int)status;
	return code;
}

enum err http_ask(struct http *http, const char *method, const char *path,
                  const char *body, struct why *why)
{
	int64_t left_ms = http->deadline_ms - clock_ms();
	char said[CURL_ERROR_SIZE] = "";
	size_t base = strlen(http->terms.url);
	struct buf url = { 0 };

	if (left_ms <= 0)
		return http_failed(http, CURLE_OPERATION_TIMEDOUT, said, why);
	while (base && http->terms.url[base - 1] == '/')
		base--;
	buf_printf(&url, "%.*s%s", (int)base, http->terms.url, path);
	buf_reset(&http->answer);
	http_set_request(http, method, body);
	CURLcode code = http_perform(http, buf_string(&url), left_ms, said);
	buf_clear(&url);
	return code ? http_failed(http, code, said, why) : OK;
}
