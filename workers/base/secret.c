#include "base/secret.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/log.h"

/*
 * The names of the checked functions in a program do not show the level, so the build
 * stops here. The sanitizers replace these functions, and builds with them have no level.
 */
#ifdef __SANITIZE_ADDRESS__
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_SANITIZER __has_feature(address_sanitizer)
#else
#define HAS_SANITIZER 0
#endif
#if defined(__OPTIMIZE__) && !HAS_SANITIZER && _FORTIFY_SOURCE < 3
#error "an optimized build needs -D_FORTIFY_SOURCE=3 (HARDEN in the Makefile)"
#endif

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

void secret_hide_process(bool is_hidden)
{
	prctl(PR_SET_DUMPABLE, !is_hidden);
}
