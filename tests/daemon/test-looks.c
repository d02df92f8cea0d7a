/* SPDX-License-Identifier: MIT */
/*
 * Who pays for what the daemon's looks at others take: whose a program in other namespaces is, how many names are composed for
 * users and for root, and who is left alone after an answer that did not come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/times.h"
#include "headstartd/look/elsewhere.h"
#include "headstartd/look/looker.h"
#include "record/events/execs.h"
#include "record/restore/kernelfs.h"
#include "start-process.h"

#define SOMEBODY  12345
#define COMPOSED  64 /* names at once, and one more every 20 ms (headstartd/look/elsewhere.c) */
#define COMPOSE_S 50
#define PROGRAMS  80

static char self[PATH_MAX], folder[] = "/tmp/looks.XXXXXX", stored[64], program[64], point[64], mounted[64];

struct life {
	uid_t user;
	size_t groups;
	int namespaces[2]; /* the second in the first */
	bool elsewhere;    /* executes this program by a name that only mounts of its own give it */
};

/* Returns only on failure. */
static void execute_elsewhere(int ready)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", ready);
	execl(mounted, mounted, number, NULL);
}

static bool tell(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write_full(fd, text, strlen(text)) == 0;
}

/* Whoever has no id in a user namespace cannot make another one in it. */
static bool map_user(uid_t user)
{
	char line[32];

	snprintf(line, sizeof(line), "%u %u 1", (unsigned)user, (unsigned)user);
	prctl(PR_SET_DUMPABLE, 1); /* setuid(2) has given the files in /proc to root */
	return tell("/proc/self/uid_map", line) && tell("/proc/self/setgroups", "deny") &&
		tell("/proc/self/gid_map", line);
}

/* The same one each time: a list of groups may have any length that the kernel allows. */
static bool take_groups(size_t n)
{
	_cleanup_free_ gid_t *groups = calloc(n, sizeof(*groups));

	return groups && setgroups(n, groups) == 0;
}

static bool live(const void *context, int ready)
{
	const struct life *life = context;

	if (life->elsewhere &&
		(unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
			mount(stored, point, NULL, MS_BIND, NULL) < 0))
		return false;
	if (life->groups && !take_groups(life->groups))
		return false;
	if (life->user && (setgid(life->user) < 0 || setuid(life->user) < 0))
		return false;
	for (unsigned i = 0; i < 2 && life->namespaces[i]; i++)
		if (unshare(life->namespaces[i]) < 0 ||
			(i == 0 && life->namespaces[1] && !map_user(life->user)))
			return false;
	if (life->elsewhere)
		execute_elsewhere(ready);
	return !life->elsewhere;
}

static pid_t start(const struct life *life)
{
	pid_t pid = start_process(live, life);

	if (pid < 0) {
		print_message("partial: no namespaces here\n");
		skip();
	}
	return pid;
}

/* Whose it is. */
static uid_t see_user(const struct life *life)
{
	struct process_seen seen = {.pid = start(life), .executed = self};

	assert_true(process_see(&seen));
	assert_false(seen.here);
	assert_true(elsewhere_see(&seen));
	end_process(seen.pid);
	return seen.user;
}

static void whoever_lives_in_a_namespace_of_roots_is_not_root(void **state)
{
	assert_int_equal(see_user(&(struct life){.namespaces = {CLONE_NEWNS}}), 0);
	assert_int_not_equal(see_user(&(struct life){.namespaces = {CLONE_NEWUSER}}), 0);
}

static void ids_in_a_users_namespace_are_that_user(void **state)
{
	assert_int_equal(see_user(&(struct life){.user = SOMEBODY, .namespaces = {CLONE_NEWUSER}}), SOMEBODY);
	assert_int_equal(see_user(&(struct life){.user = SOMEBODY,
				 .namespaces = {CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNS}}),
		SOMEBODY);
}

static bool has_name(const struct life *life, pid_t pid)
{
	struct process_seen seen = {.pid = pid, .executed = mounted};

	assert_true(process_see(&seen));
	assert_int_equal(seen.user, life->user);
	return elsewhere_see(&seen) && strcmp(seen.image, program) == 0;
}

