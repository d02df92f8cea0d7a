/* SPDX-License-Identifier: MIT */
/* Finds out what kind of shared object a file is, and whether everything that the loader maps of it is there. */
#include "setup/system/object.h"

#include <errno.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "elf/file.h"

static int check_segments(const struct elf_file *file, const char **ret_problem)
{
	*ret_problem = "has nothing to load";
	if (!elf_file_phdr(file, PT_LOAD))
		return -ENOEXEC;
	*ret_problem = "is truncated";
	for (size_t i = 0; i < file->n_phdrs; i++)
		if (file->phdrs[i].p_type == PT_LOAD &&
			!range_fits(file->phdrs[i].p_offset, file->phdrs[i].p_filesz, file->size))
			return -ENOEXEC;
	return 0;
}

static int check(struct elf_file *file, int fd, const char **ret_problem)
{
	int r = elf_file_open(file, fd, ret_problem);

	if (r < 0)
		return r;
	*ret_problem = "is not a shared object";
	if (file->header.e_type != ET_DYN)
		return -ENOEXEC;
	r = elf_file_take_phdrs(file, ret_problem);
	return r < 0 ? r : check_segments(file, ret_problem);
}

int object_kind_of(const char *path, struct object_kind *ret, const char **ret_problem)
{
	_cleanup_(elf_file_releasep) struct elf_file file = {0};
	_cleanup_close_ int fd = open_regular(path, 0); /* follows links, as the loader does */
	const char *problem;
	int r;

	if (fd < 0)
		return fd;
	r = check(&file, fd, &problem);
	if (r == -ENOEXEC)
		*ret_problem = problem;
	if (r < 0)
		return r;
	*ret = (struct object_kind){
		file.header.e_ident[EI_CLASS], file.header.e_ident[EI_DATA], file.header.e_machine};
	return 0;
}
