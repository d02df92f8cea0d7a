/* SPDX-License-Identifier: MIT */
/* The fit of a disk's model gets the parameters back that the bench's device models have, through noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "device/model.h"
#include "model.h"

#define DISK_SIZE (UINT64_C(4) << 30)
#define PAGE      4096u
#define MS        UINT64_C(1000000)
#define READS_MAX 20000u

/* A recording in the making, on a device of the bench. */
struct recording {
	struct disk disk;
	struct device_read *reads; /* owned */
	size_t n;
	uint64_t now;    /* ns */
	uint64_t random; /* state */
	bool noisy;
};

static struct recording begin(const char *model, bool noisy)
{
	struct recording recording = {.noisy = noisy, .now = 1 * MS, .random = 1};

	disk_init(&recording.disk, model_find(model), DISK_SIZE, 7);
	recording.reads = calloc(READS_MAX, sizeof(*recording.reads));
	assert_non_null(recording.reads);
	return recording;
}

static void end(struct recording *recording)
{
	free(recording->reads);
}

/* A multiplicative generator (Knuth, MMIX); its high bits are good. */
static uint64_t draw(struct recording *recording, uint64_t below)
{
	recording->random = recording->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (recording->random >> 33) % below;
}

/* A read that is issued now. With noise it takes up to a tenth longer, and one of fifty 50 ms longer. */
static uint64_t read_at(struct recording *recording, uint64_t offset, uint32_t bytes)
{
	uint64_t done = disk_read(&recording->disk, recording->now, offset, bytes);

	assert_true(recording->n < READS_MAX);
	if (recording->noisy)
		done += (done - recording->now) * draw(recording, 100) / 1000;
	if (recording->noisy && draw(recording, 50) == 0)
		done += 50 * MS;
	recording->reads[recording->n++] = (struct device_read){
		.issued = recording->now, .done = done, .offset = offset, .bytes = bytes};
	return done;
}

static uint64_t anywhere(struct recording *recording)
{
	return draw(recording, DISK_SIZE / PAGE - 512) * PAGE;
}

/* Pages of a start: each read waits for the one before, and a third continue it. */
static void add_dependent(struct recording *recording, size_t n)
{
	uint64_t offset = anywhere(recording);

	for (size_t i = 0; i < n; i++) {
		recording->now = read_at(recording, offset, PAGE) + 5000;
		offset = draw(recording, 3) == 0 ? offset + PAGE : anywhere(recording);
	}
}

/* What read-ahead sends: large reads behind each other. */
static void add_large(struct recording *recording, size_t n)
{
	uint64_t offset = anywhere(recording);

	for (size_t i = 0; i < n; i++, offset += 1 << 20)
		recording->now = read_at(recording, offset, 1 << 20) + 5000;
}

static void add_burst(struct recording *recording, size_t n)
{
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t done = read_at(recording, anywhere(recording), PAGE);

		last = done > last ? done : last;
	}
	recording->now = last + 5000;
}

static void assert_within(double value, double expected, double share)
{
	if (value < expected * (1 - share) || value > expected * (1 + share))
		print_error("%g is not within %g %% of %g\n", value, share * 100, expected);
	assert_true(value >= expected * (1 - share) && value <= expected * (1 + share));
}

static struct device_model fit(const char *name, bool noisy)
{
	struct recording recording = begin(name, noisy);
	struct device_model model = {0};

	add_dependent(&recording, 3000);
	add_large(&recording, 8);
	for (size_t i = 0; i < 5; i++)
		add_burst(&recording, 128);
	assert_int_equal(device_fit(recording.reads, recording.n, DISK_SIZE, &model), 0);
	end(&recording);
	return model;
}

/* Latency and bytes over bandwidth make the time of a page; the link bounds what many at once gain. */
static void check(const char *name, bool noisy)
{
	const struct model *truth = model_find(name);
	struct device_model model = fit(name, noisy);
	double transfer = (double)model_transfer_ns(truth, PAGE) / 1e3;
	double page = (double)truth->latency_ns / 1e3 + transfer;
	double depth = truth->shared_bandwidth ? page / transfer : truth->queue;

	if (depth > truth->queue)
		depth = truth->queue;
	assert_within(model.latency_us, page, 0.1);
	assert_within(model.bytes_per_ms, (double)truth->bytes_per_second / 1e3, 0.15);
	if (!noisy) /* one late read of a burst makes the whole burst late */
		assert_within(model.depth, depth, 0.5);
	assert_int_equal(device_model_seeks(&model), truth->rotational);
	assert_true(model.samples > 2500);
	if (truth->rotational) {
		assert_within(model.seek_us, (double)(truth->settle_ns + truth->rotation_ns / 2) / 1e3, 0.2);
		assert_within(model.stroke_us, (double)truth->stroke_ns / 1e3, 0.2);
		assert_int_equal(model.depth, 1);
	} else {
		assert_true(model.seek_us + model.stroke_us <= page / 10 + 1);
	}
}

