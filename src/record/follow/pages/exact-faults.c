/* SPDX-License-Identifier: MIT */
#include "record/follow/pages/exact-faults.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process-file.h"
#include "base/strings.h"

/* linux/userfaultfd.h of Linux 6.7, and of 5.11. */
#define ASYNCHRONOUS (1 << 15)
#define USER_MODE    1

#define FLAGS (O_CLOEXEC | USER_MODE)

void exact_faults_end(struct exact_faults *exact)
{
	if (exact->fd >= 0)
		close(TAKE_FD(exact->fd));
	if (exact->step == EXACT_UNTRIED)
		exact->step = EXACT_TRIED;
}

void exact_faults_release(struct exact_faults *exact)
{
	exact_faults_end(exact);
	ranges_release(&exact->registered);
	*exact = (struct exact_faults)EXACT_FAULTS_INIT;
}

bool exact_faults_busy(const struct exact_faults *exact, pid_t tid)
{
	return (exact->step == EXACT_MAKES || exact->step == EXACT_CLOSES) && exact->tid == tid;
}

#if defined(__x86_64__)
#define CALL_BYTES 2 /* of the instruction "syscall" */

/* Begins the conversation with the kernel. */
static bool set_up(int fd)
{
	struct uffdio_api api = {.api = UFFD_API, .features = ASYNCHRONOUS};

	return ioctl(fd, UFFDIO_API, &api) == 0;
}

/* Linux 5.9. */
static bool read_status(pid_t pid, uint64_t *ret_filters, uint64_t *ret_threads)
{
	_cleanup_free_ char *text = NULL;

	return process_read(pid, PROCESS_STATUS_MAX, &text, NULL, "status") == 0 &&
		number_of_line(text, "Seccomp_filters:", ret_filters) &&
		number_of_line(text, "Threads:", ret_threads);
}

/* The filters that we have, too, let us make a userfaultfd: exact_faults_possible(). The followed start has one more. */
static bool may_make_one(pid_t pid)
{
	uint64_t ours, its, threads;

	return read_status(getpid(), &ours, &threads) && read_status(pid, &its, &threads) &&
		its == ours + 1 && threads == 1;
}

bool exact_faults_possible(void)
{
	_cleanup_close_ int fd = (int)syscall(SYS_userfaultfd, FLAGS);

	return fd >= 0 && set_up(fd);
}

static bool block_signals(struct exact_faults *exact)
{
	uint64_t all = UINT64_MAX;

	return ptrace(PTRACE_GETSIGMASK, exact->tid, sizeof(all), &exact->signals) == 0 &&
		ptrace(PTRACE_SETSIGMASK, exact->tid, sizeof(all), &all) == 0;
}

static void unblock_signals(struct exact_faults *exact)
{
	ptrace(PTRACE_SETSIGMASK, exact->tid, sizeof(exact->signals), &exact->signals);
}

bool exact_faults_begin(struct exact_faults *exact, pid_t tid, uint32_t arch)
{
	struct user_regs_struct registers;

	if (exact->step != EXACT_UNTRIED)
		return false;
	exact->step = EXACT_TRIED;
	exact->tid = tid;
	if (arch != AUDIT_ARCH_X86_64 || !may_make_one(tid) ||
		ptrace(PTRACE_GETREGS, tid, 0, &exact->registers) < 0 || !block_signals(exact))
		return false;
	registers = exact->registers;
	registers.orig_rax = SYS_userfaultfd;
	registers.rdi = FLAGS;
	if (ptrace(PTRACE_SETREGS, tid, 0, &registers) < 0) {
		unblock_signals(exact);
		return false;
	}
	exact->step = EXACT_MAKES;
	return true;
}

/* The thread goes back to the instruction, and makes this call. With -1 as number of the last call the kernel does not take it for one to restart. */
static void call(struct exact_faults *exact, uint64_t number, uint64_t argument)
{
	struct user_regs_struct registers = exact->registers;

	registers.rip -= CALL_BYTES;
	registers.rax = number;
	registers.rdi = argument;
	registers.orig_rax = UINT64_MAX;
	ptrace(PTRACE_SETREGS, exact->tid, 0, &registers);
}

static void take_over(struct exact_faults *exact, int pidfd, int number)
{
	exact->fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	if (exact->fd >= 0 && !set_up(exact->fd))
		close(TAKE_FD(exact->fd));
}

bool exact_faults_step(struct exact_faults *exact, int pidfd)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, exact->tid, sizeof(info), &info) <= 0 ||
		info.op != PTRACE_SYSCALL_INFO_EXIT)
		return true;
	if (exact->step == EXACT_MAKES && !info.exit.is_error) {
		take_over(exact, pidfd, (int)info.exit.rval);
		call(exact, SYS_close, (uint64_t)info.exit.rval);
		exact->step = EXACT_CLOSES;
		return true;
	}
	call(exact, exact->registers.orig_rax, exact->registers.rdi);
	unblock_signals(exact);
	exact->step = EXACT_TRIED;
	return false;
}
#else
bool exact_faults_possible(void)
{
	return false;
}

bool exact_faults_begin(struct exact_faults *exact, pid_t tid, uint32_t arch)
{
	return false;
}

bool exact_faults_step(struct exact_faults *exact, int pidfd)
{
	return false;
}
#endif

void exact_faults_register(struct exact_faults *exact, uint64_t start, uint64_t end)
{
	struct uffdio_register memory = {
		.range = {.start = start, .len = end - start},
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	int r;

	if (exact->fd < 0)
		return;
	r = ioctl(exact->fd, UFFDIO_REGISTER, &memory) == 0 ? ranges_add(&exact->registered, start, end)
							    : ranges_remove(&exact->registered, start, end);
	if (r < 0)
		exact_faults_end(exact);
}

bool exact_faults_unregister(struct exact_faults *exact, uint64_t start, uint64_t end)
{
	struct uffdio_range memory = {.start = start, .len = end - start};

	if (exact->fd < 0 || start >= end || !ranges_meet(&exact->registered, start, end))
		return false;
	if (ioctl(exact->fd, UFFDIO_UNREGISTER, &memory) < 0 ||
		ranges_remove(&exact->registered, start, end) < 0)
		exact_faults_end(exact);
	return true;
}

bool exact_faults_cover(const struct exact_faults *exact, uint64_t start, uint64_t end)
{
	return exact->fd >= 0 && ranges_cover(&exact->registered, start, end);
}
