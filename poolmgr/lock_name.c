#include "lock_name.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"

void lock_name_digest(const char *text, char name[LOCK_NAME_SIZE])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text, strlen(text), digest);
	hex_encode(digest, sizeof(digest), name);
}

void lock_name_of(const struct poolmgr *poolmgr, const char *domain_id,
                  const char *tenant, char name[LOCK_NAME_SIZE])
{
	char digest[LOCK_NAME_SIZE];

	if (poolmgr->config.lock_scope == LOCK_DOMAIN) {
		snprintf(name, LOCK_NAME_SIZE, "%s", domain_id);
		return;
	}
	lock_name_digest(tenant, digest);
	snprintf(name, LOCK_NAME_SIZE, "tenant:%.64s", digest);
}
