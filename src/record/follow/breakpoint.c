/* SPDX-License-Identifier: MIT */
#include "record/follow/breakpoint.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

bool breakpoint_possible(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

bool breakpoint_fits(int fd)
{
	unsigned char ident[EI_NIDENT];

	return BREAKPOINT_ELF == ELFCLASSNONE ||
		(pread(fd, ident, sizeof(ident), 0) == (ssize_t)sizeof(ident) &&
			ident[EI_CLASS] == BREAKPOINT_ELF);
}

/* Where the thread stands. On x86 that is behind the instruction. */
#if defined(__x86_64__)
static bool address_of_hit(pid_t tid, uint64_t *ret)
{
	errno = 0;
	*ret = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offsetof(struct user_regs_struct, rip), 0) - 1;
	return errno == 0;
}

bool breakpoint_go_back(pid_t tid, uint64_t address)
{
	return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rip), address) == 0;
}
#elif defined(__aarch64__)
static bool address_of_hit(pid_t tid, uint64_t *ret)
{
	struct user_regs_struct registers;
	struct iovec vector = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector) < 0)
		return false;
	*ret = registers.pc;
	return true;
}

bool breakpoint_go_back(pid_t tid, uint64_t address)
{
	return true; /* it is there */
}
#else
static bool address_of_hit(pid_t tid, uint64_t *ret)
{
	return false;
}

bool breakpoint_go_back(pid_t tid, uint64_t address)
{
	return false;
}
#endif

bool breakpoint_met(pid_t tid, uint64_t *ret_address)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, tid, 0, &info) == 0 && info.si_signo == SIGTRAP &&
		(info.si_code == SI_KERNEL || info.si_code == TRAP_BRKPT) && address_of_hit(tid, ret_address);
}
