/* SPDX-License-Identifier: MIT */
/* The system calls, and the BPF that looks for them: seccomp(2), Documentation/userspace-api/seccomp_filter.rst. */
#include "record/follow/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct call {
	uint32_t number;
	enum follow_call what;
};

/* Which calls of mmap(2) count depends on its arguments. Its flags are the fourth on every processor. */
struct abi {
	uint32_t arch;    /* AUDIT_ARCH_… */
	uint32_t foreign; /* numbers from here on are of another kind: x32 */
	uint32_t mmap, prctl;
	const struct call *calls;
	size_t n;
};

static const struct call native_calls[] = {
#ifdef SYS_open
	{SYS_open, FOLLOW_OPEN},
#endif
	{SYS_openat, FOLLOW_OPENAT},
	{SYS_openat2, FOLLOW_OPENAT2},
	{SYS_execve, FOLLOW_EXEC},
	{SYS_execveat, FOLLOW_EXECAT},
	{SYS_munmap, FOLLOW_UNMAP},
	{SYS_mremap, FOLLOW_MOVE},
	{SYS_read, FOLLOW_READ},
	{SYS_pread64, FOLLOW_PREAD},
	{SYS_readv, FOLLOW_READV},
	{SYS_preadv, FOLLOW_PREADV},
	{SYS_preadv2, FOLLOW_PREADV},
	{SYS_sendfile, FOLLOW_SENDFILE},
	{SYS_copy_file_range, FOLLOW_COPY},
	{SYS_splice, FOLLOW_COPY},
	{SYS_ptrace, FOLLOW_PTRACE},
	{SYS_chroot, FOLLOW_ROOT},
	{SYS_pivot_root, FOLLOW_ROOT},
	{SYS_setns, FOLLOW_ROOT},
	{SYS_unshare, FOLLOW_ROOT},
	{SYS_userfaultfd, FOLLOW_FAULTS},
	{SYS_io_uring_setup, FOLLOW_URING},
};

/* arch/x86/entry/syscalls/syscall_32.tbl */
static const struct call i386_calls[] = {
	{5, FOLLOW_OPEN},
	{295, FOLLOW_OPENAT},
	{437, FOLLOW_OPENAT2},
	{11, FOLLOW_EXEC},
	{358, FOLLOW_EXECAT},
	{91, FOLLOW_UNMAP},
	{163, FOLLOW_MOVE}, /* mremap */
	{3, FOLLOW_READ},
	{180, FOLLOW_PREAD},
	{145, FOLLOW_READV},
	{333, FOLLOW_PREADV},
	{378, FOLLOW_PREADV}, /* preadv2 */
	{187, FOLLOW_SENDFILE32},
	{239, FOLLOW_SENDFILE}, /* sendfile64 */
	{377, FOLLOW_COPY},
	{313, FOLLOW_COPY}, /* splice */
	{26, FOLLOW_PTRACE},
	{61, FOLLOW_ROOT},    /* chroot */
	{217, FOLLOW_ROOT},   /* pivot_root */
	{346, FOLLOW_ROOT},   /* setns */
	{310, FOLLOW_ROOT},   /* unshare */
	{374, FOLLOW_FAULTS}, /* userfaultfd */
	{425, FOLLOW_URING},
};

#define ABI(arch_, foreign_, mmap_, prctl_, calls_)                                                          \
	{                                                                                                    \
		.arch = (arch_), .foreign = (foreign_), .mmap = (mmap_), .prctl = (prctl_),                  \
		.calls = (calls_), .n = sizeof(calls_) / sizeof(*(calls_))                                   \
	}

static const struct abi abis[] = {
#if defined(__x86_64__)
	ABI(AUDIT_ARCH_X86_64, 0x40000000, SYS_mmap, SYS_prctl, native_calls),
	ABI(AUDIT_ARCH_I386, UINT32_MAX, 192 /* mmap2 */, 172, i386_calls),
#elif defined(__aarch64__)
	ABI(AUDIT_ARCH_AARCH64, UINT32_MAX, SYS_mmap, SYS_prctl, native_calls),
#endif
};

#define N_ABIS           (sizeof(abis) / sizeof(*abis))
#define INSTRUCTIONS_MAX 256
#define FIELD(name)      (uint32_t) offsetof(struct seccomp_data, name)

struct writer {
	struct sock_filter *code;
	unsigned short n;
};

