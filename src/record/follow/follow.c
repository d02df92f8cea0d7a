/* SPDX-License-Identifier: MIT */
/* ptrace(2): PTRACE_SEIZE, and the events of threads, programs and system calls. */
#include "record/follow/follow.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process-tree.h"
#include "base/run/signals.h"
#include "base/times.h"
#include "record/follow/filter.h"
#include "record/follow/plant.h"
#include "record/follow/tasks.h"

#define TICK_NS     5000000          /* between two looks at the page tables, at least */
#define LOOK_SHARE  40               /* looks take at most this part of the time */
#define CLOSE_NS    100000           /* between stops that follow closely */
#define PATIENCE_MS 5000             /* from SIGTERM to SIGKILL */
#define CALL_STOP   (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
#define EVENT_OPTIONS                                                                                        \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK |            \
		PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT)

struct follow {
	struct follow_options options;
	struct touched touched;
	struct follow_notes notes;
	struct function_objects functions; /* if options.functions */
	struct tasks tasks;
	uint64_t look_at; /* nanoseconds: when the page tables are to be looked at again */
	timer_t timer;    /* wakes us from waiting */
	bool has_timer;
	struct sigaction before; /* of SIGALRM */
	bool has_processors;     /* more than one */
	bool close;              /* the last stop came soon after the one before */
	bool over;               /* nothing is noted any more */
	bool given_up;           /* some could not be ended */
	bool began, command_ended, all_ended;
	int status;
};

static void wake(int signal_number)
{
	(void)signal_number;
}

/* A signal for this thread alone, since another one of ours may be waiting for something else. */
static int start_timer(struct follow *follow)
{
	struct sigaction action = {.sa_handler = wake};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
	const struct itimerspec often = {
		.it_interval = {.tv_nsec = TICK_NS},
		.it_value = {.tv_nsec = TICK_NS},
	};

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (sigaction(SIGALRM, &action, &follow->before) < 0)
		return -errno;
	if (timer_create(CLOCK_MONOTONIC, &event, &follow->timer) < 0)
		return -errno;
	follow->has_timer = true;
	return timer_settime(follow->timer, 0, &often, NULL) < 0 ? -errno : 0;
}

/* Whether a thread can go on while we do not sleep. */
static bool has_processors(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) > 1;
}

static int look_at_all(struct follow *follow)
{
	uint64_t began = monotonic_ns(), ended;
	int r = 0;

	for (size_t i = 0; r == 0 && i < follow->tasks.n_processes; i++)
		r = follow_process_look(&follow->touched, follow->tasks.processes[i], 0, UINT64_MAX);
	ended = monotonic_ns();
	follow->look_at = ended + LOOK_SHARE * (ended - began);
	return r;
}

/* The thread that executes a program takes over the number of its process; all others of it have ended. */
static int take_exec(struct follow *follow, pid_t tid)
{
	struct task *task = tasks_find(&follow->tasks, tid);
	struct follow_process *process;
	int r = 0;

	if (!task)
		return 0;
	process = task->process;
	tasks_leave_one(&follow->tasks, process, tid);
	follow->began |= tid == follow->options.command;
	if (process->executing && !follow->over)
		r = record_trace_add_exec(
			follow->options.trace, touched_now(&follow->touched), tid, process->executing);
	follow_process_renew(process);
	if (r == 0 && follow->options.functions && !follow->over)
		r = plant(&follow->functions, process, 0, UINT64_MAX);
	return r;
}

static bool executes(uint64_t call)
{
	return call == FOLLOW_EXEC || call == FOLLOW_EXECAT;
}

static bool any_shares(const struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->n_processes; i++)
		if (tasks->processes[i]->shares_memory || tasks->processes[i]->shares_files)
			return true;
	return false;
}

/* Of what a process has executed, or has inherited; it may leave that at once. What waits for a server may lock its memory for ever. */
static bool make_exact(const struct follow *follow, const struct task *task, uint64_t call, uint32_t arch)
{
	return follow->options.exact && !follow->over && !follow->touched.serves && !executes(call) &&
		!any_shares(&follow->tasks) && exact_faults_begin(&task->process->exact, task->tid, arch);
}

