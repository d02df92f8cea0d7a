/* SPDX-License-Identifier: MIT */
/* Letting go of the page cache. */
#pragma once

/*
 * Replaces every mapping of a file in this process by anonymous memory of the same content. A mapped page of libc
 * could not be evicted before the recording, and the child that becomes the command would fault on pages of its own.
 * What cannot be replaced (a policy against executable anonymous memory) stays. Returns 0 or negative errno.
 */
int detach_from_files(void);