static void parameters_come_back(void **state)
{
	static const char *const names[] = {"hdd", "sdcard", "emmc", "cloud", "ssd", "nvme"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check(names[i], false);
}

static void parameters_come_back_through_noise(void **state)
{
	static const char *const names[] = {"hdd", "sdcard", "emmc", "cloud", "ssd", "nvme"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check(names[i], true);
}

/* What the reads do not show is left open: a recording without read-ahead has single pages only. */
static void what_was_not_seen_is_not_said(void **state)
{
	struct recording recording = begin("nvme", true);
	struct device_model model = {0};

	add_dependent(&recording, 1000);
	assert_int_equal(device_fit(recording.reads, recording.n, DISK_SIZE, &model), 0);
	assert_int_equal(model.bytes_per_ms, 0);
	assert_int_equal(model.depth, 0);
	assert_within(model.latency_us, 81, 0.1);
	assert_false(device_model_seeks(&model));
	end(&recording);
}

static void too_few_reads_are_refused(void **state)
{
	struct recording recording = begin("hdd", false);
	struct device_model model = {.samples = 7};

	assert_int_equal(device_fit(NULL, 0, DISK_SIZE, &model), -ENODATA);
	add_dependent(&recording, 80);
	assert_int_equal(device_fit(recording.reads, recording.n, DISK_SIZE, &model), -ENODATA);
	/* enough of them, but none that shows what distance costs */
	recording.n = 0;
	for (size_t i = 0; i < 500; i++)
		recording.now = read_at(&recording, recording.disk.head, PAGE);
	assert_int_equal(device_fit(recording.reads, recording.n, DISK_SIZE, &model), -ENODATA);
	/* no single one among them */
	recording.n = 0;
	add_burst(&recording, 2000);
	assert_int_equal(device_fit(recording.reads, recording.n, DISK_SIZE, &model), -ENODATA);
	/* a disk of no size */
	recording.n = 0;
	add_dependent(&recording, 1000);
	assert_int_equal(device_fit(recording.reads, recording.n, 0, &model), -ENODATA);
	assert_int_equal(model.samples, 7);
	end(&recording);
}

/* Reads that a write overlaps say nothing of the disk, and neither does the order in which they are given. */
static void disturbed_reads_do_not_count(void **state)
{
	struct recording recording = begin("ssd", false);
	struct device_model model = {0};
	size_t n;

	add_dependent(&recording, 2000);
	n = recording.n;
	for (size_t i = 0; i < n; i += 2) { /* as slow as anything */
		struct device_read *slow = &recording.reads[i];

		recording.reads[recording.n++] = (struct device_read){.issued = slow->issued + 1,
			.done = slow->issued + 20 * MS,
			.bytes = PAGE,
			.other = true};
		for (size_t later = i + 1; later < n; later++) {
			recording.reads[later].issued += 30 * MS;
			recording.reads[later].done += 30 * MS;
		}
		slow->done += 20 * MS;
	}
	for (size_t i = 0; i < recording.n / 2; i++) {
		struct device_read swap = recording.reads[i];

		recording.reads[i] = recording.reads[recording.n - 1 - i];
		recording.reads[recording.n - 1 - i] = swap;
	}
	assert_int_equal(device_fit(recording.reads, recording.n, DISK_SIZE, &model), 0);
	assert_within(model.latency_us, 108, 0.1);
	assert_false(device_model_seeks(&model));
	assert_uint_in_range(model.samples, 900, 1000);
	end(&recording);
}

/* Clocks, places and sizes as no disk has them, and as a damaged trace may. */
static void impossible_reads_do_no_harm(void **state)
{
	struct recording recording = begin("cloud", false);
	struct device_model model;

	add_dependent(&recording, 2000);
	for (size_t i = 0; i < recording.n; i += 7)
		recording.reads[i] = (struct device_read){.issued = draw(&recording, UINT64_MAX),
			.done = 0,
			.offset = UINT64_MAX,
			.bytes = UINT32_MAX};
	device_fit(recording.reads, recording.n, DISK_SIZE, &model);
	for (size_t i = 0; i < recording.n; i++)
		recording.reads[i] = (struct device_read){.offset = UINT64_MAX * (i & 1)};
	assert_int_equal(device_fit(recording.reads, recording.n, 1, &model), 0);
	assert_int_equal(model.latency_us, 0);
	end(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_come_back),
		cmocka_unit_test(parameters_come_back_through_noise),
		cmocka_unit_test(what_was_not_seen_is_not_said),
		cmocka_unit_test(too_few_reads_are_refused),
		cmocka_unit_test(disturbed_reads_do_not_count),
		cmocka_unit_test(impossible_reads_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
