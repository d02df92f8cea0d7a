/* SPDX-License-Identifier: MIT */
/* Unit tests of which processes the daemon takes for such as live in its own world, and which have switched it off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "headstartd/look/process.h"
#include "start-process.h"

static char self[PATH_MAX], switch_off[] = "HEADSTART=off";

struct place {
	int namespaces;
	const char *root; /* NULL: ours */
};

static bool move_there(const void *context, int ready)
{
	const struct place *place = context;

	return unshare(place->namespaces) == 0 && (!place->root || chroot(place->root) == 0);
}

/* A child in namespaces of its own, or below another root; -1 where that cannot be made. */
static pid_t start(int namespaces, const char *root)
{
	return start_process(move_there, &(struct place){namespaces, root});
}

static bool is_here(int namespaces, const char *root)
{
	struct process_seen seen = {.pid = start(namespaces, root), .executed = self};

	if (seen.pid < 0) {
		print_message("partial: no namespaces here\n");
		skip();
	}
	assert_true(process_see(&seen));
	end_process(seen.pid);
	if (!root)
		assert_string_equal(seen.image, self);
	return seen.here;
}

static void a_process_like_us_is_here(void **state)
{
	assert_true(is_here(0, NULL));
}

static void in_another_mount_namespace_it_is_not(void **state)
{
	assert_false(is_here(CLONE_NEWNS, NULL));
}

/* There a user has many ids. */
static void in_another_user_namespace_it_is_not(void **state)
{
	assert_false(is_here(CLONE_NEWUSER, NULL));
}

static void below_another_root_it_is_not(void **state)
{
	assert_false(is_here(0, "/usr"));
}

/* It has a program and a script where there is nothing here. */
static bool mount_there(const void *point, int ready)
{
	static const char script[] = "#!/bin/sh\necho\nkill -STOP $$\n";

	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount("test", point, "tmpfs", 0, "mode=755") == 0 && chdir(point) == 0 &&
		copy_program(self, "program") == 0 &&
		write_program("script", script, sizeof(script) - 1) == 0;
}

struct execution {
	char folder[64];
	const char *name;
};

/* Returns only on failure. Such a program says by its standard output that it is ready. */
static bool execute_there(const void *context, int ready)
{
	const struct execution *execution = context;

	if (dup2(ready, 1) == 1 && chdir(execution->folder) == 0)
		execl(execution->name, execution->name, "stay", NULL);
	return false;
}

/* Its process is here, but the names that the kernel tells of it mean something else here, or nothing. */
static void a_file_of_another_namespace_is_not_here(void **state)
{
	char point[] = "/tmp/headstart-process.XXXXXX";
	struct process_seen seen = {.executed = "./program"};
	struct execution execution = {.name = seen.executed};
	pid_t other;

	assert_non_null(mkdtemp(point));
	other = start_process(mount_there, point);
	if (other < 0) {
		rmdir(point);
		print_message("partial: no namespaces here\n");
		skip();
	}
	snprintf(execution.folder, sizeof(execution.folder), "/proc/%d/root%s", (int)other, point);
	seen.pid = start_process(execute_there, &execution);
	assert_true(seen.pid > 0);
	assert_true(process_see(&seen));
	assert_false(seen.here || seen.named);
	end_process(seen.pid);

	seen.executed = execution.name = "./script";
	seen.pid = start_process(execute_there, &execution);
	assert_true(seen.pid > 0);
	assert_true(process_see(&seen));
	assert_true(seen.here);
	assert_string_equal(seen.program, seen.image); /* its interpreter */
	end_process(seen.pid);
	end_process(other);
	assert_int_equal(rmdir(point), 0);
}

static void a_process_that_has_ended_is_not_seen(void **state)
{
	struct process_seen seen = {.pid = start(0, NULL), .executed = self};

	assert_true(seen.pid > 0);
	end_process(seen.pid);
	assert_false(process_see(&seen));
}

/* Whether a program with nothing but this in its environment, if not NULL, is left alone. */
static bool is_off(char *variable)
{
	char *environment[] = {variable, NULL}, byte = 0;
	int to[2], from[2];
	pid_t pid;
	bool off;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (dup2(to[0], 0) == 0 && dup2(from[1], 1) == 1)
			execle("/bin/cat", "cat", NULL, environment);
		_exit(1);
	}
	close(to[0]);
	close(from[1]);
	/* It runs when it answers. */
	assert_int_equal(write(to[1], "", 1), 1);
	assert_int_equal(read(from[0], &byte, 1), 1);
	off = process_switched_off(pid);
	close(to[1]);
	close(from[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return off;
}

static void a_recording_that_is_over_switches_nothing_off(void **state)
{
	static char past[] = "HEADSTART_RECORDING=1-2-1", future[] = "HEADSTART_RECORDING=1-2-99999999999",
		    never[] = "HEADSTART_RECORDING=1-2", other[] = "OTHER=off";

	assert_false(is_off(other));
	assert_false(is_off(NULL));
	assert_false(is_off(past));
	assert_true(is_off(switch_off));
	assert_true(is_off(future));
	assert_true(is_off(never));
}

/* It may have said so, whether its parent has waited for it or not. */
static void a_process_that_has_ended_is_switched_off(void **state)
{
	pid_t pid = start(0, NULL);
	siginfo_t info;

	assert_true(pid > 0);
	assert_false(process_switched_off(pid));
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_true(process_switched_off(pid));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(process_switched_off(pid));
}

/* Executes itself again and again, switched off. */
static void execute_again(void)
{
	static char again[] = "again";
	char *arguments[] = {self, again, NULL}, *environment[] = {switch_off, NULL};

	execve(self, arguments, environment);
}

/* While a process executes a program, its memory is that of the program, without an environment yet. */
static void a_process_that_executes_another_program_is_switched_off_as_that_is(void **state)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execute_again();
		_exit(1);
	}
	while (!process_switched_off(pid)) /* it is still this program, which is not */
		;
	for (unsigned i = 0; i < 5000; i++)
		assert_true(process_switched_off(pid));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_like_us_is_here),
		cmocka_unit_test(in_another_mount_namespace_it_is_not),
		cmocka_unit_test(in_another_user_namespace_it_is_not),
		cmocka_unit_test(below_another_root_it_is_not),
		cmocka_unit_test(a_file_of_another_namespace_is_not_here),
		cmocka_unit_test(a_process_that_has_ended_is_not_seen),
		cmocka_unit_test(a_recording_that_is_over_switches_nothing_off),
		cmocka_unit_test(a_process_that_has_ended_is_switched_off),
		cmocka_unit_test(a_process_that_executes_another_program_is_switched_off_as_that_is),
	};

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
		return 1;
	if (argc > 1) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (strcmp(argv[1], "stay") == 0 && write(1, "", 1) == 1)
			stay();
		execute_again();
		return 1;
	}
	if (geteuid() != 0) {
		puts("only root can make namespaces");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
