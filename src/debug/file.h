/* SPDX-License-Identifier: MIT */
/*
 * The separate debug file of a stripped ELF file. It is looked for
 *
 *     by build-id, as FOLDER/.build-id/xx/yyyy.debug;
 *     by the name and the checksum in .gnu_debuglink (debug/link.h);
 *     by build-id, among what debuginfod's client has downloaded before. No server is asked: a recording would wait for it.
 *
 * A debug file with another build-id, with another checksum or for another processor is refused. All these files may be hostile.
 */
#pragma once

#include "elf/file.h"

/*
 * `file` has its descriptor and its program headers. `root`, which has no slash at its end, is where the system lies that the
 * file belongs to: "" for the running one; what debuginfod's client has downloaded is looked at only for that. FOLDER is
 * absolute; NULL: ROOT/usr/lib/debug. Returns a descriptor of a regular file, which is the caller's; or negative errno, -ENOENT
 * if there is none.
 */
int debug_file_open(struct elf_file *file, const char *root, const char *folder);
