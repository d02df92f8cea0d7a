/* SPDX-License-Identifier: MIT */
#include "headstartd/learn/saver.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process.h"
#include "base/times.h"
#include "headstartd/helpers/child.h"
#include "replace/publish.h"

#define RETRY_MS 60000 /* if the disk was full */
#define GRACE_MS 5000  /* the child may hang */

int saver_read(struct saver *saver, enum records_fault *ret)
{
	_cleanup_free_ char *data = NULL;
	size_t size;
	int r = read_file(saver->path, saver->format->size_max, &data, &size);

	*ret = r == -EFBIG ? RECORDS_DAMAGED : RECORDS_GOOD;
	if (r < 0)
		return r == -ENOENT || r == -EFBIG ? 0 : r;
	*ret = records_parse(saver->format, data, size, saver->content);
	return 0;
}

static int write_content(const struct saver *saver)
{
	_cleanup_free_ char *data = NULL;
	size_t size;
	int r = records_serialize(saver->format, saver->content, &data, &size);

	return r < 0 ? r : publish_file(saver->path, 0600, data, size);
}

void saver_note(struct saver *saver)
{
	if (*saver->changed && saver->due_ms == UINT64_MAX)
		saver->due_ms = monotonic_ms() + saver->delay_ms;
}

void saver_hurry(struct saver *saver)
{
	saver->due_ms = monotonic_ms();
}

uint64_t saver_next_ms(const struct saver *saver)
{
	return saver->child ? UINT64_MAX : saver->due_ms;
}

static void try_again(struct saver *saver)
{
	*saver->changed = true;
	saver->due_ms = monotonic_ms() + RETRY_MS;
}

void saver_work(struct saver *saver)
{
	pid_t pid;

	if (saver_next_ms(saver) > monotonic_ms())
		return;
	saver->due_ms = UINT64_MAX;
	*saver->changed = false;
	pid = fork();
	if (pid == 0) {
		child_keep_only(-1);
		_exit(write_content(saver) < 0);
	}
	if (pid > 0)
		saver->child = pid;
	else
		try_again(saver);
}

bool saver_child_ended(struct saver *saver, pid_t pid, int status)
{
	if (pid != saver->child)
		return false;
	saver->child = 0;
	if (status != 0)
		try_again(saver);
	return true;
}

void saver_release(struct saver *saver, bool may_write)
{
	bool due = saver->path && (*saver->changed || saver->due_ms != UINT64_MAX);

	if (saver->child)
		(void)process_wait(saver->child, GRACE_MS);
	if (may_write && due)
		(void)write_content(saver);
	free(TAKE_PTR(saver->path));
}
