/* SPDX-License-Identifier: MIT */
/* Copies parts of a profile into another. All return 0 or -ENOMEM. */
#pragma once

#include "profile/profile.h"

/* Replaces a text of a profile by a copy; NULL is copied as "". */
int profile_copy_text(char **to, const char *from);

/* Copies what is known of the recording: texts, arguments, time, status, backend. */
int profile_copy_description(struct profile *to, const struct profile *from);

/* Which build the file is. Its landmarks are those of both if it is the `same`, else those of `from`. */
int profile_copy_identity(struct profile_file *to, const struct profile_file *from, bool same);

/* Adds an empty file like `from`. */
int profile_add_like(struct profile *to, const struct profile_file *from, struct profile_file **ret);