/* What is touched already is seen before. */
static int made_exact(struct follow *follow, struct follow_process *process)
{
	int r;

	if (follow->over) {
		exact_faults_end(&process->exact);
		return 0;
	}
	r = follow_process_look(&follow->touched, process, 0, UINT64_MAX);
	return r ? r : follow_process_make_exact(&follow->touched, process);
}

/* Where a file is mapped is known when the call is done. Before Linux 4.8 a call begins once more after the filter. */
static int take_call_stop(struct follow *follow, const struct task *task, int *request)
{
	struct follow_process *process = task->process;
	struct __ptrace_syscall_info info;
	uint64_t address;
	int r;

	if (exact_faults_busy(&process->exact, task->tid)) {
		if (!exact_faults_step(&process->exact, process->pidfd))
			return made_exact(follow, process);
		*request = PTRACE_SYSCALL;
		return 0;
	}
	if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof(info), &info) <= 0)
		return 0;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		*request = PTRACE_SYSCALL;
	if (info.op != PTRACE_SYSCALL_INFO_EXIT || info.exit.is_error || follow->over)
		return 0;
	address = (uint64_t)info.exit.rval;
	r = follow_process_make_exact_at(&follow->touched, process, address);
	if (r == 0 && follow->options.functions)
		r = plant(&follow->functions, process, address, address + 1);
	return r;
}

/* What the kernel would refuse in registered memory, and what goes away. Returns whether some is to be registered again, after the call. */
static bool leaves_exact(const struct follow *follow, const struct follow_stop *stop)
{
	struct exact_faults *exact = &stop->process->exact;
	uint64_t page_size = follow->touched.page_size, start = stop->arguments[0], end;

	if ((stop->call != FOLLOW_MOVE && stop->call != FOLLOW_UNMAP) || start % page_size != 0 ||
		__builtin_add_overflow(start, stop->arguments[1] + page_size - 1, &end))
		return false;
	return exact_faults_unregister(exact, start, end / page_size * page_size) &&
		stop->call == FOLLOW_MOVE;
}

static int take_call(struct follow *follow, const struct task *task, int *request)
{
	struct __ptrace_syscall_info info;
	struct follow_stop stop = {
		.tid = task->tid,
		.process = task->process,
		.unprivileged = follow->options.unprivileged,
	};

	int r = 0;

	if ((follow->over && !follow->options.functions) ||
		ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof(info), &info) <
			(long)offsetof(struct __ptrace_syscall_info, seccomp) ||
		info.op != PTRACE_SYSCALL_INFO_SECCOMP)
		return 0;
	if (make_exact(follow, task, info.seccomp.ret_data, info.arch)) {
		*request = PTRACE_SYSCALL;
		return 0;
	}
	stop.call = info.seccomp.ret_data;
	stop.narrow = !(info.arch & __AUDIT_ARCH_64BIT);
	stop.arguments = (const uint64_t *)info.seccomp.args;
	if (stop.call == FOLLOW_HIDE && (int)stop.arguments[1] != 1)
		r = unplant(&follow->functions, task->process);
	if (r < 0 || follow->over)
		return r;
	r = follow_take_call(&follow->touched, &stop, &follow->notes);
	if (stop.call == FOLLOW_MAP || leaves_exact(follow, &stop))
		*request = PTRACE_SYSCALL;
	return r;
}

/* The last thread of a process takes its memory with it. */
static int take_exit(struct follow *follow, struct task *task)
{
	if (!tasks_note_exit(task) || follow->over)
		return 0;
	return follow_process_look(&follow->touched, task->process, 0, UINT64_MAX);
}

static int take_event(struct follow *follow, pid_t tid, struct task *task, int event, int *request)
{
	switch (event) {
	case PTRACE_EVENT_SECCOMP:
		return take_call(follow, task, request);
	case PTRACE_EVENT_EXEC:
		return take_exec(follow, tid);
	case PTRACE_EVENT_EXIT:
		return take_exit(follow, task);
	}
	return 0;
}

