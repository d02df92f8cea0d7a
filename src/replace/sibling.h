/* SPDX-License-Identifier: MIT */
/*
 * Temporary files beside the name that they are to become: `.NAME.headstart-HHHHHHHH`. Internal to src/replace.
 *
 * Each is locked (flock(2)) from its creation until it has its name, or its process ends; those that a killed process
 * left behind are not. Functions take an open folder and a name in it, so renaming a folder on the way cannot make them
 * change another.
 */
#pragma once

/*
 * Opens the folder of `path`; *ret_name is a copy of the last part, which the caller frees. Returns 0,
 * -EISDIR if there is no last part to be a file's name, or negative errno.
 */
int folder_open(const char *path, int *ret_folder, char **ret_name);

/* fsync of a folder, if its file system can do that. Returns 0 or negative errno. */
int folder_sync(int folder);

/* Removes the folder's temporary files that no process has locked, as far as permitted. */
void siblings_sweep(int folder);

/*
 * Makes a temporary file for `name`, mode 0600. *ret_fd is for reading and writing; *ret_lock, for reading, holds the
 * lock. The caller owns all results, and removes or renames the file. A program that is open for writing cannot be
 * executed (ETXTBSY), so *ret_fd is to be closed before the file gets its name, *ret_lock after that. Returns 0 or
 * negative errno.
 */
int sibling_create(int folder, const char *name, int *ret_fd, int *ret_lock, char **ret_temporary);

/*
 * Makes a hard link to `existing`, in the same folder, under a temporary name for `name`. As
 * sibling_create().
 */
int sibling_link(int folder, const char *existing, const char *name, char **ret_temporary);
