/* SPDX-License-Identifier: MIT */
/* What the preload shim needs in x86-64 assembly: entries of hooks, and a child on a stack of its own. */
#pragma once

/* Versions of the hooked functions (glibc's abilist files, sysdeps/unix/sysv/linux/x86_64/64). */
#define VERSION_BASE    "GLIBC_2.2.5"
#define VERSION_EXECVPE "GLIBC_2.11"
#define VERSION_SPAWN   "GLIBC_2.15"

/*
 * Older versions, which only programs linked long ago ask for. The oldest posix_spawn runs files that the kernel cannot
 * execute as shell scripts.
 */
#define HOOKS_OF_OLD(HOOK)                                                                                   \
	HOOK(13, dlopen, "@", "GLIBC_2.2.5", .kind = HOOK_LIBRARY, .path = 0)                                \
	HOOK(14, dlmopen, "@", "GLIBC_2.3.4", .kind = HOOK_LIBRARY, .path = 1)                               \
	HOOK(15, posix_spawn, "@", "GLIBC_2.2.5", .kind = HOOK_SPAWN, .path = 1, .arguments = 4,             \
		.environment = 5)                                                                            \
	HOOK(16, posix_spawnp, "@", "GLIBC_2.2.5", .kind = HOOK_SPAWN, .path = 1, .arguments = 4,            \
		.environment = 5, .searched = true)

/* How many of a function's arguments are in registers, and how many words lie between those and the rest. */
#define ARGUMENT_REGISTERS 6
#define ARGUMENT_GAP       1 /* the return address */

/* clang-format off */ /* the columns of assembly */

/*
 * The entry of hook `number`, exported as name@version: it calls hook_enter(arguments, number) and jumps to the
 * function whose address that returns, with everything the caller passed. Our frame is gone by then: that function sees
 * the caller's return address (which dlopen looks at) and the caller's stack. Arguments are integers, or lists of them.
 */
#define HOOK_ENTRY(number, name, version)                                                                    \
	__asm__(".pushsection .text\n"                                                                       \
		".globl hook_" #number "\n"                                                                  \
		".type hook_" #number ", @function\n"                                                        \
		".symver hook_" #number ", " #name version "\n"                                              \
		".p2align 4\n"                                                                               \
		"hook_" #number ":\n"                                                                        \
		"	endbr64\n"                                                                           \
		"	movl $" #number ", %r11d\n"                                                          \
		"	jmp hook_common\n"                                                                   \
		".size hook_" #number ", . - hook_" #number "\n"                                             \
		".popsection\n");

#define HOOK_COMMON                                                                                          \
	__asm__(".pushsection .text\n"                                                                       \
		".type hook_common, @function\n"                                                             \
		"hook_common:\n"                                                                             \
		"	pushq %r9\n"                                                                         \
		"	pushq %r8\n"                                                                         \
		"	pushq %rcx\n"                                                                        \
		"	pushq %rdx\n"                                                                        \
		"	pushq %rsi\n"                                                                        \
		"	pushq %rdi\n"                                                                        \
		"	pushq %rax\n" /* aligns the stack; and %al counts vector arguments */                \
		"	leaq 8(%rsp), %rdi\n"                                                                \
		"	movl %r11d, %esi\n"                                                                  \
		"	call hook_enter\n"                                                                   \
		"	movq %rax, %r11\n"                                                                   \
		"	popq %rax\n"                                                                         \
		"	popq %rdi\n"                                                                         \
		"	popq %rsi\n"                                                                         \
		"	popq %rdx\n"                                                                         \
		"	popq %rcx\n"                                                                         \
		"	popq %r8\n"                                                                          \
		"	popq %r9\n"                                                                          \
		"	jmp *%r11\n"                                                                         \
		".size hook_common, . - hook_common\n"                                                       \
		".popsection\n");

/* clone_call(first, second, number): see prefetcher/spawn.c. */
#define CLONE_CALL                                                                                           \
	__asm__(".pushsection .text\n"                                                                       \
		".type clone_call, @function\n"                                                              \
		"clone_call:\n"                                                                              \
		"	endbr64\n"                                                                           \
		"	movl %edx, %eax\n"                                                                   \
		"	xorl %edx, %edx\n"                                                                   \
		"	xorl %r10d, %r10d\n"                                                                 \
		"	xorl %r8d, %r8d\n"                                                                   \
		"	syscall\n"                                                                           \
		"	testq %rax, %rax\n"                                                                  \
		"	jz 1f\n"                                                                             \
		"	ret\n"                                                                               \
		"1:	xorl %ebp, %ebp\n"                                                                   \
		"	popq %rax\n"                                                                         \
		"	popq %rdi\n"                                                                         \
		"	call *%rax\n"                                                                        \
		"	ud2\n"                                                                               \
		".size clone_call, . - clone_call\n"                                                         \
		".popsection\n");