static void many_programs_of_a_user_take_no_name_from_others(void **state)
{
	const struct life users = {.user = SOMEBODY, .elsewhere = true}, roots = {.elsewhere = true},
			  others = {.user = SOMEBODY + 1, .elsewhere = true};
	pid_t pids[PROGRAMS], root = start(&roots), other = start(&others);
	uint64_t began, most;
	unsigned named = 0;

	for (unsigned i = 0; i < PROGRAMS; i++)
		pids[i] = start(&users); /* each has a mount of its own, so no name serves two */
	began = monotonic_ms();
	for (unsigned i = 0; i < PROGRAMS; i++)
		named += has_name(&users, pids[i]);
	most = COMPOSED + 1 + (monotonic_ms() - began) * COMPOSE_S / 1000;
	assert_true(named > 0);
	assert_true(named <= most);
	assert_true(has_name(&roots, root));
	assert_true(has_name(&others, other));
	for (unsigned i = 0; i < PROGRAMS; i++)
		end_process(pids[i]);
	end_process(root);
	end_process(other);
}

/* Returns only on failure. */
static bool execute_from(const void *context, int ready)
{
	char path[PATH_MAX], number[16];

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)*(const pid_t *)context, mounted);
	snprintf(number, sizeof(number), "%d", ready);
	execl(path, path, number, NULL);
	return false;
}

/* Whoever executes it is in our namespaces, where nothing has the name that the kernel tells. */
static void a_file_of_another_namespace_has_no_name(void **state)
{
	struct process_seen seen = {.executed = mounted};
	pid_t other = start(&(struct life){.elsewhere = true});

	seen.pid = start_process(execute_from, &other);
	assert_true(seen.pid > 0);
	assert_true(process_see(&seen));
	assert_false(seen.here);
	assert_false(elsewhere_see(&seen));
	assert_false(seen.named);
	end_process(seen.pid);
	end_process(other);
}

static bool looks_at(struct looker *looker, pid_t pid)
{
	return looker_see(looker, &(struct process_seen){.pid = pid, .executed = self});
}

/* The looker's child gets this signal before it is asked for that process. */
static void disturb(struct looker *looker, int signal, pid_t pid)
{
	pid_t child;

	assert_true(looks_at(looker, getpid()));
	child = looker->child;
	assert_true(child > 0);
	kill(child, signal);
	assert_false(looks_at(looker, pid));
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* As if the process kept it waiting. */
static void keep_waiting(struct looker *looker, pid_t pid)
{
	disturb(looker, SIGSTOP, pid);
}

static void who_keeps_the_daemon_waiting_is_left_alone_and_nobody_else(void **state)
{
	const struct life lives[] = {{.namespaces = {CLONE_NEWNS}}, {.namespaces = {CLONE_NEWUSER}},
		{.user = SOMEBODY}, {.user = SOMEBODY, .namespaces = {CLONE_NEWUSER}}};
	enum { OTHER_MOUNTS, OTHER_IDS, USER, IDS_OF_USER, LIVES };
	struct looker looker = LOOKER_INIT;
	pid_t pids[LIVES], other = start(&(struct life){.user = SOMEBODY + 1});

	for (unsigned i = 0; i < LIVES; i++)
		pids[i] = start(&lives[i]);
	for (unsigned i = 0; i < LIVES; i++)
		assert_true(looks_at(&looker, pids[i]));
	keep_waiting(&looker, pids[IDS_OF_USER]);
	assert_false(looks_at(&looker, pids[IDS_OF_USER]));
	assert_false(looks_at(&looker, pids[OTHER_IDS])); /* whose ids are whose is not known there */
	assert_true(looks_at(&looker, pids[OTHER_MOUNTS]));
	assert_true(looks_at(&looker, pids[USER]));
	keep_waiting(&looker, pids[OTHER_MOUNTS]);
	assert_false(looks_at(&looker, pids[OTHER_MOUNTS]));
	assert_true(looks_at(&looker, pids[USER]));
	keep_waiting(&looker, pids[USER]);
	assert_false(looks_at(&looker, pids[USER]));
	assert_true(looks_at(&looker, other));
	assert_true(looks_at(&looker, getpid()));
	looker_release(&looker);
	for (unsigned i = 0; i < LIVES; i++)
		end_process(pids[i]);
	end_process(other);
}

static void a_child_that_has_ended_is_nobodys_fault(void **state)
{
	struct looker looker = LOOKER_INIT;
	pid_t pid = start(&(struct life){.user = SOMEBODY});

	disturb(&looker, SIGKILL, pid);
	assert_true(looks_at(&looker, pid));
	looker_release(&looker);
	end_process(pid);
}

static void *end_soon(void *pid)
{
	usleep(200000); /* the looker waits a second */
	end_process(*(pid_t *)pid);
	return NULL;
}

/* One that has ended is not asked for. */
static void who_has_ended_keeps_nobody_waiting(void **state)
{
	struct looker looker = LOOKER_INIT;
	pid_t pid = start(&(struct life){0}), child;

	assert_true(looks_at(&looker, pid));
	child = looker.child;
	end_process(pid);
	kill(child, SIGSTOP);
	assert_false(looks_at(&looker, pid));
	assert_int_equal(looker.child, child);
	looker_release(&looker);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Whose it was is told as long as its parent has not waited for it. */
static void a_process_that_ends_before_it_is_blamed_blames_no_service(void **state)
{
	struct looker looker = LOOKER_INIT;
	pid_t service = start(&(struct life){.namespaces = {CLONE_NEWNS}}),
	      sandbox = start(&(struct life){.namespaces = {CLONE_NEWUSER}}),
	      user = start(&(struct life){.user = SOMEBODY}), again = start(&(struct life){.user = SOMEBODY}),
	      gone = start(&(struct life){.user = SOMEBODY});
	pthread_t thread;
	siginfo_t info;

	kill(user, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)user, &info, WEXITED | WNOWAIT), 0);
	keep_waiting(&looker, user);
	assert_false(looks_at(&looker, again));
	end_process(user);
	looker_release(&looker);
	looker = (struct looker)LOOKER_INIT;
	assert_int_equal(pthread_create(&thread, NULL, end_soon, &gone), 0);
	keep_waiting(&looker, gone);
	pthread_join(thread, NULL);
	assert_true(looks_at(&looker, service));
	assert_true(looks_at(&looker, sandbox));
	assert_true(looks_at(&looker, again));
	assert_true(looker.knows_user); /* the next one cannot end unknown */
	looker_release(&looker);
	end_process(service);
	end_process(sandbox);
	end_process(again);
}

