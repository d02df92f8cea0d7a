/* SPDX-License-Identifier: MIT */
/* slowdisk: the command line, and one sentence for each way it can fail. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuse.h"
#include "model.h"
#include "store.h"

#define EXIT_USAGE 2

static const char help[] =
	"Usage: slowdisk --model MODEL [--seed N] [--log FILE] IMAGE MOUNTPOINT\n"
	"\n"
	"Shows IMAGE as the file MOUNTPOINT/disk.img, as slow to read as the device MODEL. Writes take no\n"
	"time, go to memory and are gone afterwards. Stays in the foreground until SIGINT, SIGTERM or an\n"
	"unmount, and prints 'ready' on standard output when the file can be opened.\n"
	"\n"
	"  --model MODEL  hdd, sdcard, emmc, cloud, lazy, ssd, virtual, nvme or none\n"
	"  --seed N       start of the random numbers of hdd's rotation (0)\n"
	"  --log FILE     write a line for each read at the model's speed: when it came, when the model has it complete,\n"
	"                 when it was answered, in ns, its offset, its bytes\n"
	"  --help         print this\n"
	"\n"
	"Extended attributes of disk.img:\n"
	"  user.slowdisk.counters  read: reads, those at the model's speed, non-contiguous reads, bytes, of them\n"
	"                          those that had been read before and not written since, writes, as a JSON object\n"
	"  user.slowdisk.reset     write anything: counters to 0, nothing has been read, and lazy has fetched\n"
	"                          nothing\n"
	"  user.slowdisk.delay     write 0 or 1: serve at full speed, or at the model's (1 at the start)\n";

struct options {
	const struct model *model;
	uint64_t seed;
	const char *image, *mountpoint, *log;
};

static int fail(const char *what, const char *subject, int error)
{
	fprintf(stderr, "slowdisk: %s '%s': %s\n", what, subject, strerror(-error));
	return EXIT_FAILURE;
}

static int usage(const char *what, const char *subject)
{
	fprintf(stderr, "slowdisk: %s '%s'; see 'slowdisk --help'\n", what, subject);
	return EXIT_USAGE;
}

static int parse_seed(const char *text, uint64_t *ret_seed)
{
	unsigned long long seed;
	char *end;

	errno = 0;
	seed = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || strchr(text, '-'))
		return usage("not a number:", text);
	*ret_seed = seed;
	return 0;
}

static int parse_operands(struct options *options, char **operands, int n)
{
	if (!options->model)
		return usage("missing option", "--model");
	if (n < 2)
		return usage("missing operand", n == 0 ? "IMAGE" : "MOUNTPOINT");
	if (n > 2)
		return usage("unexpected operand", operands[2]);
	options->image = operands[0];
	options->mountpoint = operands[1];
	return 0;
}

/* Returns 0 or the status to exit with. */
static int parse(struct options *options, int argc, char **argv)
{
	static const struct option long_options[] = {
		{"model", required_argument, NULL, 'm'},
		{"seed", required_argument, NULL, 's'},
		{"log", required_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c, r = 0;

	while (r == 0 && (c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'm':
			options->model = model_find(optarg);
			if (!options->model)
				r = usage("no such model:", optarg);
			break;
		case 's':
			r = parse_seed(optarg, &options->seed);
			break;
		case 'l':
			options->log = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			exit(EXIT_SUCCESS);
		default:
			r = EXIT_USAGE; /* getopt has printed why */
		}
	}
	return r ? r : parse_operands(options, argv + optind, argc - optind);
}

static void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

/* Serves until the end. Returns the status to exit with. */
static int serve(const struct options *options, struct store *store)
{
	FILE *log = NULL;
	int r;

	if (options->log) {
		log = fopen(options->log, "we");
		if (!log)
			return fail("cannot write", options->log, -errno);
	}
	r = slowdisk_serve(options->model, store, options->seed, options->mountpoint, log, say_ready);
	if (log && fclose(log) != 0)
		return fail("cannot write", options->log, -errno);
	return r < 0 ? fail("cannot serve at", options->mountpoint, r) : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options options = {0};
	struct store store;
	int r;

	r = parse(&options, argc, argv);
	if (r)
		return r;
	r = store_open(&store, options.image);
	if (r < 0)
		return fail("cannot use the image", options.image, r);
	r = serve(&options, &store);
	store_close(&store);
	return r;
}
