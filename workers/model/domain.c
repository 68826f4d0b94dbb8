#include "model/domain.h"

#include <ctype.h>
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

static bool domain_has_loose_slash(const uint8_t *label)
{
	for (int i = 1; i <= label[0]; i++)
		if (label[i] == '/' && (i == 1 || i == label[0] ||
		                        !isalnum(label[i - 1]) || !isalnum(label[i + 1])))
			return true;
	return false;
}

static bool domain_is_path_elsewhere(const struct name *name)
{
	for (const uint8_t *label = name->wire; label[0]; label += 1 + label[0])
		if (domain_has_loose_slash(label))
			return true;
	return false;
}

enum err domain_check_name(const struct name *name, const char *field, struct why *why)
{
	if (name->wire[0] == 1 && name->wire[1] == '*')
		return fail(why, ERR_INVALID, "%s: a domain must not be a wildcard",
		            field);
	if (domain_is_path_elsewhere(name))
		return fail(why, ERR_INVALID, "%s: '/' must be between two letters or "
		            "digits of a label, as in 0/25.2.0.192.in-addr.arpa. "
		            "(RFC 2317)", field);
	return OK;
}