#define GROUPS_MOST 65536 /* NGROUPS_MAX of the kernel */
#define LOOKS_MOST  100   /* at 10 ms each; the credit is 200 */

/* The looker reads /proc/PID/status, which names them all. */
static void who_makes_looks_long_is_left_alone(void **state)
{
	struct looker looker = LOOKER_INIT;
	pid_t pid = start(&(struct life){.user = SOMEBODY, .groups = GROUPS_MOST}),
	      other = start(&(struct life){.user = SOMEBODY + 1});
	unsigned looks = 0;

	while (looks_at(&looker, pid) && looks < LOOKS_MOST)
		looks++;
	assert_true(looks > 0);
	assert_true(looks_at(&looker, other));
	looker_release(&looker);
	end_process(pid);
	end_process(other);
	if (looks == LOOKS_MOST) {
		print_message("partial: so many groups take this machine too little time\n");
		skip();
	}
}

static bool is_fixed(struct looker *looker, const char *executed)
{
	struct process_seen seen = {.pid = getpid(), .executed = executed};

	assert_true(looker_see(looker, &seen));
	return seen.fixed;
}

/* Each step may lead to another mount, of which has to be found out whose it is. */
static void a_path_of_many_steps_is_not_followed_to_its_end(void **state)
{
	struct looker looker = LOOKER_INIT;
	char path[PATH_MAX] = "";

	assert_true(is_fixed(&looker, "/usr/bin/env"));
	assert_false(is_fixed(&looker, "/usr/../usr/bin/env"));
	for (unsigned i = 0; i < 20; i++)
		strcat(path, "/.");
	strcat(path, "/usr/bin/env");
	assert_false(is_fixed(&looker, path));
	looker_release(&looker);
}

