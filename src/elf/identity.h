/* SPDX-License-Identifier: MIT */
/* What identifies an ELF file: its GNU build-id and its DT_SONAME. The file may be hostile. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The descriptor of the file's NT_GNU_BUILD_ID note (https://fedoraproject.org/wiki/Releases/FeatureBuildId),
 * found by the program headers; of one longer than `capacity` its first bytes. Returns 0, -ENOEXEC (not an
 * ELF file, or not one that makes sense), -ENODATA (an ELF file without build-id), or negative errno.
 */
int elf_build_id(int fd, uint8_t *id, size_t capacity, size_t *ret_size);

/*
 * DT_SONAME of the dynamic section (gABI, "Dynamic Section"). *ret, malloc()ed, is the caller's. Returns 0,
 * -ENOEXEC, -ENODATA, or negative errno.
 */
int elf_soname(int fd, char **ret);
