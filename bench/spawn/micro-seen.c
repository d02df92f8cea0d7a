/* SPDX-License-Identifier: MIT */
/*
 * What it costs a start that somebody sees its exec: spawns /bin/true with nobody looking, with a watcher of the
 * tracepoint sched_process_exec in an instance of its own, and with a watcher of fanotify's FAN_OPEN_EXEC on
 * the root file system. The arms take turns in every round, in another order each time. Needs root. Prints for each arm
 * the medians of the elapsed time and of the spawned process's CPU time, of their differences to `nothing` in the same
 * round, and the CPU time that its watcher took for each event. On a busy machine the CPU times are what counts.
 *
 *     micro-seen [ROUNDS [COMMAND]]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"

#define TRACEFS  "/sys/kernel/tracing"
#define CPUS_MAX 64
#define WARM_UP  20

enum arm { NOTHING, TRACE, FANOTIFY, N_ARMS };

static const char *const names[] = {"nothing", "tracepoint", "fanotify"};

static char instance[64]; /* of ftrace; "" if there is none */
static int marks;         /* fanotify */

static void remove_instance(void)
{
	if (instance[0])
		rmdir(instance);
	instance[0] = 0;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "micro-seen: cannot %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_control(const char *file, const char *text)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", instance, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void set_up_trace(void)
{
	snprintf(instance, sizeof(instance), TRACEFS "/instances/micro-seen-%d", getpid());
	if (mkdir(instance, 0700) < 0) {
		instance[0] = 0;
		die("make an instance in " TRACEFS);
	}
	write_control("buffer_size_kb", "64");
	write_control("buffer_percent", "0"); /* readers wake at every event */
	write_control("tracing_on", "0");
	/* Stays on, because switching it rewrites the kernel's code, which slows the next start down. */
	write_control("events/sched/sched_process_exec/enable", "1");
}

static void set_up_fanotify(void)
{
	marks = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC);
	if (marks < 0)
		die("use fanotify");
}

/* Only the file system of the root: that of the command and of its loader. */
static void switch_fanotify(int on)
{
	if (fanotify_mark(marks, (on ? FAN_MARK_ADD : FAN_MARK_REMOVE) | FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC,
		    AT_FDCWD, "/") < 0)
		die("mark the root file system");
}

/* The watchers do what a daemon cannot avoid: wake up, and take the event. */
static _Noreturn void watch_trace(void)
{
	struct pollfd fds[CPUS_MAX];
	static char page[65536];
	int n = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < n && cpu < CPUS_MAX; cpu++) {
		char path[160];

		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", instance, cpu);
		fds[cpu] = (struct pollfd){.fd = open(path, O_RDONLY | O_NONBLOCK), .events = POLLIN};
	}
	for (;;) {
		poll(fds, (nfds_t)n, -1);
		for (int cpu = 0; cpu < n; cpu++)
			while ((fds[cpu].revents & POLLIN) && read(fds[cpu].fd, page, sizeof(page)) > 0)
				;
	}
}

static _Noreturn void watch_fanotify(void)
{
	_Alignas(struct fanotify_event_metadata) static char buffer[65536];
	struct pollfd fd = {.fd = marks, .events = POLLIN};

	for (;;) {
		const struct fanotify_event_metadata *event = (const void *)buffer;
		ssize_t size;

		poll(&fd, 1, -1);
		size = read(marks, buffer, sizeof(buffer));
		for (; size > 0 && FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size))
			if (event->fd >= 0)
				close(event->fd);
	}
}

static pid_t start_watcher(void (*watch)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		watch();
	}
	return pid;
}

struct sample {
	double wall, cpu; /* us */
};

static struct sample spawn_once(char *const argv[])
{
	struct timespec start, end;
	struct rusage usage;
	pid_t pid;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &start);
	errno = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
	if (errno || wait4(pid, &status, 0, &usage) < 0)
		die("start the command");
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (struct sample){
		.wall = (double)(end.tv_sec - start.tv_sec) * 1e6 +
			(double)(end.tv_nsec - start.tv_nsec) / 1e3,
		.cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
	};
}

static double cpu_of(pid_t pid)
{
	struct timespec time = {0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static struct sample measure(enum arm arm, char *const argv[])
{
	const struct timespec settle = {.tv_nsec = 300000};
	struct sample sample;

	if (arm == TRACE)
		write_control("tracing_on", "1");
	if (arm == FANOTIFY)
		switch_fanotify(1);
	nanosleep(&settle, NULL);
	sample = spawn_once(argv);
	nanosleep(&settle, NULL);
	if (arm == TRACE)
		write_control("tracing_on", "0");
	if (arm == FANOTIFY)
		switch_fanotify(0);
	return sample;
}

static double median_of(const struct sample *samples, const struct sample *baseline, size_t rounds, int cpu)
{
	double *values = calloc(rounds, sizeof(*values)), median;

	if (!values)
		die("get memory");
	for (size_t i = 0; i < rounds; i++) {
		values[i] = cpu ? samples[i].cpu : samples[i].wall;
		if (baseline)
			values[i] -= cpu ? baseline[i].cpu : baseline[i].wall;
	}
	median = sample_median(values, rounds);
	free(values);
	return median;
}

static void report(struct sample *samples[N_ARMS], size_t rounds, const pid_t watchers[])
{
	printf("%-11s %6s %11s %11s %11s %11s %12s\n", "arm", "n", "elapsed us", "more us", "CPU us",
		"more us", "watcher us");
	for (enum arm arm = 0; arm < N_ARMS; arm++) {
		printf("%-11s %6zu %11.1f %+11.1f %11.1f %+11.1f", names[arm], rounds,
			median_of(samples[arm], NULL, rounds, 0),
			median_of(samples[arm], samples[NOTHING], rounds, 0),
			median_of(samples[arm], NULL, rounds, 1),
			median_of(samples[arm], samples[NOTHING], rounds, 1));
		if (arm != NOTHING)
			printf(" %12.1f", cpu_of(watchers[arm - 1]) / (double)(rounds + WARM_UP));
		puts("");
	}
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	char *command[] = {argc > 2 ? argv[2] : (char *)"/bin/true", NULL};
	struct sample *samples[N_ARMS];
	uint64_t random = 1;
	pid_t watchers[2];

	for (enum arm arm = 0; arm < N_ARMS; arm++)
		if (!(samples[arm] = calloc(rounds + 1, sizeof(**samples))))
			die("get memory");
	set_up_trace();
	atexit(remove_instance);
	set_up_fanotify();
	watchers[0] = start_watcher(watch_trace);
	watchers[1] = start_watcher(watch_fanotify);
	for (size_t round = 0; round < rounds + WARM_UP; round++) {
		size_t first = sample_random(&random) % N_ARMS, step = 1 + sample_random(&random) % 2;

		for (size_t i = 0; i < N_ARMS; i++) {
			enum arm arm = (enum arm)((first + i * step) % N_ARMS);
			struct sample taken = measure(arm, command);

			if (round >= WARM_UP)
				samples[arm][round - WARM_UP] = taken;
		}
	}
	report(samples, rounds, watchers);
	for (int i = 0; i < 2; i++) {
		kill(watchers[i], SIGKILL);
		waitpid(watchers[i], NULL, 0);
	}
	for (enum arm arm = 0; arm < N_ARMS; arm++)
		free(samples[arm]);
	return 0;
}
