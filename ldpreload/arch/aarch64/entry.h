/* SPDX-License-Identifier: MIT */
/* What the preload shim needs in AArch64 assembly: entries of hooks, and a child on a stack of its own. */
#pragma once

/* Versions of the hooked functions (glibc's abilist files, sysdeps/unix/sysv/linux/aarch64). */
#define VERSION_BASE    "GLIBC_2.17"
#define VERSION_EXECVPE VERSION_BASE
#define VERSION_SPAWN   VERSION_BASE

/* Older versions, which only programs linked long ago ask for. */
#define HOOKS_OF_OLD(HOOK)                                                                                   \
	HOOK(13, dlopen, "@", "GLIBC_2.17", .kind = HOOK_LIBRARY, .path = 0)                                 \
	HOOK(14, dlmopen, "@", "GLIBC_2.17", .kind = HOOK_LIBRARY, .path = 1)

/* How many of a function's arguments are in registers, and how many words lie between those and the rest. */
#define ARGUMENT_REGISTERS 8
#define ARGUMENT_GAP       2 /* x8, and eight bytes that align the stack */

/* clang-format off */ /* the columns of assembly */

/*
 * The entry of hook `number`, exported as name@version: it calls hook_enter(arguments, number) and jumps to the
 * function whose address that returns, with everything the caller passed. Our frame is gone by then: that function sees
 * the caller's return address (which dlopen looks at) and the caller's stack. Arguments are integers, or lists of them.
 */
#define HOOK_ENTRY(number, name, version)                                                                    \
	__asm__(".pushsection .text\n"                                                                       \
		".globl hook_" #number "\n"                                                                  \
		".type hook_" #number ", %function\n"                                                        \
		".symver hook_" #number ", " #name version "\n"                                              \
		".p2align 4\n"                                                                               \
		"hook_" #number ":\n"                                                                        \
		"	hint #34\n" /* bti c */                                                              \
		"	mov w16, #" #number "\n"                                                             \
		"	b hook_common\n"                                                                     \
		".size hook_" #number ", . - hook_" #number "\n"                                             \
		".popsection\n");

#define HOOK_COMMON                                                                                          \
	__asm__(".pushsection .text\n"                                                                       \
		".type hook_common, %function\n"                                                             \
		"hook_common:\n"                                                                             \
		"	stp x29, x30, [sp, #-96]!\n"                                                         \
		"	mov x29, sp\n"                                                                       \
		"	stp x0, x1, [sp, #16]\n"                                                             \
		"	stp x2, x3, [sp, #32]\n"                                                             \
		"	stp x4, x5, [sp, #48]\n"                                                             \
		"	stp x6, x7, [sp, #64]\n"                                                             \
		"	str x8, [sp, #80]\n"                                                                 \
		"	add x0, sp, #16\n"                                                                   \
		"	mov w1, w16\n"                                                                       \
		"	bl hook_enter\n"                                                                     \
		"	mov x16, x0\n"                                                                       \
		"	ldr x8, [sp, #80]\n"                                                                 \
		"	ldp x6, x7, [sp, #64]\n"                                                             \
		"	ldp x4, x5, [sp, #48]\n"                                                             \
		"	ldp x2, x3, [sp, #32]\n"                                                             \
		"	ldp x0, x1, [sp, #16]\n"                                                             \
		"	ldp x29, x30, [sp], #96\n"                                                           \
		"	br x16\n"                                                                            \
		".size hook_common, . - hook_common\n"                                                       \
		".popsection\n");

/* clone_call(first, second, number): see prefetcher/spawn.c. */
#define CLONE_CALL                                                                                           \
	__asm__(".pushsection .text\n"                                                                       \
		".type clone_call, %function\n"                                                              \
		"clone_call:\n"                                                                              \
		"	hint #34\n" /* bti c */                                                              \
		"	mov x8, x2\n"                                                                        \
		"	mov x2, xzr\n"                                                                       \
		"	mov x3, xzr\n"                                                                       \
		"	mov x4, xzr\n"                                                                       \
		"	svc #0\n"                                                                            \
		"	cbz x0, 1f\n"                                                                        \
		"	ret\n"                                                                               \
		"1:	mov x29, xzr\n"                                                                      \
		"	mov x30, xzr\n"                                                                      \
		"	ldp x16, x0, [sp], #16\n"                                                            \
		"	blr x16\n"                                                                           \
		"	brk #0\n"                                                                            \
		".size clone_call, . - clone_call\n"                                                         \
		".popsection\n");
