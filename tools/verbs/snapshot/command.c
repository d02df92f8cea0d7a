/* SPDX-License-Identifier: MIT */
/*
 * Takes what a command touches. For root `headstart record` tells its pages and the metadata of disks, from caches that it
 * has emptied; so the names that are in memory afterwards are those that the command has looked up. For others it is what is
 * in memory after the command and was not before.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process.h"
#include "base/times.h"
#include "format/plan.h"
#include "lib/programs/named-program.h"
#include "profile/file/profile-file.h"
#include "record/mark.h"
#include "verb.h"
#include "verbs/snapshot/snapshot.h"

#define MOUNTINFO     "/proc/self/mountinfo"
#define COMMAND_MAX_S 86400 /* a snapshot is of a start, not of a session */

/* Ctrl-C and Ctrl-\ at the terminal end the command, and not the snapshot of what it has touched. */
static const int ignored[] = {SIGINT, SIGQUIT};
#define N_IGNORED (sizeof(ignored) / sizeof(ignored[0]))

/* In the child: runs the program. If that fails, the parent reads why. */
static void execute(const char *path, char *const *argv, int report)
{
	int error;

	execvp(path, argv);
	error = errno;
	(void)!write(report, &error, sizeof(error));
	_exit(127);
}

/*
 * Runs a program, with our standard streams, and waits for it. Returns its exit status, as shells have it, or negative errno if
 * it could not be run.
 */
static int run(const char *path, char *const *argv)
{
	_cleanup_close_ int reader = -1, writer = -1;
	struct sigaction before[N_IGNORED];
	int ends[2], status = 0, error = 0, r;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	reader = ends[0];
	writer = ends[1];
	for (size_t i = 0; i < N_IGNORED; i++)
		sigaction(ignored[i], &(struct sigaction){.sa_handler = SIG_IGN}, &before[i]);
	child = fork();
	r = child < 0 ? -errno : 0;
	if (child == 0) {
		for (size_t i = 0; i < N_IGNORED; i++)
			sigaction(ignored[i], &before[i], NULL);
		execute(path, argv, writer);
	}
	close(TAKE_FD(writer));
	if (r == 0)
		r = process_await(child, 0, &status);
	for (size_t i = 0; i < N_IGNORED; i++)
		sigaction(ignored[i], &before[i], NULL);
	if (r < 0)
		return r;
	if (read(reader, &error, sizeof(error)) == sizeof(error))
		return error > 0 ? -error : -EIO;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Records the command to a file. Returns 0, or an exit status after somebody has printed the reason. */
static int record_to(const char *path, char *const *argv)
{
	char seconds[16];
	const char *const options[] = {"headstart-tool", "record", "--quiet", "--keep-read-ahead",
		"--timeout", seconds, "--output", path, "--"};
	size_t n_options = sizeof(options) / sizeof(options[0]), n = 0;
	_cleanup_free_ const char **words = NULL;
	int r;

	snprintf(seconds, sizeof(seconds), "%d", COMMAND_MAX_S);
	while (argv[n])
		n++;
	words = calloc(n_options + n + 1, sizeof(*words));
	if (!words)
		return verb_fail_errno(ENOMEM, "cannot record '%s'", argv[0]);
	memcpy(words, options, sizeof(options));
	memcpy(words + n_options, argv, n * sizeof(*words));
	r = run("/proc/self/exe", (char *const *)words);
	return r < 0 ? verb_fail_errno(r, "cannot record '%s'", argv[0]) : r;
}

/* Returns 0, or an exit status after the reason is printed. */
static int take_recorded(char *const *argv, const char *path, struct snapshot *ret)
{
	_cleanup_(snapshot_releasep) struct snapshot names = {.names_only = true};
	enum profile_fault fault = PROFILE_GOOD;
	int r = record_to(path, argv);

	if (r)
		return r;
	r = profile_load(path, &ret->profile, &fault);
	if (r < 0)
		return verb_fail_errno(r, "cannot read what was recorded of '%s'", argv[0]);
	ret->touches = ret->profile.touches;
	r = snapshot_add_disks(&names, MOUNTINFO);
	if (r == 0)
		r = snapshot_add_names(ret, &names);
	return r < 0 ? verb_fail_errno(r, "cannot take a snapshot of '%s'", argv[0]) : 0;
}

/* As root: through a folder that nobody else can enter. */
static int take_by_recording(char *const *argv, struct snapshot *ret)
{
	char folder[] = "/tmp/headstart-snapshot.XXXXXX", path[sizeof(folder) + 16];
	int r;

	if (!mkdtemp(folder))
		return verb_fail_errno(errno, "cannot make a folder in '/tmp'");
	snprintf(path, sizeof(path), "%s/profile", folder);
	r = take_recorded(argv, path, ret);
	unlink(path);
	rmdir(folder);
	return r;
}

/* What headstart read ahead for the command would count as touched (format/recording.h). */
static int refuse_reading_ahead(void)
{
	char name[MARK_NAME_MAX];

	snprintf(name, sizeof(name), "%d-snapshot-%llu", getpid(),
		(unsigned long long)boottime_seconds() + COMMAND_MAX_S);
	return setenv(MARK_VARIABLE, name, 1) < 0 ? -errno : 0;
}

static int take_difference(char *const *argv, struct snapshot *ret)
{
	_cleanup_(snapshot_releasep) struct snapshot before = {0};
	int r = snapshot_add_disks(&before, MOUNTINFO), status;

	if (r < 0)
		return verb_fail_errno(r, "cannot take a snapshot of the disks");
	r = refuse_reading_ahead();
	if (r < 0)
		return verb_fail_errno(r, "cannot run '%s'", argv[0]);
	status = run(argv[0], argv);
	if (status < 0)
		return program_refusal(status, argv[0]);
	if (status > 0)
		verb_note("'%s' ended with exit status %d", argv[0], status);
	r = snapshot_add_disks(ret, MOUNTINFO);
	if (r == 0)
		r = snapshot_subtract(ret, &before);
	return r < 0 ? verb_fail_errno(r, "cannot take a snapshot of '%s'", argv[0]) : 0;
}

int snapshot_take_command(char *const *argv, struct snapshot *ret)
{
	int r = geteuid() == 0 ? take_by_recording(argv, ret) : take_difference(argv, ret);

	if (r)
		return r;
	r = snapshot_finish(ret, "/", argv[0], PLAN_FILES_MAX);
	if (r == -ENODATA)
		return verb_fail(
			"'%s' brought nothing into memory that was not there; name its folders instead",
			argv[0]);
	return r < 0 ? verb_fail_errno(r, "cannot take a snapshot of '%s'", argv[0]) : 0;
}
