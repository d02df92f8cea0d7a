/* SPDX-License-Identifier: MIT */
/* Reading a plan. */
#include "prefetch/load.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"

static int read_at_start(int fd, void *data, size_t size, size_t *ret_size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)data + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	*ret_size = done;
	return 0;
}

int plan_load(int fd, struct loaded_plan *ret, enum plan_fault *ret_fault)
{
	_cleanup_free_ void *data = NULL;
	struct plan_view view;
	enum plan_fault fault;
	struct stat st;
	size_t size = 0;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > (off_t)PLAN_FILE_MAX)
		return -EFBIG;
	data = malloc((size_t)st.st_size + 1);
	if (!data)
		return -ENOMEM;
	r = read_at_start(fd, data, (size_t)st.st_size, &size);
	if (r < 0)
		return r;
	fault = plan_view_init(&view, data, size, checksum64);
	if (fault != PLAN_GOOD) {
		*ret_fault = fault;
		return -EBADMSG;
	}
	*ret = (struct loaded_plan){.data = TAKE_PTR(data), .view = view};
	return 0;
}

void loaded_plan_release(struct loaded_plan *plan)
{
	free(plan->data);
	plan->data = NULL;
}
