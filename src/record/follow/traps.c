/* SPDX-License-Identifier: MIT */
#include "record/follow/traps.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>

#define CALL_STOP (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

int trap_take_call(struct function_objects *objects, struct follow_process *process, enum follow_call call,
	const uint64_t *arguments, bool over, int *request)
{
	/* Where a file is mapped is known when the call is done. */
	if (call == FOLLOW_CODE && !over)
		*request = PTRACE_SYSCALL;
	if (call == FOLLOW_HIDE && (int)arguments[1] != 1)
		return unplant(objects, process);
	return 0;
}

/* Before Linux 4.8 a call begins once more after the filter. */
static int take_call_stop(
	struct function_objects *objects, struct follow_process *process, pid_t tid, bool over, int *request)
{
	struct __ptrace_syscall_info info;
	uint64_t address;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) <= 0)
		return 0;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		*request = PTRACE_SYSCALL;
	if (info.op != PTRACE_SYSCALL_INFO_EXIT || info.exit.is_error || over)
		return 0;
	address = (uint64_t)info.exit.rval;
	return plant(objects, process, address, address + 1);
}

int trap_take_signal(struct function_objects *objects, struct follow_process *process, pid_t tid, bool over,
	int *signal_number, int *request)
{
	int r = 0;

	if (*signal_number == CALL_STOP) {
		*signal_number = 0;
		return take_call_stop(objects, process, tid, over, request);
	}
	if (*signal_number == SIGTRAP)
		r = plant_hit(objects, process, tid, !over);
	if (r > 0)
		*signal_number = 0;
	return r < 0 ? r : 0;
}
