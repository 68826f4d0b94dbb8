#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/kept_file.h"

#define MARK ".unread"

static char folder[] = "/tmp/kept_file.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void assert_file(const char *name, const char *want)
{
	char text[4096] = "";
	FILE *file = fopen(path_of(name), "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, want);
}

static ino_t inode_of(const char *name)
{
	struct stat stat;

	assert_int_equal(lstat(path_of(name), &stat), 0);
	return stat.st_ino;
}

static bool is_new(const char *name, const char *text)
{
	struct why why;
	bool result;

	assert_int_equal(kept_file_write(folder, name, MARK, text, strlen(text), &result,
	                                 &why), OK);
	return result;
}

static mode_t mode_of(const char *name)
{
	struct stat stat;

	assert_int_equal(lstat(path_of(name), &stat), 0);
	return stat.st_mode & 07777;
}

static bool take_mark(void)
{
	return unlink(path_of(MARK)) == 0;
}

static void only_if_it_has_to_be_another(void **state)
{
	ino_t was;

	(void)state;
	assert_false(kept_file_is_there(folder, "a"));
	assert_true(is_new("a", ""));
	assert_true(kept_file_is_there(folder, "a"));
	assert_true(take_mark());
	assert_false(is_new("a", ""));
	assert_true(is_new("a", "one\n"));
	assert_file("a", "one\n");
	assert_true(take_mark());
	was = inode_of("a");
	assert_false(is_new("a", "one\n"));
	assert_int_equal(inode_of("a"), was);
	assert_false(take_mark());
	assert_true(is_new("a", "one\ntwo\n"));
	assert_file("a", "one\ntwo\n");
	assert_true(is_new("a", "one\ntwp\n"));
	assert_true(is_new("a", "one\n"));
	assert_file("a", "one\n");
	take_mark();
}

static void everyone_may_read_it(void **state)
{
	mode_t before = umask(077);

	(void)state;
	assert_true(is_new("b", "x"));
	umask(before);
	assert_int_equal(mode_of("b"), 0644);
	assert_int_equal(chmod(path_of("b"), 0600), 0);
	assert_true(is_new("b", "x"));
	assert_int_equal(mode_of("b"), 0644);
	assert_false(is_new("b", "x"));
	take_mark();
}

/* Nothing is written where it leads to, nor is a file that was left half written kept. */
static void what_others_put_there(void **state)
{
	int fd = open(path_of(".c.new"), O_WRONLY | O_CREAT, 0600);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "half", 4), 4);
	close(fd);
	assert_true(is_new("victim", "untouched"));
	assert_int_equal(symlink("victim", path_of("c")), 0);
	assert_false(kept_file_is_there(folder, "c"));
	assert_true(is_new("c", "new"));
	assert_file("c", "new");
	assert_file("victim", "untouched");
	assert_true(kept_file_is_there(folder, "c"));
	assert_int_equal(mkfifo(path_of("d"), 0600), 0);
	assert_true(is_new("d", "new"));
	assert_file("d", "new");
	assert_int_not_equal(access(path_of(".c.new"), F_OK), 0);
	take_mark();
}

static void what_cannot_be(void **state)
{
	struct why why;
	bool result;

	(void)state;
	assert_int_equal(mkdir(path_of("e"), 0700), 0);
	assert_int_equal(kept_file_write(folder, "e", MARK, "x", 1, &result, &why),
	                 ERR_UNREACHABLE);
	assert_non_null(strstr(why.text, "/e: cannot replace"));
	assert_int_not_equal(access(path_of(".e.new"), F_OK), 0);
	assert_int_equal(kept_file_write("/nowhere/at/all", "e", MARK, "x", 1, &result,
	                                 &why), ERR_UNREACHABLE);
}

/* ---- who is killed ---- */

static enum { NOWHERE, BEFORE, BEHIND } dies;

/* The one of this program: whoever is to die there does, as if by kill -9. */
int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	int failed;

	if (dies == BEFORE)
		raise(SIGKILL);
	failed = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
	if (dies == BEHIND)
		raise(SIGKILL);
	return failed;
}

static void die_writing(const char *name, const char *text, int where)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct why why;
		bool result;

		dies = where;
		kept_file_write(folder, name, MARK, text, strlen(text), &result, &why);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* The file is what it was, and what is left over is in nobody's way. */
static void killed_before_it_is_replaced(void **state)
{
	(void)state;
	assert_true(is_new("f", "old"));
	assert_true(take_mark());
	die_writing("f", "new, and whole", BEFORE);
	assert_file("f", "old");
	assert_true(kept_file_is_there(folder, MARK));
	assert_int_equal(access(path_of(".f.new"), F_OK), 0);
	assert_true(is_new("f", "new"));
	assert_file("f", "new");
	assert_int_not_equal(access(path_of(".f.new"), F_OK), 0);
	assert_true(take_mark());
}

/* Whoever comes next finds it as it is to be: only the mark says that nobody was told. */
static void killed_behind_that(void **state)
{
	(void)state;
	assert_true(is_new("f", "old"));
	take_mark();
	die_writing("f", "newer", BEHIND);
	assert_file("f", "newer");
	assert_int_equal(mode_of("f"), 0644);
	assert_false(is_new("f", "newer"));
	assert_true(take_mark());
}

/* What cannot be marked is not replaced: nobody would know. */
static void what_cannot_be_marked(void **state)
{
	struct why why;
	bool result;

	(void)state;
	assert_true(is_new("f", "old"));
	take_mark();
	assert_int_equal(mkdir(path_of(MARK), 0700), 0);
	assert_int_equal(kept_file_write(folder, "f", MARK, "new", 3, &result, &why),
	                 ERR_UNREACHABLE);
	assert_non_null(strstr(why.text, "/f: cannot mark"));
	assert_file("f", "old");
	assert_int_not_equal(access(path_of(".f.new"), F_OK), 0);
	assert_int_equal(rmdir(path_of(MARK)), 0);
	assert_int_equal(symlink("victim", path_of(MARK)), 0);
	assert_int_equal(kept_file_write(folder, "f", MARK, "new", 3, &result, &why),
	                 ERR_UNREACHABLE);
	assert_file("f", "old");
	take_mark();
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "f", "victim", MARK };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	rmdir(path_of("e"));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_if_it_has_to_be_another),
		cmocka_unit_test(everyone_may_read_it),
		cmocka_unit_test(what_others_put_there),
		cmocka_unit_test(what_cannot_be),
		cmocka_unit_test(killed_before_it_is_replaced),
		cmocka_unit_test(killed_behind_that),
		cmocka_unit_test(what_cannot_be_marked),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
