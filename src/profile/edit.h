/* SPDX-License-Identifier: MIT */
/* Takes files, pages and exec points out of a profile. profile_finish() makes it whole again. */
#pragma once

#include "profile/profile.h"

/* Whether both are the same file, or builds of it with the same build-id. */
bool profile_file_same_object(const struct profile_file *a, const struct profile_file *b);

/* Puts the ranges of `from`, which has none then, in place of those of `file`. */
void profile_file_take_ranges(struct profile_file *file, struct profile_file *from);

/* The range has one page, whose doubt may be changed. Returns whether the page stays. */
typedef bool profile_page_fn(void *context, struct profile_range *page);

/* Calls change() for each page of the file. Returns 0, or -ENOMEM with the file as it was. */
int profile_file_edit(struct profile_file *file, profile_page_fn *change, void *context);

/* May change the file, but not its path. Returns 1 if it stays, 0 if it does not, or negative errno. */
typedef int profile_file_fn(void *context, struct profile_file *file);

/* Calls keep() for each file. Returns 0, or the first errno, after which all files stay. */
int profile_keep_files(struct profile *profile, profile_file_fn *keep, void *context);

typedef bool profile_exec_fn(const void *context, const struct profile_exec *exec);

/* Calls keep() for each exec point but the first, which is the program itself and stays. */
void profile_keep_execs(struct profile *profile, profile_exec_fn *keep, const void *context);
