#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

enum { REDRAW_MS = 50, NOTE_MS = 10 * 1000, WIDTH_DEFAULT = 80, BAR_WIDTH = 30 };

#define WIPE "\r\033[K"

void progress_begin(struct progress *progress, const struct output *out)
{
	bool is_live = !out->quiet && isatty(STDERR_FILENO);

	*progress = (struct progress){
		.is_live = is_live,
		.is_noted = !is_live && !out->quiet && !out->json,
		.drawn_ms = is_live ? clock_ms() - REDRAW_MS : clock_ms(),
	};
}

static size_t progress_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2)
		return WIDTH_DEFAULT;
	return size.ws_col;
}

static bool progress_is_due(const struct progress *progress)
{
	int pause_ms = progress->is_live ? REDRAW_MS : NOTE_MS;

	return (progress->is_live || progress->is_noted) &&
	       clock_ms() - progress->drawn_ms >= pause_ms;
}

/* A byte is never wider than a column. */
static void progress_draw(const struct buf *line)
{
	static const char more[] = "...";
	size_t width = progress_width() - 1;
	bool is_cut = line->len > width && width > strlen(more);
	size_t len = err_cut(buf_string(line), is_cut ? width - strlen(more) : width);

	fprintf(stderr, WIPE "%.*s%s", (int)len, buf_string(line), is_cut ? more : "");
	fflush(stderr);
}

/* The same line a second time says nothing new. */
static void progress_note(struct progress *progress, const char *line)
{
	if (progress->noted && !strcmp(progress->noted, line))
		return;
	fprintf(stderr, "%s\n", line);
	free(progress->noted);
	progress->noted = xstrdup(line);
}

void progress_line(struct progress *progress, const char *fmt, ...)
{
	struct buf line = { 0 };
	char *text;
	va_list args;
	int len;

	if (!progress_is_due(progress))
		return;
	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	output_escape(text, &line);
	free(text);
	if (progress->is_live)
		progress_draw(&line);
	else
		progress_note(progress, buf_string(&line));
	buf_clear(&line);
	progress->is_drawn = progress->is_live;
	progress->drawn_ms = clock_ms();
}

void progress_bar(struct progress *progress, const char *what, int64_t done,
                  int64_t total, const char *detail)
{
	static const char full[] = "##############################";
	int64_t part = total > 0 ? (done < total ? done : total) : 0;
	int marks;

	if (total <= 0) {
		progress_line(progress, "%s  %s", what, detail);
		return;
	}
	marks = (int)(part * BAR_WIDTH / total);
	progress_line(progress, "%s  [%-*.*s]  %3d %%  %s", what, BAR_WIDTH, marks, full,
	              (int)(part * 100 / total), detail);
}

void progress_end(struct progress *progress)
{
	if (progress->is_drawn)
		fputs(WIPE, stderr);
	progress->is_drawn = false;
	free(progress->noted);
	progress->noted = NULL;
}
