/* SPDX-License-Identifier: MIT */
/*
 * bench/micro-spawn: what headstart costs a program that does not need it. Each round spawns a command from a warm
 * cache once for each arm, which puts different things in front of it. Compares the medians.
 */
#include "micro-spawn.h"

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define ARMS_MAX   16
#define ROUNDS_MAX 1000000
#define TEXTS_MAX  4 /* default arms that name a file of this build */
#define WARM_UP    5 /* rounds that don't count */

struct options {
	size_t rounds;
	uint64_t seed;
	int cpu; /* -1: any */
	const char *json;
	const char *arms[ARMS_MAX];
	size_t n_arms;
	char **command;
};

static const char help[] =
	"Usage: micro-spawn [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Spawns COMMAND (default: /bin/true) with different things in front of it, one of each\n"
	"a round in random order, and prints how long each takes from posix_spawn to the end of\n"
	"waitpid.\n"
	"\n"
	"  -n, --runs N        spawns of each arm (default: 1000)\n"
	"  -c, --cpu N         run all on one CPU: less noise, but parent and child share it\n"
	"  -s, --seed N        of order and bootstrap (default: 1)\n"
	"  -j, --json FILE     write the result to FILE, too\n"
	"  -a, --arm NAME:WORDS\n"
	"                      add an arm: VARIABLE=VALUE words, then arguments before COMMAND.\n"
	"                      The first arm is what the others are compared with. Default:\n"
	"                        nothing:\n"
	"                        audit:LD_AUDIT=.../libheadstart-audit.so\n"
	"                        audit-no-plan:LD_AUDIT=... HEADSTART=plan HEADSTART_STATE=/nonexistent\n"
	"                        preload:LD_PRELOAD=.../libheadstart-preload.so\n"
	"                        run:.../headstart run --\n"
	"                      with the shims and the launcher of this build\n"
	"  -h, --help          this text\n"
	"\n"
	"LD_AUDIT, LD_PRELOAD and HEADSTART... of the caller's environment are not passed on.\n";

static int fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(int status, const char *format, ...)
{
	va_list args;

	fputs("micro-spawn: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}

static int parse_number(
	const char *text, unsigned long long least, unsigned long long most, unsigned long long *ret)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value < least || value > most)
		return -EINVAL;
	*ret = value;
	return 0;
}

/* One option. Returns -1 to go on, or the exit status. */
static int parse_option(struct options *options, int option)
{
	unsigned long long number;

	switch (option) {
	case 'n':
		if (parse_number(optarg, 1, ROUNDS_MAX, &number) < 0)
			return fail(2, "'%s' is not a number of runs from 1 to %d", optarg, ROUNDS_MAX);
		options->rounds = number;
		return -1;
	case 'c':
		if (parse_number(optarg, 0, CPU_SETSIZE - 1, &number) < 0)
			return fail(2, "'%s' is not the number of a CPU", optarg);
		options->cpu = (int)number;
		return -1;
	case 's':
		if (parse_number(optarg, 0, UINT64_MAX, &number) < 0)
			return fail(2, "'%s' is not a number", optarg);
		options->seed = number;
		return -1;
	case 'j':
		options->json = optarg;
		return -1;
	case 'a':
		if (options->n_arms == ARMS_MAX)
			return fail(2, "more than %d arms", ARMS_MAX);
		options->arms[options->n_arms++] = optarg;
		return -1;
	case 'h':
		fputs(help, stdout);
		return 0;
	default:
		return 2;
	}
}

