#include <stdio.h>
#include <string.h>

#include "command.h"
#include "handlers.h"
#include "model/quota.h"

/*
 * Writes the completion for bash from the table of commands: the first words, the second
 * words of each, and the options or files of a command.
 */

static const char head[] =
"# bash completion of zonefleet; written by `zonefleet completion bash`\n"
"_zonefleet()\n"
"{\n"
"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
"\tlocal words=() options value word takes=0 i\n";

static const char walk[] =
"\tCOMPREPLY=()\n"
"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
"\t\tword=${COMP_WORDS[i]}\n"
"\t\tif ((takes)); then takes=0; continue; fi\n"
"\t\tcase \" $value \" in *\" $word \"*) takes=1; continue ;; esac\n"
"\t\tcase $word in -*|=) ;; *) words+=(\"$word\") ;; esac\n"
"\tdone\n"
"\tif ((takes)); then\n"
"\t\tcase $prev in --config|-c|--secret-file)\n"
"\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
"\t\tesac\n"
"\t\treturn\n"
"\tfi\n";

static const char foot[] =
"\tcase $cur in\n"
"\t-*) COMPREPLY=($(compgen -W \"$options $common\" -- \"$cur\")) ;;\n"
"\t*) [[ $choice == FILE ]] && COMPREPLY=($(compgen -f -- \"$cur\")) ||\n"
"\t\tCOMPREPLY=($(compgen -W \"$choice\" -- \"$cur\")) ;;\n"
"\tesac\n"
"}\n"
"complete -o filenames -F _zonefleet zonefleet\n";

static void completion_print_options(option_set options)
{
	const char *space = "";

	for (int i = 0; i < OPT_COUNT; i++) {
		if (!(options & OPT_BIT(i)))
			continue;
		printf("%s--%s", space, option_rows[i].name);
		space = " ";
	}
}

static void completion_print_valued(void)
{
	printf("\tvalue='");
	for (int i = 0; i < OPT_COUNT; i++) {
		if (!option_rows[i].argument)
			continue;
		if (option_rows[i].letter)
			printf("-%c ", option_rows[i].letter);
		printf("--%s ", option_rows[i].name);
	}
	printf("'\n");
}

static bool completion_is_first_of_noun(const struct command *command, size_t len)
{
	for (const struct command *other = commands; other < command; other++)
		if (!strncmp(other->words, command->words, len) &&
		    other->words[len] == ' ')
			return false;
	return true;
}

static size_t completion_noun_len(const struct command *command)
{
	return strcspn(command->words, " ");
}

static void completion_print_nouns(void)
{
	for (const struct command *command = commands; command->words; command++)
		if (completion_is_first_of_noun(command, completion_noun_len(command)))
			printf("%.*s ", (int)completion_noun_len(command),
			       command->words);
}

/* `domain) choice='create list ...' ;;` for each noun with verbs. */
static void completion_print_verbs(void)
{
	for (const struct command *command = commands; command->words; command++) {
		size_t len = completion_noun_len(command);

		if (!command->words[len] || !completion_is_first_of_noun(command, len))
			continue;
		printf("\t1:%.*s) choice='", (int)len, command->words);
		for (const struct command *verb = command; verb->words; verb++)
			if (!strncmp(verb->words, command->words, len) &&
			    verb->words[len] == ' ')
				printf("%s ", verb->words + len + 1);
		printf("' ;;\n");
	}
}

/* The number of words before the first ARGUMENT; 0: the command has no such argument. */
static int completion_words_before(const struct command *command, const char *argument)
{
	const char *place = strstr(command->arguments, argument);
	int count = command->words[completion_noun_len(command)] ? 2 : 1;

	for (const char *at = command->arguments; place && at < place; at++)
		count += *at == ' ';
	return place ? count : 0;
}

static void completion_print_file(const struct command *command)
{
	int count = completion_words_before(command, "FILE");

	if (count)
		printf("; [[ ${#words[@]} == %d ]] && choice=FILE", count);
}

static void completion_print_resource(const struct command *command)
{
	int count = completion_words_before(command, "RESOURCE");

	if (!count)
		return;
	printf("; [[ ${#words[@]} == %d ]] && choice='", count);
	for (enum quota i = 0; i < QUOTA_COUNT; i++)
		printf("%s ", quota_name(i));
	printf("'");
}

static void completion_print_command(void)
{
	for (const struct command *command = commands; command->words; command++) {
		printf("\t'%s '*) options='", command->words);
		completion_print_options(command->options);
		printf("'");
		completion_print_file(command);
		completion_print_resource(command);
		printf(" ;;\n");
	}
}

enum err completion_print(struct cli *cli)
{
	if (strcmp(cli->argv[0], "bash") != 0)
		return cli_usage(cli,
		                 "completion is available only for bash, not for '%s'",
		                 cli->argv[0]);
	fputs(head, stdout);
	printf("\tlocal choice='' common='");
	completion_print_options(OPT_COMMON);
	printf("'\n");
	completion_print_valued();
	fputs(walk, stdout);
	printf("\tcase \"${#words[@]}:${words[0]-}\" in\n\t0:) choice='");
	completion_print_nouns();
	printf("' ;;\n");
	completion_print_verbs();
	printf("\t1:help) choice='");
	completion_print_nouns();
	printf("' ;;\n\t1:completion) choice=bash ;;\n\tesac\n\tcase \"${words[*]-} \" "
	       "in\n");
	completion_print_command();
	printf("\tesac\n");
	fputs(foot, stdout);
	return OK;
}
