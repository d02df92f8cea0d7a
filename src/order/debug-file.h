/* SPDX-License-Identifier: MIT */
/*
 * The separate debug file of a stripped ELF file. It is looked for
 *
 *     by build-id, as FOLDER/.build-id/xx/yyyy.debug;
 *     by the name and the checksum in .gnu_debuglink (order/debug-link.h);
 *     by build-id, among what debuginfod's client has downloaded before. No server is asked: a recording would wait for it.
 *
 * A debug file with another build-id or another checksum is refused. All these files may be hostile.
 */
#pragma once

#include "elf/file.h"

/*
 * `file` was opened by its descriptor, and has its program headers. FOLDER is absolute (NULL: /usr/lib/debug). Returns a
 * descriptor of a regular file, which is the caller's; or negative errno, -ENOENT if there is none.
 */
int debug_file_open(struct elf_file *file, const char *folder);