/* The thread is about to get a signal, which may be none but one of our breakpoints. */
static int take_signal(struct follow *follow, const struct task *task, int *signal_number)
{
	int r;

	if (!follow->options.functions || *signal_number != SIGTRAP)
		return 0;
	r = plant_hit(&follow->functions, task->process, task->tid, !follow->over);
	if (r > 0)
		*signal_number = 0;
	return r < 0 ? r : 0;
}

/* Notes what the stop says, and lets the thread go on. */
static int take_stop(struct follow *follow, pid_t tid, int status)
{
	int event = status >> 16, signal_number = WSTOPSIG(status), r = 0;
	int request = PTRACE_CONT;
	struct task *task = tasks_find(&follow->tasks, tid);

	if (!task)
		r = tasks_add(&follow->tasks, tid, &task);
	if (r == 0 && exact_faults_busy(&task->process->exact, tid))
		request = PTRACE_SYSCALL; /* also if a signal stops it meanwhile, and SIGCONT lets it go on */
	if (r == 0 && event)
		r = take_event(follow, tid, task, event, &request);
	else if (r == 0 && signal_number == CALL_STOP) {
		signal_number = 0;
		request = PTRACE_CONT;
		r = take_call_stop(follow, task, &request);
	} else if (r == 0)
		r = take_signal(follow, task, &signal_number);
	/* A thread that is stopped by a signal, as by job control, stays so until SIGCONT. */
	if (event == PTRACE_EVENT_STOP && signal_number != SIGTRAP)
		ptrace(PTRACE_LISTEN, tid, 0, 0);
	else
		ptrace(request, tid, 0, event ? 0 : signal_number);
	return r == -ESRCH ? 0 : r;
}

static void take_end(struct follow *follow, pid_t tid, int status)
{
	struct task *task = tasks_find(&follow->tasks, tid);

	if (tid == follow->options.command) {
		follow->command_ended = true;
		follow->status = status;
	}
	if (task)
		tasks_remove(&follow->tasks, task);
	/* What has not stopped yet is no task, but a child if its parent has ended. */
	follow->all_ended |= follow->tasks.n == 0 && process_tree_ended();
}

/*
 * A thread that was let go often stops again within microseconds. Waking up takes longer than that where idle processors sleep, as in
 * virtual machines. So while stops come so close together we do not sleep.
 */
static pid_t wait_for_any(struct follow *follow, int *status)
{
	uint64_t began = monotonic_ns();
	pid_t tid = 0;

	while (follow->close && tid == 0 && monotonic_ns() - began < CLOSE_NS)
		tid = waitpid(-1, status, __WALL | WNOHANG);
	if (tid == 0)
		tid = waitpid(-1, status, __WALL);
	follow->close = follow->has_processors && monotonic_ns() - began < CLOSE_NS;
	return tid;
}

/* Waits for one thread to stop or end, or for the timer. */
static int pump_once(struct follow *follow)
{
	int status, r = 0;
	pid_t tid = wait_for_any(follow, &status);

	if (tid < 0 && errno == ECHILD)
		follow->all_ended = true;
	else if (tid < 0)
		return errno == EINTR ? 0 : -errno;
	else if (WIFSTOPPED(status))
		r = take_stop(follow, tid, status);
	else
		take_end(follow, tid, status);
	if (r == 0 && !follow->over && !follow->all_ended && monotonic_ns() >= follow->look_at)
		r = look_at_all(follow);
	return r;
}

int follow_pump(struct follow *follow, unsigned milliseconds)
{
	uint64_t end = monotonic_ns() + milliseconds * 1000000ull;
	int r = 0;

	signal_unblock(SIGALRM); /* the recorder puts the signals back as our caller had them */
	while (r == 0 && !follow->all_ended && monotonic_ns() < end)
		r = pump_once(follow);
	return r;
}

bool follow_has_begun(const struct follow *follow)
{
	return follow->began;
}

/* What is known of functions goes to the caller. Breakpoints stay, and so does what is needed to put them back. */
static int take_functions(struct follow *follow, struct follow_summary *ret)
{
	struct function_objects *functions = &follow->functions;
	const char *missing = function_objects_missing(functions, 0);

	ret->functions = TAKE_PTR(functions->functions);
	profile_functions_finish(ret->functions);
	ret->notes.unknown = TAKE_PTR(functions->unknown);
	ret->notes.n_unknown = functions->n_unknown;
	ret->notes.missing = missing ? strdup(missing) : NULL;
	return missing && !ret->notes.missing ? -ENOMEM : 0;
}