static void put(struct writer *writer, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
	writer->code[writer->n++] = (struct sock_filter){.code = code, .jt = if_true, .jf = if_false, .k = k};
}

static void put_load(struct writer *writer, uint32_t field)
{
	put(writer, BPF_LD | BPF_W | BPF_ABS, field, 0, 0);
}

static void put_return(struct writer *writer, uint32_t action)
{
	put(writer, BPF_RET | BPF_K, action, 0, 0);
}

static void put_stop(struct writer *writer, enum follow_call what)
{
	put_return(writer, SECCOMP_RET_TRACE | what);
}

/*
 * mmap with MAP_FIXED replaces what was mapped there. ld.so of glibc does that only to a file that it has just mapped and
 * not touched yet, and it is the one that sets MAP_DENYWRITE: there are several for each library.
 */
static void put_mmap(struct writer *writer, uint32_t number)
{
	put(writer, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 5);
	put_load(writer, FIELD(args[3])); /* little endian: the low half */
	put(writer, BPF_ALU | BPF_AND | BPF_K, MAP_FIXED | MAP_DENYWRITE, 0, 0);
	put(writer, BPF_JMP | BPF_JEQ | BPF_K, MAP_FIXED, 0, 1);
	put_stop(writer, FOLLOW_UNMAP);
	put_return(writer, SECCOMP_RET_ALLOW);
}

/*
 * Files that are mapped with one of these rights. `exact`: these count only for what ld.so of glibc maps (MAP_DENYWRITE). What it may write to is the
 * last part of a library, and nothing is touched before.
 */
static void put_maps(struct writer *writer, const struct abi *abi, uint32_t rights, bool exact)
{
	put(writer, BPF_JMP | BPF_JEQ | BPF_K, abi->mmap, 0, 7);
	put_load(writer, FIELD(args[3]));
	put(writer, BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 4, 0);
	put(writer, BPF_JMP | BPF_JSET | BPF_K, MAP_DENYWRITE, 0, exact ? 2 : 0);
	put_load(writer, FIELD(args[2]));
	put(writer, BPF_JMP | BPF_JSET | BPF_K, rights, 0, 1);
	put_stop(writer, FOLLOW_MAP);
	put_load(writer, FIELD(nr));
}

/* Processes that may close their memory to us. */
static void put_hiding(struct writer *writer, const struct abi *abi)
{
	put(writer, BPF_JMP | BPF_JEQ | BPF_K, abi->prctl, 0, 4);
	put_load(writer, FIELD(args[0]));
	put(writer, BPF_JMP | BPF_JEQ | BPF_K, PR_SET_DUMPABLE, 0, 1);
	put_stop(writer, FOLLOW_HIDE);
	put_return(writer, SECCOMP_RET_ALLOW);
}

static void put_abi(struct writer *writer, const struct abi *abi, bool functions, bool exact)
{
	put_load(writer, FIELD(nr));
	put(writer, BPF_JMP | BPF_JGE | BPF_K, abi->foreign, 0, 1);
	put_return(writer, SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < abi->n; i++) {
		put(writer, BPF_JMP | BPF_JEQ | BPF_K, abi->calls[i].number, 0, 1);
		put_stop(writer, abi->calls[i].what);
	}
	if (functions || exact)
		put_maps(writer, abi, (functions ? PROT_EXEC : 0) | (exact ? PROT_WRITE : 0), exact);
	if (functions)
		put_hiding(writer, abi);
	put_mmap(writer, abi->mmap);
	put_return(writer, SECCOMP_RET_ALLOW);
}

const struct sock_fprog *follow_filter(bool functions, bool exact)
{
	static struct sock_filter code[INSTRUCTIONS_MAX];
	static struct sock_fprog program;
	struct writer writer = {.code = code};

	for (size_t i = 0; i < N_ABIS; i++) {
		unsigned short jump;

		put_load(&writer, FIELD(arch));
		jump = writer.n;
		put(&writer, BPF_JMP | BPF_JEQ | BPF_K, abis[i].arch, 0, 0);
		put_abi(&writer, &abis[i], functions, exact);
		code[jump].jf = (uint8_t)(writer.n - jump - 1);
	}
	put_return(&writer, SECCOMP_RET_ALLOW);
	program = (struct sock_fprog){.len = writer.n, .filter = code};
	return N_ABIS ? &program : NULL;
}
