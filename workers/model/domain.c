#include "model/domain.h"

#include <string.h>

static const char *const action_names[ACTION_COUNT] = {
	[ACTION_CREATE] = "CREATE",
	[ACTION_UPDATE] = "UPDATE",
	[ACTION_DELETE] = "DELETE",
};

const char *action_name(enum action action)
{
	return (unsigned)action < ACTION_COUNT ? action_names[action] : "?";
}

bool action_parse(const char *text, enum action *action)
{
	for (int i = 0; i < ACTION_COUNT; i++) {
		if (!strcmp(text, action_names[i])) {
			*action = i;
			return true;
		}
	}
	return false;
}
