/* SPDX-License-Identifier: MIT */
/* Scope-bound release of what a function owns, and the macros that hand ownership on. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(release) __attribute__((cleanup(release)))

static inline void cleanup_freep(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void cleanup_closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#define _cleanup_free_     _cleanup_(cleanup_freep)
#define _cleanup_close_    _cleanup_(cleanup_closep)
#define _cleanup_fclose_   _cleanup_(cleanup_fclosep)
#define _cleanup_closedir_ _cleanup_(cleanup_closedirp)

/* Takes the value of a variable and clears the variable. */
#define TAKE_PTR(p)                                                                                          \
	({                                                                                                   \
		__typeof__(p) *take_at_ = &(p);                                                              \
		__typeof__(p) taken_ = *take_at_;                                                            \
		*take_at_ = NULL;                                                                            \
		taken_;                                                                                      \
	})

#define TAKE_FD(fd)                                                                                          \
	({                                                                                                   \
		int *take_at_ = &(fd);                                                                       \
		int taken_ = *take_at_;                                                                      \
		*take_at_ = -1;                                                                              \
		taken_;                                                                                      \
	})
