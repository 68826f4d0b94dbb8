#include "lock_name.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

void lock_name_digest(const char *text, char name[LOCK_NAME_SIZE])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text, strlen(text), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(name + 2 * i, 3, "%02x", digest[i]);
}

void lock_name_of(const struct poolmgr *poolmgr, const char *domain_id,
                  const char *tenant, char name[LOCK_NAME_SIZE])
{
	char digest[LOCK_NAME_SIZE];

	if (!poolmgr->lock_tenants) {
		snprintf(name, LOCK_NAME_SIZE, "%s", domain_id);
		return;
	}
	lock_name_digest(tenant, digest);
	snprintf(name, LOCK_NAME_SIZE, "tenant:%.64s", digest);
}
