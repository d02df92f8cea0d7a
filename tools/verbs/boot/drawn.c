/* SPDX-License-Identifier: MIT */
/* headstart boot timeline, headstart boot report: what the last recorded boot waited for. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "boot/files.h"
#include "verb.h"
#include "verbs/boot/boot.h"
#include "verbs/timeline/draw.h"
#include "verbs/timeline/print.h"

static int fail_without_times(void)
{
	_cleanup_free_ char *path = NULL;

	if (boot_path(BOOT_PROFILE, &path) == 0 && access(path, F_OK) == 0)
		return verb_fail(
			"the last boot was recorded without times, by an older headstart or on a kernel that does not "
			"tell them: record another boot");
	return verb_fail(
		"no boot has been recorded yet: type 'sudo systemctl enable headstart-boot headstart-boot-record headstart-boot-done', and reboot");
}

/* The timeline of this machine's last boot. Returns 0, or an exit status after printing the reason. */
static int find_last(const char *what, char **ret)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (geteuid() != 0)
		return verb_fail(
			"only root can read what this machine's boots read: sudo headstart boot %s", what);
	r = boot_path(BOOT_TIMELINE, &path);
	if (r < 0)
		return verb_fail_errno(r, "cannot find the recording of the last boot");
	fd = boot_open(path);
	if (fd == -ENOENT)
		return fail_without_times();
	if (fd == -EPERM)
		return verb_fail("'%s' is not used: others than root could have written it", path);
	*ret = TAKE_PTR(path);
	return 0;
}

int boot_draw(char *const *paths, size_t n, const char *output, const char *format)
{
	_cleanup_free_ char *last = NULL;
	int r = n == 0 ? find_last("timeline", &last) : 0;

	return r ? r
		 : timeline_draw(&(struct drawing){.verb = "boot",
			   .paths = n ? paths : &last,
			   .n = n ? n : 1,
			   .output = output,
			   .format = format,
			   .boots = true});
}

int boot_print(const char *path, bool json, size_t rows)
{
	_cleanup_free_ char *last = NULL;
	int r = path ? 0 : find_last("report", &last);

	return r ? r : timeline_print(path ? path : last, true, json, rows);
}
