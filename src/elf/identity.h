/* SPDX-License-Identifier: MIT */
/* What an ELF file says of itself: its GNU build-id, its DT_SONAME, its loader. The file may be hostile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether an open file begins as an ELF file does. */
bool elf_is(int fd);

/*
 * The descriptor of the file's NT_GNU_BUILD_ID note (https://fedoraproject.org/wiki/Releases/FeatureBuildId), found by
 * the program headers. Of one longer than `capacity`, copies the first bytes. Returns 0, -ENOEXEC (no ELF file, or a
 * malformed one), -ENODATA (an ELF file without build-id), or negative errno.
 */
int elf_build_id(int fd, uint8_t *id, size_t capacity, size_t *ret_size);

/*
 * DT_SONAME of the dynamic section (gABI, "Dynamic Section"). The caller frees *ret. Returns 0, -ENOEXEC, -ENODATA, or
 * negative errno.
 */
int elf_soname(int fd, char **ret);

/* Whether a library of that DT_SONAME is a dynamic loader. musl's is its libc, which has a DT_SONAME only in some systems. */
bool elf_soname_is_loader(const char *soname);

/*
 * PT_INTERP: the path of the loader, into `path`. Returns 0, -ENOEXEC, -ENODATA if there is none that is absolute and
 * shorter than `size`, or negative errno. A failure leaves `path` untouched.
 */
int elf_interpreter(int fd, char *path, size_t size);
