/* SPDX-License-Identifier: MIT */
/* The order of the starts, and what each begins with. */
#include "measure/measure.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process-tree.h"
#include "base/run/signals.h"
#include "display/window.h"
#include "measure/start.h"

#define LOG_MAX (1u << 20) /* bytes */

struct session {
	const struct measure_options *options;
	struct measure_result result;
	char **launch;     /* owned: the command behind `headstart run --` */
	int log;           /* owned: a file in memory, to which prefetchers append */
	char log_path[64]; /* its name for them: HEADSTART_LOG must be an absolute path */
	int signals;       /* owned */
	sigset_t mask_before;
	unsigned done, total;
};

static void session_releasep(struct session *session)
{
	free(session->launch);
	cleanup_closep(&session->log);
	if (session->signals < 0)
		return;
	close(session->signals);
	sigprocmask(SIG_SETMASK, &session->mask_before, NULL);
}

/* "headstart run -- COMMAND…", with the path that we have found, so that both kinds of starts execute the same file. */
static int make_launch(struct session *session)
{
	const struct measure_options *options = session->options;
	size_t n = 0;

	while (options->argv[n])
		n++;
	session->launch = calloc(n + 4, sizeof(*session->launch));
	if (!session->launch)
		return -ENOMEM;
	session->launch[0] = (char *)options->launcher;
	session->launch[1] = (char *)"run";
	session->launch[2] = (char *)"--";
	session->launch[3] = (char *)options->path;
	for (size_t i = 1; i < n; i++)
		session->launch[i + 3] = options->argv[i];
	return 0;
}

static int set_up(struct session *session)
{
	/* SIGINT and SIGQUIT come from the keyboard; the command has a session of its own, so they reach only us. */
	int r = signals_take((const int[]){SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, 0},
		&session->mask_before, &session->signals);

	if (r == 0)
		r = make_launch(session);
	if (r < 0)
		return r;
	session->log = memfd_create("headstart-log", MFD_CLOEXEC);
	if (session->log < 0)
		return -errno;
	snprintf(session->log_path, sizeof(session->log_path), "/proc/%d/fd/%d", getpid(), session->log);
	return process_tree_begin();
}

/* Whether a prefetcher has written to the log since the last call. Empties the log. */
static bool take_log(struct session *session)
{
	char *text = NULL;
	size_t size;
	bool prefetched;

	if (lseek(session->log, 0, SEEK_SET) < 0 || read_to_end(session->log, LOG_MAX, &text, &size) < 0)
		return false;
	prefetched = strncmp(text, "prefetch ", 9) == 0 || strstr(text, "\nprefetch ");
	free(text);
	(void)!ftruncate(session->log, 0);
	return prefetched;
}

/* The plan and the launcher are read from the disk at a cold start, too. */
static int make_cold(struct session *session)
{
	struct cold_report report, *worst = &session->result.cold;
	int r;

	cold_evict(session->options->plan_path);
	cold_evict(session->options->launcher);
	r = cold_make(session->options->plan, &report);
	if (r == 0 &&
		(worst->files == 0 ||
			report.bytes_left + report.looked_left > worst->bytes_left + worst->looked_left))
		*worst = report;
	return r;
}

static int start(struct session *session, enum measure_kind kind, double *ret_seconds, int *ret_exec_error)
{
	const struct measure_options *options = session->options;
	const bool with = kind == MEASURE_WITH;
	const struct start_variable variables[] = {
		{"HEADSTART", with ? NULL : "off"},
		{"HEADSTART_LOG", session->log_path},
		/* Otherwise a Wayland session's programs would open windows that we cannot see (window.h). */
		{options->until.kind == MILESTONE_WINDOW ? "WAYLAND_DISPLAY" : NULL, WINDOW_NO_WAYLAND},
		{NULL, NULL},
	};
	const struct start_options how = {
		.path = with ? options->launcher : options->path,
		.argv = with ? session->launch : options->argv,
		.variables = variables,
		.until = options->until,
		.timeout = options->timeout,
		.signals = session->signals,
		.mask = session->mask_before,
	};
	struct start_result result;
	int r = 0;

	if (options->progress)
		options->progress(options->context, kind, session->done, session->total);
	if (kind == MEASURE_WITH || kind == MEASURE_WITHOUT)
		r = make_cold(session);
	if (r == 0)
		r = start_run(&how, &result, ret_exec_error);
	if (r < 0)
		return r;
	session->done++;
	session->result.prefetched += take_log(session) && with;
	if (result.status) {
		session->result.failed++;
		session->result.status = result.status;
	}
	*ret_seconds = result.seconds;
	return 0;
}

/* Every other round begins with the other kind, so that neither always comes after the other. */
static int run_round(struct session *session, unsigned round, int *ret_exec_error)
{
	struct measure_result *result = &session->result;
	int r = 0;

	for (unsigned turn = 0; r == 0 && turn < 2; turn++)
		r = (turn + round) % 2 == 0
			? start(session, MEASURE_WITHOUT, &result->without[round], ret_exec_error)
			: start(session, MEASURE_WITH, &result->with[round], ret_exec_error);
	return r;
}

static int run_all(struct session *session, int *ret_exec_error)
{
	double unused;
	int r = start(session, MEASURE_FIRST, &unused, ret_exec_error);

	for (unsigned i = 0; r == 0 && i < MEASURE_WARM_STARTS; i++)
		r = start(session, MEASURE_WARM, &session->result.warm[i], ret_exec_error);
	for (unsigned round = 0; r == 0 && round < session->options->runs; round++)
		r = run_round(session, round, ret_exec_error);
	return r;
}

int measure_run(const struct measure_options *options, struct measure_result *ret, int *ret_exec_error)
{
	_cleanup_(session_releasep) struct session session = {
		.options = options,
		.log = -1,
		.signals = -1,
		.total = 1 + MEASURE_WARM_STARTS + 2 * options->runs,
	};
	int r = set_up(&session);

	if (r == 0)
		r = run_all(&session, ret_exec_error);
	if (r == 0)
		*ret = session.result;
	return r;
}
