/* SPDX-License-Identifier: MIT */
/*
 * How much static TLS the libraries of the start take under an auditor (elf/static-tls.h). All libraries of the profile
 * count, also those that are opened with dlopen(3) and those of other programs of the start: too large a number costs
 * each thread some address space, but too small a number keeps the program from starting. Libraries of other users
 * count only in those users' own plans.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "elf/needs.h"
#include "elf/static-tls.h"
#include "plan/build/draft.h"

static int add_file(struct plan_draft *draft, const struct profile_file *file, uint64_t *sum)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	int r = draft_path(draft, file->path, &path);

	if (r < 0)
		return r;
	if (draft_is_others(draft, file, path))
		return 0;
	fd = open_regular(path, OPEN_NO_LINKS);
	r = fd < 0 ? fd : elf_needs_read(fd, &needs);
	if (r == 0)
		*sum = static_tls_add(*sum, static_tls_of(&needs));
	return r == -ENOMEM ? r : 0;
}

int draft_static_tls(struct plan_draft *draft)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < draft->profile->n_files; i++) {
		const struct profile_file *file = &draft->profile->files[i];
		int r = file->kind == PROFILE_REGULAR ? add_file(draft, file, &sum) : 0;

		if (r < 0)
			return r;
	}
	draft->static_tls = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
	return 0;
}
