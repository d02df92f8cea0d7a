/* SPDX-License-Identifier: MIT */
/* An arm of bench/micro-spawn: parsing, spawning, summarizing. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "micro-spawn.h"

static size_t count_strings(char *const *strings)
{
	size_t n = 0;

	while (strings[n])
		n++;
	return n;
}

/* Whether a variable of our own environment would make headstart act in the arm `nothing`. */
static int steers_headstart(const char *variable)
{
	return after_prefix(variable, "LD_AUDIT=") || after_prefix(variable, "LD_PRELOAD=") ||
		after_prefix(variable, "HEADSTART");
}

/* Words with '=' are variables, up to the first word without; the rest stands before the command. */
static int split_words(struct spawn_arm *arm, char *text, char *const *command)
{
	size_t words = strlen(text) / 2 + 1, n_environment = 0, n_argv = 0;
	char *position = NULL;

	arm->environment = calloc(count_strings(environ) + words + 1, sizeof(*arm->environment));
	arm->argv = calloc(count_strings(command) + words + 1, sizeof(*arm->argv));
	if (!arm->environment || !arm->argv)
		return -ENOMEM;
	for (char **variable = environ; *variable; variable++)
		if (!steers_headstart(*variable))
			arm->environment[n_environment++] = *variable;
	for (char *word = strtok_r(text, " \t", &position); word; word = strtok_r(NULL, " \t", &position)) {
		if (n_argv == 0 && strchr(word, '='))
			arm->environment[n_environment++] = word;
		else
			arm->argv[n_argv++] = word;
	}
	memcpy(arm->argv + n_argv, command, count_strings(command) * sizeof(*command));
	return 0;
}

int spawn_arm_init(struct spawn_arm *ret, const char *text, char *const *command, size_t rounds)
{
	struct spawn_arm arm = {.name = strdup(text), .us = calloc(rounds, sizeof(*arm.us))};
	char *colon = arm.name ? strchr(arm.name, ':') : NULL;
	int r;

	if (!arm.name || !arm.us) {
		r = -ENOMEM;
	} else if (!colon || colon == arm.name) {
		r = -EINVAL;
	} else {
		*colon = '\0';
		r = split_words(&arm, colon + 1, command);
	}
	if (r < 0)
		spawn_arm_release(&arm);
	else
		*ret = arm;
	return r;
}

void spawn_arm_release(struct spawn_arm *arm)
{
	free(arm->name);
	free(arm->argv);
	free(arm->environment);
	free(arm->us);
	*arm = (struct spawn_arm){0};
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int spawn_arm_run(const struct spawn_arm *arm, double *ret_us, int *ret_status)
{
	double start = now_us(), end;
	int status, r;
	pid_t pid;

	r = posix_spawnp(&pid, arm->argv[0], NULL, NULL, arm->argv, arm->environment);
	if (r > 0)
		return -r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	end = now_us();
	*ret_us = end - start;
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

int spawn_arm_summarize(struct spawn_arm *arm, const struct spawn_arm *first, size_t rounds, uint64_t seed)
{
	_cleanup_free_ double *sorted = calloc(rounds, sizeof(*sorted));
	int r;

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, arm->us, rounds * sizeof(*sorted));
	arm->median = sample_median(sorted, rounds);
	arm->least = sorted[0];
	r = sample_median_interval(arm->us, rounds, seed, &arm->interval);
	if (r == 0 && arm != first) {
		r = sample_difference_interval(arm->us, first->us, rounds, seed, &arm->more_interval);
		arm->more = arm->median - first->median;
		arm->different =
			arm->interval.low > first->interval.high || arm->interval.high < first->interval.low;
	}
	return r;
}
