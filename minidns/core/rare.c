#include "core/rare.h"

enum { SILENCE_MS = 1000 };

bool rare_says(struct rare *rare, int64_t now_ms, uint64_t *unsaid)
{
	if (now_ms < rare->silent_until_ms) {
		rare->unsaid++;
		return false;
	}
	*unsaid = rare->unsaid;
	*rare = (struct rare){ .silent_until_ms = now_ms + SILENCE_MS };
	return true;
}