static int parse_options(struct options *options, int argc, char **argv)
{
	static const struct option long_options[] = {
		{"runs", required_argument, NULL, 'n'},
		{"cpu", required_argument, NULL, 'c'},
		{"seed", required_argument, NULL, 's'},
		{"json", required_argument, NULL, 'j'},
		{"arm", required_argument, NULL, 'a'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	static char *default_command[] = {(char *)"/bin/true", NULL};
	int option, status;

	while ((option = getopt_long(argc, argv, "+n:c:s:j:a:h", long_options, NULL)) >= 0) {
		status = parse_option(options, option);
		if (status >= 0)
			return status;
	}
	options->command = argv[optind] ? argv + optind : default_command;
	return -1;
}

/* The arms of the build that this program belongs to. The caller frees each of *ret_texts. */
static int default_arms(struct options *options, char *ret_texts[TEXTS_MAX])
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *build;

	if (n < 0)
		return -errno;
	self[n] = '\0';
	build = dirname(dirname(self));
	if (asprintf(&ret_texts[0], "audit:LD_AUDIT=%s/ldpreload/libheadstart-audit.so", build) < 0 ||
		asprintf(&ret_texts[1],
			"audit-no-plan:LD_AUDIT=%s/ldpreload/libheadstart-audit.so HEADSTART=plan "
			"HEADSTART_STATE=/nonexistent",
			build) < 0 ||
		asprintf(&ret_texts[2], "preload:LD_PRELOAD=%s/ldpreload/libheadstart-preload.so", build) <
			0 ||
		asprintf(&ret_texts[3], "run:%s/tools/headstart run --", build) < 0)
		return -ENOMEM;
	options->arms[0] = "nothing:";
	for (size_t i = 0; i < TEXTS_MAX; i++)
		options->arms[i + 1] = ret_texts[i];
	options->n_arms = 1 + TEXTS_MAX;
	return 0;
}

/* One spawn of an arm. Returns the exit status. */
static int measure_one(struct spawn_arm *arm, double *ret_us)
{
	int status, r = spawn_arm_run(arm, ret_us, &status);

	if (r < 0)
		return fail(1, "cannot run '%s' of arm '%s': %s", arm->argv[0], arm->name, strerror(-r));
	if (status != 0)
		return fail(1, "arm '%s' failed with status %d", arm->name, status);
	return 0;
}

/*
 * Runs all rounds of all arms, in another order each round: a spawn leaves the CPU's caches in a state that affects the
 * next one. In a fixed order this made a difference of 6 us between two identical arms. Returns the exit status.
 */
static int measure(struct spawn_arm *arms, const struct options *options)
{
	uint64_t random = options->seed;
	size_t order[ARMS_MAX];

	for (size_t i = 0; i < options->n_arms; i++)
		order[i] = i;
	for (size_t round = 0; round < options->rounds + WARM_UP; round++) {
		for (size_t i = options->n_arms; i > 0; i--) {
			size_t other = sample_random(&random) % i, arm = order[other];
			double us;
			int status = measure_one(&arms[arm], &us);

			if (status != 0)
				return status;
			if (round >= WARM_UP)
				arms[arm].us[round - WARM_UP] = us;
			order[other] = order[i - 1];
			order[i - 1] = arm;
		}
	}
	return 0;
}

static int write_json(const struct options *options, const struct spawn_arm *arms)
{
	struct json_object *object = json_object_new_object();
	struct json_object *command = json_object_new_array();
	_cleanup_fclose_ FILE *out = fopen(options->json, "we");

	for (char **word = options->command; *word; word++)
		json_object_array_add(command, json_object_new_string(*word));
	json_object_object_add(object, "command", command);
	json_object_object_add(object, "cpu", options->cpu < 0 ? NULL : json_object_new_int(options->cpu));
	json_object_object_add(object, "seed", json_object_new_uint64(options->seed));
	spawn_add_json(object, arms, options->n_arms, options->rounds);
	if (out)
		fprintf(out, "%s\n",
			json_object_to_json_string_ext(
				object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	if (!out || fflush(out) != 0)
		return fail(1, "cannot write '%s': %s", options->json, strerror(errno));
	return 0;
}

static int report(struct spawn_arm *arms, const struct options *options)
{
	for (size_t i = 0; i < options->n_arms; i++)
		if (spawn_arm_summarize(&arms[i], &arms[0], options->rounds, options->seed) < 0)
			return fail(1, "out of memory");
	spawn_print_table(arms, options->n_arms, options->rounds);
	return options->json ? write_json(options, arms) : 0;
}

static int pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return fail(1, "cannot run on CPU %d alone: %s", cpu, strerror(errno));
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = {.rounds = 1000, .seed = 1, .cpu = -1};
	struct spawn_arm arms[ARMS_MAX] = {0};
	char *texts[TEXTS_MAX] = {0};
	size_t n = 0;
	int status = parse_options(&options, argc, argv);

	if (status >= 0)
		return status;
	if (options.n_arms == 0 && default_arms(&options, texts) < 0)
		status = fail(1, "cannot tell where this build lies");
	for (; status < 0 && n < options.n_arms; n++)
		if (spawn_arm_init(&arms[n], options.arms[n], options.command, options.rounds) < 0)
			status = fail(2, "'%s' is not an arm: NAME:WORDS", options.arms[n]);
	if (status < 0)
		status = pin(options.cpu);
	if (status == 0)
		status = measure(arms, &options);
	if (status == 0)
		status = report(arms, &options);
	for (size_t i = 0; i < n; i++)
		spawn_arm_release(&arms[i]);
	for (size_t i = 0; i < TEXTS_MAX; i++)
		free(texts[i]);
	return status;
}