/* Such ids are told apart from those of users by a list, and by who has logged in. */
static void ids_that_a_user_has_besides_are_not_seen(void **state)
{
	struct looker looker = LOOKER_INIT;
	char list[sizeof(folder) + 16], line[64];
	pid_t first = start(&(struct life){.user = SOMEBODY}),
	      last = start(&(struct life){.user = SOMEBODY + 9}),
	      next = start(&(struct life){.user = SOMEBODY + 10});

	snprintf(list, sizeof(list), "%s/subuid", folder);
	snprintf(line, sizeof(line), "root:%u:20\nsomebody:%u:10\n", SOMEBODY, SOMEBODY);
	assert_int_equal(write_program(list, line, strlen(line)), 0);
	looker.subordinates.path = list;
	assert_false(looks_at(&looker, first));
	assert_false(looks_at(&looker, last));
	assert_true(looks_at(&looker, next));
	assert_true(looks_at(&looker, getpid()));
	looker_release(&looker);
	unlink(list);
	end_process(first);
	end_process(last);
	end_process(next);
}

/* Which of these processes executed something, in the order in which that was told. */
struct order {
	pid_t pids[2], told[2];
	unsigned n;
};

static void note_exec(void *context, const struct exec_seen *exec)
{
	struct order *order = context;

	for (unsigned i = 0; i < 2; i++)
		if (exec->pid == order->pids[i] && order->n < 2)
			order->told[order->n++] = exec->pid;
}

static pid_t execute_on(const cpu_set_t *processor)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (sched_setaffinity(0, sizeof(*processor), processor) == 0)
			execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
	return pid;
}

/* What a program executes on another processor is told after it: it belongs to that start. */
static void who_was_executed_first_is_told_first(void **state)
{
	_cleanup_close_ int tracefs = kernelfs_open_tracefs();
	cpu_set_t allowed, processors[2];
	struct order order = {0};
	struct execs *execs;
	char name[64];
	unsigned n = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (int cpu = CPU_SETSIZE; n < 2 && cpu-- > 0;)
		if (CPU_ISSET(cpu, &allowed)) {
			CPU_ZERO(&processors[n]);
			CPU_SET(cpu, &processors[n++]);
		}
	snprintf(name, sizeof(name), "test-looks-%d", getpid());
	if (n < 2 || tracefs < 0 || execs_open(tracefs, name, &execs) < 0) {
		print_message("partial: a single processor, or no tracing here\n");
		skip();
	}
	for (unsigned i = 0; i < 2; i++)
		order.pids[i] = execute_on(&processors[i]);
	while (order.n < 2)
		assert_int_equal(execs_read(execs, note_exec, &order), 0);
	execs_free(execs);
	assert_int_equal(order.told[0], order.pids[0]);
	assert_int_equal(order.told[1], order.pids[1]);
}

static int make_program(void **state)
{
	if (!mkdtemp(folder) || chmod(folder, 0755) < 0) /* users look into it */
		return -1;
	snprintf(stored, sizeof(stored), "%s/stored", folder);
	snprintf(program, sizeof(program), "%s/stored/program", folder);
	snprintf(point, sizeof(point), "%s/point", folder);
	snprintf(mounted, sizeof(mounted), "%s/point/program", folder);
	return mkdir(stored, 0755) < 0 || mkdir(point, 0755) < 0 ? -1 : copy_program(self, program);
}

static int remove_program(void **state)
{
	return unlink(program) < 0 || rmdir(stored) < 0 || rmdir(point) < 0 || rmdir(folder) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_lives_in_a_namespace_of_roots_is_not_root),
		cmocka_unit_test(ids_in_a_users_namespace_are_that_user),
		cmocka_unit_test(many_programs_of_a_user_take_no_name_from_others),
		cmocka_unit_test(a_file_of_another_namespace_has_no_name),
		cmocka_unit_test(a_child_that_has_ended_is_nobodys_fault),
		cmocka_unit_test(who_has_ended_keeps_nobody_waiting),
		cmocka_unit_test(who_was_executed_first_is_told_first),
		cmocka_unit_test(a_process_that_ends_before_it_is_blamed_blames_no_service),
		cmocka_unit_test(who_keeps_the_daemon_waiting_is_left_alone_and_nobody_else),
		cmocka_unit_test(who_makes_looks_long_is_left_alone),
		cmocka_unit_test(a_path_of_many_steps_is_not_followed_to_its_end),
		cmocka_unit_test(ids_that_a_user_has_besides_are_not_seen),
	};

	if (argc > 1) {
		if (write(atoi(argv[1]), "", 1) == 1)
			stay();
		return 1;
	}
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
		return 1;
	if (geteuid() != 0) {
		puts("only root can make namespaces");
		return 77;
	}
	return cmocka_run_group_tests(tests, make_program, remove_program);
}
