/* SPDX-License-Identifier: MIT */
/* The queue of fanotify: what it is made for, what is taken from it, and when it ends. */
#include "record/names/opens.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "record/names/marks.h"
#include "record/names/opened.h"

/* O_NONBLOCK: opening a FIFO must not wait for its other end. */
#define EVENT_FLAGS (O_RDONLY | O_LARGEFILE | O_CLOEXEC | O_NONBLOCK | O_NOATIME)

/*
 * One read opens a file for each event. An event for which there is no descriptor is lost, and if the read has opened others before,
 * nothing says so. So a read takes few enough for any usual limit.
 */
#define EVENTS_AT_ONCE 128

/* Elsewhere on the machine files may be opened faster than we look at them; signals and the clock must get their turn. */
#define READS_AT_ONCE 21

int opens_start(struct opens *opens, const struct mounts *mounts)
{
	unsigned queue = opens->bounded ? 0 : FAN_UNLIMITED_QUEUE;

	opens->mounts = mounts;
	opens->fd = fanotify_init(
		FAN_CLASS_NOTIF | queue | FAN_UNLIMITED_MARKS | FAN_CLOEXEC | FAN_NONBLOCK, EVENT_FLAGS);
	if (opens->fd < 0)
		return -errno;
	for (size_t i = 0; i < mounts->count; i++) {
		int r = marks_mount(opens, &mounts->items[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

int opens_mark_again(struct opens *opens, struct mounts *mounts)
{
	struct mounts now = {0};
	int r = mounts_read(&now);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	mounts_release(mounts);
	*mounts = now;
	/* A device that was unmounted and mounted again has lost its mark. A second mark does no harm. */
	for (size_t i = 0; r == 0 && opens->fd >= 0 && i < mounts->count; i++)
		r = marks_mount(opens, &mounts->items[i]);
	return r;
}

void opens_start_empty(struct opens *opens, const struct mounts *mounts)
{
	opens->mounts = mounts;
	opens->everybody = true;
}

/* What recorded programs have mounted since. */
static int refresh_views(struct opens *opens)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < opens->views.count; i++) {
		r = view_refresh(&opens->views.items[i]);
		if (r > 0)
			r = marks_view(opens, &opens->views.items[i]);
	}
	return r;
}

static int learn_tree(struct opens *opens, const struct record_trace *trace)
{
	int r = 0;

	for (; r == 0 && !opens->by_parents && opens->n_pids_seen < trace->n_pids; opens->n_pids_seen++)
		r = inode_map_add(&opens->tree, 0, (uint64_t)trace->pids[opens->n_pids_seen], 0);
	return r;
}

/* Takes the events of one read. Returns 1, 0 if there are none, or negative errno. */
static int drain_once(struct opens *opens)
{
	struct fanotify_event_metadata events[EVENTS_AT_ONCE];
	ssize_t size = opens->fd < 0 ? 0 : read(opens->fd, events, sizeof(events));
	const struct fanotify_event_metadata *event = events;
	int r = 0;

	if (size == 0 || (size < 0 && errno == EAGAIN))
		return 0;
	opens->lost |= size < 0; /* the event is gone, others may follow */
	for (; FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size)) {
		if (event->mask & FAN_Q_OVERFLOW)
			opens->lost = opens->dropped = true;
		if (event->fd < 0)
			continue;
		if (r == 0 && event->pid != getpid() && (!opens->ignored || event->pid != opens->ignored))
			r = opens_add(opens, event->fd, event->pid, NULL);
		close(event->fd);
	}
	return r < 0 ? r : 1;
}

int opens_drain(struct opens *opens, const struct record_trace *trace)
{
	int r = learn_tree(opens, trace);

	if (opens->keeps_no_views)
		views_let_go(&opens->views);
	if (r == 0)
		r = refresh_views(opens);
	for (int i = 0; r == 0 && i < READS_AT_ONCE; i++) {
		r = drain_once(opens);
		if (r == 0)
			return 0;
		if (r > 0)
			r = 0;
	}
	return r;
}

/* Whoever opened a file before the tree was known to have that process belongs to it. */
static void settle(const struct opens *opens, struct record_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		files->items[i].by_tree |= opened_in_tree(opens, files->items[i].opener);
}

static void settle_all(struct opens *opens)
{
	settle(opens, &opens->files);
	for (size_t i = 0; i < opens->views.count; i++)
		settle(opens, &opens->views.items[i].files);
}

/* Without marks there are no new events, so the queue has an end however much is opened meanwhile. */
int opens_end(struct opens *opens, const struct record_trace *trace)
{
	int r = learn_tree(opens, trace);

	if (opens->fd >= 0)
		fanotify_mark(opens->fd, FAN_MARK_FLUSH | FAN_MARK_FILESYSTEM, 0, AT_FDCWD, "/");
	while (r == 0 && (r = drain_once(opens)) > 0)
		r = 0;
	settle_all(opens);
	return r;
}

void opens_release(struct opens *opens)
{
	if (opens->fd >= 0)
		close(opens->fd);
	inode_map_release(&opens->known);
	inode_map_release(&opens->tree);
	inode_map_release(&opens->marked);
	inode_map_release(&opens->unnamed);
	inode_map_release(&opens->missed);
	views_release(&opens->views);
	record_files_release(&opens->files);
	*opens = (struct opens)OPENS_INIT;
}
