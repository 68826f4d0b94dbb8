#include "core/content.h"

enum { REPAIR_MS = 10 * 1000, REPAIR_MAX_MS = 640 * 1000 };

enum content content_decide(const struct content_case *of)
{
	switch (of->compared) {
	case COMPARED_EQUAL:
		return CONTENT_TRUSTED;
	case COMPARED_DIFFERS:
		return of->is_settled ? CONTENT_TRUSTED : CONTENT_DIFFERS;
	default:
		if (!of->differs)
			return CONTENT_AS_BEFORE;
		return of->was_transferred ? CONTENT_TRUSTED : CONTENT_DIFFERS;
	}
}

int64_t content_repair_pause_ms(int repairs)
{
	int64_t pause = repairs ? REPAIR_MS : 0;

	for (int i = 1; i < repairs && pause < REPAIR_MAX_MS; i++)
		pause *= 4;
	return pause < REPAIR_MAX_MS ? pause : REPAIR_MAX_MS;
}
