/* SPDX-License-Identifier: MIT */
/* Takes what the recorder gathers into the model, and shows it at a modest rate. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/run/process-tree.h"
#include "base/run/signals.h"
#include "base/times.h"
#include "verbs/watch/screen.h"
#include "verbs/watch/watch.h"

#define COST_SHARE 10 /* at most this part of the time goes into showing */

static volatile sig_atomic_t interrupts, wanted = 1;

/* SIGINT as it was: the recorder passes it on to the command of another user. */
static struct sigaction before;

static void count(int signal_number)
{
	interrupts++;
	if (signal_number == SIGINT && before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(signal_number);
}

void watching_catch_signals(bool by_command)
{
	static const int enders[] = {SIGTERM, SIGHUP};
	const struct sigaction action = {.sa_handler = count};

	wanted = by_command ? 2 : 1;
	sigaction(SIGINT, &action, &before);
	for (size_t i = 0; !by_command && i < sizeof(enders) / sizeof(*enders); i++)
		if (!signal_is_ignored(enders[i]))
			sigaction(enders[i], &action, NULL);
}

bool watching_interrupted(void)
{
	return interrupts >= wanted;
}

static int draw(struct watching *watching)
{
	struct show_style *style = &watching->output.style;
	_cleanup_free_ char *text = NULL;
	FILE *page;
	size_t size = 0;

	screen_size(watching->output.fd, &style->page.columns, &style->lines);
	page = open_memstream(&text, &size);
	if (!page)
		return -ENOMEM;
	show_page(page, &watching->live, style);
	if (fclose(page) != 0)
		return -ENOMEM;
	screen_draw(text);
	return 0;
}

static int show(struct watching *watching)
{
	struct watch_output *output = &watching->output;
	int r = 0;

	live_sort(&watching->live);
	if (output->screen)
		r = draw(watching);
	else if (output->json)
		r = show_json(output->out, &watching->live);
	else
		show_lines(output->out, &watching->live, &output->style);
	errno = 0;
	if (r == 0 && !output->screen && (fflush(output->out) != 0 || ferror(output->out)))
		r = errno ? -errno : -EIO;
	return r;
}

static int look(struct watching *watching, const struct record_seen *seen)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	int r = 0;

	if (watching->top) {
		r = ARRAY_RESERVE(pids, capacity, 1);
		if (r == 0)
			pids[n++] = watching->top;
	}
	if (r == 0 &&
		process_tree_below(watching->top ? watching->top : getpid(), &pids, &n, &capacity) == -ENOMEM)
		r = -ENOMEM;
	return r < 0 ? r
		     : look_turn(&watching->look, seen->trace, seen->files, pids, n, seen->complete,
			       &watching->live);
}

/* The command is the first thread that there is. */
static int begin(struct watching *watching, const struct record_seen *seen)
{
	const struct carried first = {.tid = seen->first, .pid = seen->first};

	if (watching->live.began == 0)
		watching->live.began = watching->window.began = watching->shown =
			seen->began ? seen->began : seen->complete - 1;
	return seen->first ? carry_add(&watching->window.carry, &first, "", 0) : 0;
}

static bool all_ended(const struct live *live)
{
	for (size_t i = 0; i < live->n_processes; i++)
		if (!live->processes[i].ended)
			return false;
	return live->n_processes > 0;
}

static int turn(struct watching *watching, const struct record_seen *seen)
{
	return watching->live.exact
		? window_turn(&watching->window, seen->files, seen->complete, &watching->live)
		: look(watching, seen);
}

int watching_take(void *context, const struct record_seen *seen)
{
	struct watching *watching = context;
	struct live *live = &watching->live;
	uint64_t now = monotonic_ns(), interval = (uint64_t)(watching->output.interval * 1e9);
	int r = live->turns ? 0 : begin(watching, seen);
	bool over = watching->unread || watching_interrupted() ||
		(watching->timeout > 0 &&
			seen->complete - live->began >= (uint64_t)(watching->timeout * 1e9));

	if (r == 0 && live->exact)
		r = window_take(&watching->window, seen->trace);
	if (r == 0 && !watching->unread && (over || seen->last || now >= watching->shown + interval)) {
		r = turn(watching, seen);
		if (r == 0)
			r = show(watching);
		/* A model that is dear to show is shown less often. */
		watching->shown = now;
		if ((monotonic_ns() - now) * COST_SHARE > interval)
			watching->shown = monotonic_ns() + (monotonic_ns() - now) * COST_SHARE - interval;
	}
	/* A reader that has gone ends the watching, but not the command. */
	if (r == -EPIPE) {
		watching->unread = over = true;
		r = 0;
	}
	written_shorten(&watching->written);
	watching->error = r;
	if (r < 0)
		return r;
	return over || (!watching->by_command && all_ended(live));
}

void watching_end(struct watching *watching)
{
	if (watching->output.screen)
		screen_end();
}

void watching_release(struct watching *watching)
{
	watching_end(watching);
	live_release(&watching->live);
	window_release(&watching->window);
	look_release(&watching->look);
	if (watching->output.out)
		fclose(watching->output.out);
}
