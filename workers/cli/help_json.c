#include "command.h"
#include "help.h"

static json_t *option_row_json(const struct option_row *row)
{
	const char letter[] = { row->letter, '\0' };

	return json_pack("{s:s, s:s?, s:s?, s:s}", "name", row->name, "letter",
	                 *letter ? letter : NULL, "argument", row->argument, "help",
	                 row->help);
}

static json_t *options_json(option_set options)
{
	json_t *json = json_array();

	for (int i = 0; i < OPT_COUNT; i++)
		if (options & OPT_BIT(i))
			json_array_append_new(json, option_row_json(&option_rows[i]));
	return json;
}

static json_t *command_json(const struct command *command)
{
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s}", "words", command->words,
	                 "arguments", command->arguments, "options",
	                 options_json(command->options), "help", command->help, "about",
	                 command->about, "examples", command->examples);
}

static json_t *group_json(const struct command_group *group)
{
	json_t *json = json_array();

	for (size_t i = 0; group->nouns[i]; i++)
		for (const struct command *row = commands; row->words; row++)
			if (command_is_below(row, group->nouns[i]))
				json_array_append_new(json, command_json(row));
	return json_pack("{s:s, s:o}", "title", group->title, "commands", json);
}

json_t *help_json(void)
{
	json_t *groups = json_array(), *exits = json_array();

	for (const struct command_group *group = command_groups; group->title; group++)
		json_array_append_new(groups, group_json(group));
	for (int i = 0; i < EXIT_COUNT; i++)
		json_array_append_new(exits, json_string(cli_exit_meanings[i]));
	return json_pack("{s:o, s:o, s:o}", "groups", groups, "options",
	                 options_json(OPT_COMMON), "exits", exits);
}
