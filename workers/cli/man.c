#include <string.h>

#include "base/version.h"
#include "command.h"
#include "help.h"

/* Escapes text for roff: no control lines, and hyphens that can be copied. */
static void man_escape(const char *text, FILE *to)
{
	bool is_line_start = true;

	for (; *text; text++) {
		if (is_line_start && (*text == '.' || *text == '\''))
			fputs("\\&", to);
		if (*text == '\\')
			fputs("\\e", to);
		else if (*text == '-')
			fputs("\\-", to);
		else
			fputc(*text, to);
		is_line_start = *text == '\n';
	}
}

static void man_paragraphs(const char *text, FILE *to)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char paragraph[4096];

		snprintf(paragraph, sizeof paragraph, "%.*s", (int)len, text);
		man_escape(paragraph, to);
		text += len + (text[len] == '\n');
		fputs(*text ? "\n.PP\n" : "\n", to);
	}
}

static void man_option(const struct option_row *row, FILE *to)
{
	fputs(".TP\n.B ", to);
	if (row->letter)
		fprintf(to, "\\-%c, ", row->letter);
	fputs("\\-\\-", to);
	man_escape(row->name, to);
	if (row->argument)
		fprintf(to, " \\fI%s\\fR", row->argument);
	fputc('\n', to);
	man_escape(row->help, to);
	fputc('\n', to);
}

static void man_command(const struct command *command, FILE *to)
{
	fprintf(to, ".SS zonefleet %s \\fI%s\\fR\n", command->words, command->arguments);
	man_paragraphs(command->about, to);
	for (int i = OPT_COMMON_COUNT; i < OPT_COUNT; i++)
		if (command->options & OPT_BIT(i))
			man_option(&option_rows[i], to);
	fputs(".PP\n.EX\n", to);
	man_escape(command->examples, to);
	fputs("\n.EE\n", to);
}

static void man_exits(FILE *to)
{
	fputs(".SH EXIT STATUS\n", to);
	for (int i = 0; i < EXIT_COUNT; i++) {
		fprintf(to, ".TP\n.B %d\n", i);
		man_escape(cli_exit_meanings[i], to);
		fputc('\n', to);
	}
	fputs(".PP\nThe client prints an error as one line on standard error.\n"
	      "If you give\n.BR \\-\\-json ,\n"
	      "the document on standard output contains the error as the object\n"
	      "\\(dqerror\\(dq, with \\(dqclass\\(dq and \\(dqmessage\\(dq.\n"
	      "The document also contains the results that came before the error.\n", to);
}

static void man_settings(FILE *to)
{
	fputs(".SH SETTINGS\nThe client reads the groups\n.BR broker ,\n.BR database\n"
	      "(for\n.B zonefleet db\nonly),\n.B log\nand\n.B client\n"
	      "of the file that all programs of the fleet share. The group\n"
	      ".B client\ncontains these settings:\n", to);
	for (const struct option *row = client_options; row->key; row++) {
		fputs(".TP\n.B ", to);
		man_escape(row->key, to);
		fputc('\n', to);
		man_escape(row->help, to);
		fprintf(to, ". The default is \\(dq%s\\(dq\n", row->fallback);
	}
	fputs(".SH ENVIRONMENT\n.TP\n.B ZONEFLEET_CONFIG\n"
	      "path of the settings file. The client reads this file if you do not\n"
	      "give\n.B \\-\\-config\n.TP\n.B NO_COLOR\n"
	      "If this variable is set, the client prints no colors\n.SH FILES\n.TP\n"
	      ".I /etc/zonefleet/zonefleet.cfg\ndefault settings file\n", to);
}

void help_man(FILE *to)
{
	fprintf(to, ".TH ZONEFLEET 1 \"\" \"zonefleet %s\" \"User Commands\"\n"
	        ".SH NAME\n"
	        "zonefleet \\- create and change DNS domains on a fleet of name servers\n"
	        ".SH SYNOPSIS\n.B zonefleet\n[\\fIOPTION\\fR...] \\fICOMMAND\\fR "
	        "[\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n"
	        "Creates, changes and shows domains and their records, and shows the\n"
	        "state of the name servers.\n"
	        "To name a domain, write its name with or without a final dot, or\n"
	        "write its id.\nTo name a record, write its name relative to the\n"
	        "domain (www, or @ for the domain itself), or its absolute name with\n"
	        "a final dot.\nYou can put options anywhere. Put\n.B \\-\\-\n"
	        "before arguments that begin with a hyphen.\n"
	        ".SH OPTIONS\n", version_text);
	for (int i = 0; i < OPT_COMMON_COUNT; i++)
		man_option(&option_rows[i], to);
	fputs(".SH COMMANDS\n", to);
	for (const struct command *row = commands; row->words; row++)
		man_command(row, to);
	man_exits(to);
	man_settings(to);
}
