#include "base/secret.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"

/* Stored before the secret: the length of all its pages. */
struct pages {
	alignas(max_align_t) size_t size;
};

/* Errors of madvise() are ignored, because an old kernel has no MADV_DONTDUMP. */
void *secret_alloc(size_t size)
{
	size_t all = sizeof(struct pages) + size;
	struct pages *pages = mmap(NULL, all, PROT_READ | PROT_WRITE,
	                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		fatal("out of memory: bytes=%zu", all);
	madvise(pages, all, MADV_DONTDUMP);
	pages->size = all;
	return pages + 1;
}

char *secret_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(secret_alloc(size), text, size);
}

void secret_free(void *secret)
{
	struct pages *pages;
	size_t all;

	if (!secret)
		return;
	pages = (struct pages *)secret - 1;
	all = pages->size;
	explicit_bzero(pages, all);
	munmap(pages, all);
}
