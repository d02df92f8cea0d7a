/* SPDX-License-Identifier: MIT */
/* Reads a plan. */
#include "plan/store/load.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"

int plan_load(int fd, struct loaded_plan *ret, enum plan_fault *ret_fault)
{
	_cleanup_free_ char *data = NULL;
	struct plan_view view;
	enum plan_fault fault;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > (off_t)PLAN_FILE_MAX)
		return -EFBIG;
	data = malloc((size_t)st.st_size + 1);
	if (!data)
		return -ENOMEM;
	n = pread_full(fd, data, (size_t)st.st_size, 0);
	if (n < 0)
		return (int)n;
	fault = plan_view_init(&view, data, (size_t)n, checksum64);
	if (fault != PLAN_GOOD) {
		*ret_fault = fault;
		return -EBADMSG;
	}
	*ret = (struct loaded_plan){.data = TAKE_PTR(data), .view = view};
	return 0;
}

int plan_load_path(const char *path, struct loaded_plan *ret, enum plan_fault *ret_fault)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	enum plan_fault fault;

	return fd < 0 ? fd : plan_load(fd, ret, ret_fault ? ret_fault : &fault);
}

void loaded_plan_release(struct loaded_plan *plan)
{
	free(plan->data);
	plan->data = NULL;
}