int follow_stop_recording(struct follow *follow, struct follow_summary *ret)
{
	int r = look_at_all(follow);

	follow->over = true;
	*ret = (struct follow_summary){
		.notes = follow->notes,
		.processes_unseen = follow->tasks.n_unseen,
		.serves = follow->touched.serves,
		.pages_around = touched_around(&follow->touched),
		.files_kept = follow->touched.files_kept,
		.processes_unplanted = follow->tasks.n_unplanted,
	};
	if (r == 0 && follow->options.functions)
		r = take_functions(follow, ret);
	follow->notes = (struct follow_notes){0};
	for (size_t i = 0; i < follow->tasks.n_processes; i++) {
		exact_faults_end(&follow->tasks.processes[i]->exact);
		ret->processes_unseen += follow->tasks.processes[i]->unseen;
		ret->processes_unplanted += follow->tasks.processes[i]->unplanted;
	}
	return r;
}

bool follow_command_ended(const struct follow *follow, int *ret_status)
{
	if (follow->command_ended)
		*ret_status = follow->status;
	return follow->command_ended;
}

bool follow_all_ended(const struct follow *follow)
{
	return follow->all_ended;
}

void follow_signal(const struct follow *follow, int signal_number)
{
	for (size_t i = 0; i < follow->tasks.n_processes; i++)
		kill(follow->tasks.processes[i]->pid, signal_number);
}

bool follow_end(struct follow *follow)
{
	uint64_t deadline = monotonic_ms() + PATIENCE_MS;

	follow->over = true;
	follow_signal(follow, SIGTERM);
	while (!follow->all_ended && monotonic_ms() < deadline)
		if (follow_pump(follow, 100) < 0)
			break;
	/* What we may not kill is killed by the kernel when we end. */
	deadline += PATIENCE_MS;
	while (!follow->all_ended && monotonic_ms() < deadline) {
		follow_signal(follow, SIGKILL);
		if (follow_pump(follow, 10) < 0)
			break;
	}
	follow->given_up = !follow->all_ended;
	return follow->all_ended;
}

int follow_probe(void)
{
	const uint32_t action = SECCOMP_RET_TRACE;
	pid_t child;
	int r = 0;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0)
		return -errno;
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		for (;;)
			pause();
	if (ptrace(PTRACE_SEIZE, child, 0, 0) < 0) /* no stop at its end */
		r = -errno;
	kill(child, SIGKILL);
	while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
	return r;
}

int follow_new(const struct follow_options *options, struct follow **ret)
{
	struct follow *follow = calloc(1, sizeof(*follow));
	struct task *task;
	int r = 0;

	if (!follow)
		return -ENOMEM;
	follow->options = *options;
	follow->has_processors = has_processors();
	touched_init(&follow->touched, options->opens, options->trace, options->make_cold);
	if (options->functions)
		r = function_objects_init(&follow->functions, options->functions, &follow->touched);
	if (r == 0)
		r = start_timer(follow);
	if (r == 0 && ptrace(PTRACE_SEIZE, options->command, 0, EVENT_OPTIONS) < 0)
		r = -errno;
	if (r == 0)
		r = tasks_add(&follow->tasks, options->command, &task);
	if (r < 0) {
		follow->all_ended = true; /* the command gives up at its gate */
		follow_free(follow);
		return r;
	}
	task->process->shares_memory = true; /* with nobody, but its memory is a copy of ours */
	*ret = follow;
	return 0;
}

void follow_free(struct follow *follow)
{
	if (!follow)
		return;
	if (!follow->all_ended && !follow->given_up)
		follow_end(follow);
	if (follow->has_timer) {
		timer_delete(follow->timer);
		sigaction(SIGALRM, &follow->before, NULL);
	}
	tasks_release(&follow->tasks);
	follow_notes_release(&follow->notes);
	function_objects_release(&follow->functions);
	touched_release(&follow->touched);
	free(follow);
}
