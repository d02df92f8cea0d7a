/* SPDX-License-Identifier: MIT */
/* Records by the kernel's trace events, as root, from an empty page cache and with read-ahead off. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process-tree.h"
#include "record/backend.h"
#include "record/disks/sound.h"
#include "record/restore/kernelfs.h"

static int drop_page_cache(void)
{
	_cleanup_close_ int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	sync();
	return write_full(fd, "3", 1);
}

int record_probe_events(void)
{
	_cleanup_close_ int tracefs = geteuid() == 0 ? kernelfs_open_tracefs() : -EPERM;

	if (tracefs < 0)
		return tracefs == -EPERM && geteuid() == 0 ? -EACCES : tracefs;
	return faccessat(tracefs, "events/filemap", F_OK, 0) < 0 ? -errno : 0;
}

/* Does everything that must not cost the command time. The order matters: it is undone in the reverse order. */
static int set_up(struct session *session, enum record_step *step)
{
	const struct record_options *options = session->options;
	int r;

	*step = RECORD_STEP_TRACEFS;
	r = restore_init(&session->restore);
	if (r < 0)
		return r;
	*step = RECORD_STEP_MOUNTS;
	r = mounts_read(&session->mounts);
	if (r < 0)
		return r;
	/* What there is to write takes long on a slow disk, and is written while read-ahead is on still. Little comes to it until we drop. */
	if (!options->keep_cache)
		sync();
	*step = RECORD_STEP_READ_AHEAD;
	r = options->keep_read_ahead ? 0 : restore_choose_devices(&session->restore, &session->mounts);
	if (r == 0)
		r = restore_begin(&session->restore);
	if (r < 0)
		return r;
	*step = RECORD_STEP_TRACER;
	r = tracer_open(session->restore.tracefs, session->restore.instance,
		&(struct tracer_options){
			.source = options->page_cache_events ? TRACER_PAGE_CACHE : TRACER_BEST,
			.moments = options->timeline || options->watch},
		&session->tracer);
	if (r < 0)
		return r;
	session->only_added = tracer_has_only_added(session->tracer);
	/* Without fanotify names are found by walking the file systems, which is slower. */
	opens_start(&session->opens, &session->mounts);
	return 0;
}

static int marker(struct session *session)
{
	return tracer_marker(session->tracer);
}

static int begin(struct session *session, enum record_step *step)
{
	int32_t pid;
	int r;

	*step = RECORD_STEP_TRACER;
	r = tracer_follow(session->tracer, &session->trace, &pid);
	if (r < 0)
		return r;
	session->first = pid;
	session->opens.by_parents = pid != session->command.pid;
	*step = RECORD_STEP_DROP;
	return session->options->keep_cache ? 0 : drop_page_cache();
}

static int go(struct session *session)
{
	return command_go(&session->command);
}

/* The kernel's events so far come before the end of a process. */
static int gather(struct session *session, int milliseconds)
{
	struct pollfd fds[] = {
		{.fd = session->signals, .events = POLLIN},
		{.fd = session->opens.fd, .events = POLLIN},
		{.fd = session->options->mark, .events = POLLIN},
		{.fd = session_window(session), .events = POLLIN},
	};
	int r;

	if (poll(fds, sizeof(fds) / sizeof(*fds), milliseconds) < 0 && errno != EINTR)
		return -errno;
	r = tracer_drain(session->tracer, &session->trace);
	/* /proc has our numbers of threads; in a pid namespace of our own the kernel's events have others. */
	if (r == 0 && session->options->timeline && session->first == session->command.pid)
		r = sleepers_look(&session->sleepers, &session->trace);
	if (r == 0)
		r = opens_drain(&session->opens, &session->trace);
	if (r == 0 && session->options->watch)
		r = opens_forget(&session->opens, OPENS_PLENTY);
	session->tree_ended =
		process_tree_reap(session->command.pid, &session->command_ended, &session->status);
	return r;
}

/* Nothing that was touched is recorded any more. */
static int stop_disks(struct session *session)
{
	if (session->options->sound_disks && tracer_sees_disks(session->tracer))
		sound_disks(&session->opens.files);
	return tracer_stop_disks(session->tracer, &session->trace);
}

static int stop(struct session *session, enum record_step *step)
{
	int r;

	*step = RECORD_STEP_RECORD;
	r = tracer_stop(session->tracer, &session->trace);
	if (r == 0)
		r = opens_end(&session->opens, &session->trace);
	if (r == 0)
		r = stop_disks(session);
	tracer_free(TAKE_PTR(session->tracer));
	*step = r < 0 ? RECORD_STEP_RECORD : RECORD_STEP_RESTORE;
	return restore_end(&session->restore) ?: r;
}

static void hand_over(struct session *session, struct record_result *result)
{
	result->running = !session->command_ended;
}

static void release(struct session *session)
{
	tracer_free(session->tracer);
	restore_release(&session->restore);
}

const struct backend backend_events = {
	.name = PROFILE_BACKEND_FILEMAP,
	.set_up = set_up,
	.marker = marker,
	.begin = begin,
	.go = go,
	.gather = gather,
	.stop = stop,
	.hand_over = hand_over,
	.release = release,
};
