/* SPDX-License-Identifier: MIT */
/* Frees this process from the page cache. */
#pragma once

/*
 * Replaces every mapping of a file in this process by anonymous memory of the same content. Otherwise a mapped page of
 * libc could not be evicted before the recording, and the child that becomes the command would fault on pages of its
 * own. Mappings that cannot be replaced stay (a policy may forbid executable anonymous memory). Returns 0 or negative
 * errno.
 */
int detach_from_files(void);
