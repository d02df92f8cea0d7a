/* SPDX-License-Identifier: MIT */
/* The device models: service time by previous position, size and queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

#define US        UINT64_C(1000)
#define MS        UINT64_C(1000000)
#define DISK_SIZE (UINT64_C(1) << 30)
#define KIB       UINT64_C(1024)

static struct disk new_disk(const char *name)
{
	struct disk disk;

	assert_int_equal(disk_init(&disk, model_find(name), DISK_SIZE, 1), 0);
	return disk;
}

static void assert_near(uint64_t a, uint64_t b)
{
	assert_uint_in_range(a, b - 1, b + 1);
}

static void test_names(void **state)
{
	static const char *const names[] = {
		"hdd", "sdcard", "emmc", "cloud", "lazy", "ssd", "virtual", "nvme", "none"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_string_equal(model_at(i)->name, names[i]);
		assert_ptr_equal(model_find(names[i]), model_at(i));
		assert_int_equal(model_at(i)->rotational, i == 0);
	}
	assert_null(model_at(sizeof(names) / sizeof(names[0])));
	assert_null(model_find("floppy"));
}

/* Latency plus bytes over bandwidth, on an idle device. */
static void test_idle_read(void **state)
{
	static const struct {
		const char *model;
		uint64_t bytes, ns;
	} cases[] = {
		{"sdcard", 16000, 600 * US + 1 * MS},
		{"emmc", 120000, 250 * US + 1 * MS},
		{"cloud", 125000, 800 * US + 1 * MS},
		{"lazy", 125000, 800 * US + 30 * MS},
		{"hdd", 60000, 100 * US + 1 * MS},
		{"ssd", 520000, 100 * US + 1 * MS},
		{"virtual", 520000, 100 * US + 1 * MS},
		{"nvme", 3000000, 80 * US + 1 * MS},
		{"none", 1000000, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct disk disk = new_disk(cases[i].model);

		assert_int_equal(disk_read(&disk, 5 * MS, 0, cases[i].bytes), 5 * MS + cases[i].ns);
		disk_release(&disk);
	}
}

static void test_seek(void **state)
{
	const struct model *hdd = model_find("hdd");
	const uint64_t quarter = DISK_SIZE / 4;

	assert_int_equal(model_seek_ns(hdd, 4096, 4096, DISK_SIZE, 0.9), 0);
	/* 2 ms + 16 ms * sqrt(1/4), either way; the whole disk is a full stroke */
	assert_near(model_seek_ns(hdd, 0, quarter, DISK_SIZE, 0), 10 * MS);
	assert_near(model_seek_ns(hdd, quarter, 0, DISK_SIZE, 0), 10 * MS);
	assert_near(model_seek_ns(hdd, 0, DISK_SIZE, DISK_SIZE, 0), 18 * MS);
	/* half a turn */
	assert_near(model_seek_ns(hdd, 0, quarter, DISK_SIZE, 0.5), 10 * MS + 5600 * US);
	assert_int_equal(model_seek_ns(model_find("sdcard"), 0, quarter, DISK_SIZE, 0.5), 0);
}

/* A short way forward costs the bytes skipped; the same way back, or one byte more, is a seek. */
static void test_short_skip(void **state)
{
	const struct model *hdd = model_find("hdd");

	assert_near(model_seek_ns(hdd, 0, 60000, DISK_SIZE, 0.9), 1 * MS);
	assert_true(model_seek_ns(hdd, 60000, 0, DISK_SIZE, 0) > 2 * MS);
	assert_near(
		model_seek_ns(hdd, 0, 512 * KIB - 1, DISK_SIZE, 0.9), model_transfer_ns(hdd, 512 * KIB - 1));
	assert_true(model_seek_ns(hdd, 0, 512 * KIB, DISK_SIZE, 0.9) > 12 * MS);
}

/* The head is where the last read ended, even if that read was not modelled. */
static void test_head(void **state)
{
	struct disk disk = new_disk("hdd");
	uint64_t first, second;

	first = disk_read(&disk, 0, 0, 60000);
	assert_true(disk_is_contiguous(&disk, 60000));
	second = disk_read(&disk, first, 60000, 60000);
	assert_int_equal(second - first, 100 * US + 1 * MS);
	disk_move(&disk, DISK_SIZE / 2);
	assert_false(disk_is_contiguous(&disk, 120000));
	assert_int_equal(disk_read(&disk, second, DISK_SIZE / 2, 60000) - second, 100 * US + 1 * MS);
}

/* The rotation is uniformly distributed over a turn, and the same seed repeats it. */
static void test_rotation(void **state)
{
	struct disk disk = new_disk("hdd"), same = new_disk("hdd");
	const uint64_t base = model_seek_ns(disk.model, 0, DISK_SIZE / 2, DISK_SIZE, 0) +
		model_transfer_ns(disk.model, 4096) + 100 * US;
	uint64_t now = 0, sum = 0, least = UINT64_MAX, most = 0;
	const unsigned n = 100000;

	for (unsigned i = 0; i < n; i++) {
		uint64_t done, wait;

		disk_move(&disk, 0);
		disk_move(&same, 0);
		done = disk_read(&disk, now, DISK_SIZE / 2, 4096);
		assert_int_equal(disk_read(&same, now, DISK_SIZE / 2, 4096), done);
		wait = done - now - base;
		sum += wait;
		least = wait < least ? wait : least;
		most = wait > most ? wait : most;
		now = done;
	}
	assert_uint_in_range(sum / n, 5550 * US, 5650 * US);
	assert_true(least < 20 * US);
	assert_uint_in_range(most, 11180 * US, 11200 * US);
}

static void test_serial_queue(void **state)
{
	struct disk disk = new_disk("sdcard");

	assert_int_equal(disk_read(&disk, 0, 0, 16000), 1600 * US);
	assert_int_equal(disk_read(&disk, 0, 0, 16000), 3200 * US);
	/* an idle device begins as soon as the read arrives */
	assert_int_equal(disk_read(&disk, 10 * MS, 0, 16000), 11600 * US);
}

static void test_parallel_queue(void **state)
{
	struct disk disk = new_disk("emmc");

	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(disk_read(&disk, 0, 0, 120000), 1250 * US);
	assert_int_equal(disk_read(&disk, 0, 0, 120000), 2500 * US);
	assert_int_equal(disk_read(&disk, 1 * MS, 0, 12000), 1600 * US);
}

/* One link: transfers come one after the other, their latencies overlap, and at most so many reads are in flight. */
static void test_shared_bandwidth(void **state)
{
	struct disk disk = new_disk("cloud");

	for (uint64_t i = 1; i <= 64; i++)
		assert_int_equal(disk_read(&disk, 0, 0, 125000), i * MS + 800 * US);
	disk = new_disk("cloud");
	for (unsigned i = 0; i < 64; i++)
		disk_read(&disk, 0, 0, 0);
	assert_int_equal(disk_read(&disk, 0, 0, 0), 1600 * US);
	disk = new_disk("ssd");
	for (uint64_t i = 1; i <= 32; i++)
		assert_int_equal(disk_read(&disk, 0, 0, 520000), i * MS + 100 * US);
	disk = new_disk("nvme");
	for (unsigned i = 0; i < 64; i++)
		disk_read(&disk, 0, 0, 0);
	assert_int_equal(disk_read(&disk, 0, 0, 0), 160 * US);
}

/* The first read of a block waits until the block is there, and so do those that come meanwhile; later ones do not. */
static void test_first_touch(void **state)
{
	struct disk disk = new_disk("lazy");
	const uint64_t block = 512 * KIB, page_ns = model_transfer_ns(disk.model, 4096);

	assert_int_equal(disk_read(&disk, 1 * MS, 0, 4096), 31 * MS + 800 * US);
	assert_int_equal(disk_read(&disk, 11 * MS, block - 4096, 4096), 31 * MS + 800 * US);
	assert_int_equal(disk_read(&disk, 40 * MS, 4096, 4096), 40 * MS + page_ns + 800 * US);
	/* one byte beyond the block is of the next one */
	assert_int_equal(disk_read(&disk, 50 * MS, block - 4096, 4097), 80 * MS + 800 * US);
	assert_int_equal(disk_read(&disk, 90 * MS, block, 4096), 90 * MS + page_ns + 800 * US);
	disk_release(&disk);
}

/* Fetches overlap, 256 at once; the bytes of all reads share one link. */
static void test_fetches_overlap(void **state)
{
	struct disk disk = new_disk("lazy");
	const uint64_t block = 512 * KIB, page_ns = model_transfer_ns(disk.model, 4096);

	for (uint64_t i = 0; i < 256; i++)
		assert_int_equal(disk_read(&disk, 1 * MS, i * block, 4096), 31 * MS + 800 * US);
	/* the first place is free at 31.8 ms */
	assert_int_equal(disk_read(&disk, 1 * MS, 256 * block, 4096), 61 * MS + 1600 * US);
	disk_release(&disk);

	disk = new_disk("lazy");
	for (uint64_t i = 1; i <= 5; i++)
		assert_int_equal(disk_read(&disk, 1 * MS, i * 2000000, 1000000),
			(i * 8 < 30 ? 31 : 1 + i * 8) * MS + 800 * US);
	/* what is there does not wait for what is fetched, but for the link */
	assert_int_equal(disk_read(&disk, 32 * MS, 2000000, 4096), 41 * MS + page_ns + 800 * US);
	disk_release(&disk);
}

static void test_forgotten_blocks(void **state)
{
	struct disk disk = new_disk("lazy"), small;

	disk_read(&disk, 0, 0, 4096);
	disk_forget(&disk);
	assert_int_equal(disk_read(&disk, 100 * MS, 0, 4096), 130 * MS + 800 * US);
	disk_release(&disk);
	/* the last block may be smaller */
	assert_int_equal(disk_init(&small, model_find("lazy"), 512 * KIB + 4096, 1), 0);
	assert_int_equal(disk_read(&small, 1 * MS, 512 * KIB, 4096), 31 * MS + 800 * US);
	disk_release(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_idle_read),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_short_skip),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_serial_queue),
		cmocka_unit_test(test_parallel_queue),
		cmocka_unit_test(test_shared_bandwidth),
		cmocka_unit_test(test_first_touch),
		cmocka_unit_test(test_fetches_overlap),
		cmocka_unit_test(test_forgotten_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
