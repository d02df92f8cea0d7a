/* SPDX-License-Identifier: MIT */
/* Whole mode's reader: the parts that it takes from good and from damaged ELF files; following a list. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/object-list.h"
#include "memory-file.h"
#include "prefetch/limits/budget.h"
#include "prefetch/whole-mode/object-parts.h"
#include "prefetch/whole-mode/whole-mode.h"
#include "prefetch/whole-mode/worth.h"

/* A library with one of each table, in a file without a name. */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr headers[3];
	Elf64_Dyn dynamic[5];
	char relocations[4800];
	char data[8192];
};

static const struct image good = {
	.header =
		{
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
				EV_CURRENT},
			.e_phoff = offsetof(struct image, headers),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 3,
		},
	.headers =
		{
			{.p_type = PT_LOAD,
				.p_flags = PF_R,
				.p_vaddr = 0x10000,
				.p_filesz = offsetof(struct image, data)},
			{.p_type = PT_LOAD,
				.p_flags = PF_R | PF_W,
				.p_vaddr = 0x20000,
				.p_offset = offsetof(struct image, data),
				.p_filesz = sizeof(good.data)},
			{.p_type = PT_DYNAMIC,
				.p_offset = offsetof(struct image, dynamic),
				.p_filesz = sizeof(good.dynamic)},
		},
	.dynamic =
		{
			{.d_tag = DT_RELA, .d_un.d_ptr = 0x10000 + offsetof(struct image, relocations)},
			{.d_tag = DT_RELASZ, .d_un.d_val = sizeof(good.relocations)},
		},
};

static size_t parts_of(const struct image *image, struct object_part parts[OBJECT_PARTS_MAX])
{
	int fd = memory_file(image, sizeof(*image));
	size_t count;

	count = object_parts(fd, sizeof(*image), parts);
	close(fd);
	for (size_t i = 0; i < count; i++) {
		assert_true(parts[i].length > 0 && parts[i].length <= sizeof(*image));
		assert_true(parts[i].offset <= sizeof(*image) - parts[i].length);
	}
	return count;
}

static void test_parts(void **state)
{
	struct object_part parts[OBJECT_PARTS_MAX];

	assert_int_equal(parts_of(&good, parts), 2);
	assert_int_equal(parts[0].offset, offsetof(struct image, relocations));
	assert_int_equal(parts[0].length, sizeof(good.relocations));
	assert_int_equal(parts[1].offset, offsetof(struct image, data));
	assert_int_equal(parts[1].length, sizeof(good.data));
}

/*
 * Sets each 64-bit word before the tables to a value that overflows, and to noise: nothing outside the file may
 * result.
 */
static void test_parts_hostile(void **state)
{
	static const uint64_t values[] = {
		UINT64_MAX, INT64_MAX, UINT32_MAX, 1ull << 63, 0, sizeof(struct image) + 1};
	struct object_part parts[OBJECT_PARTS_MAX];

	for (size_t at = 0; at < offsetof(struct image, relocations); at += sizeof(uint64_t)) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			struct image image = good;

			memcpy((char *)&image + at, &values[i], sizeof(values[i]));
			parts_of(&image, parts);
		}
	}
}

static void test_parts_refused(void **state)
{
	struct object_part parts[OBJECT_PARTS_MAX];
	struct image image = good;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(object_parts(fd, 0, parts), 0);
	close(fd);
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(parts_of(&image, parts), 0);
	image = good;
	image.headers[1].p_filesz = sizeof(image);
	assert_int_equal(parts_of(&image, parts), 1);
}

/* The models of bench/slowdisk. */
static void test_least(void **state)
{
	static const struct {
		struct device_model model;
		unsigned low, high;
	} disks[] = {
		{{.latency_us = 100, .seek_us = 7600, .bytes_per_ms = 60000, .depth = 1}, 16, 20}, /* hdd */
		{{.latency_us = 80, .bytes_per_ms = 3000000, .depth = 64}, 27, 31},                /* nvme */
		{{.latency_us = 800, .bytes_per_ms = 125000, .depth = 64}, 48, 52},                /* cloud */
		{{.latency_us = 100, .bytes_per_ms = 520000, .depth = 32}, 64, 68},                /* ssd */
		{{.latency_us = 250, .bytes_per_ms = 120000, .depth = 4}, 75, 79},                 /* emmc */
		{{.latency_us = 600, .bytes_per_ms = 16000, .depth = 1}, 90, 93}, /* sdcard */
		{{.latency_us = 0, .bytes_per_ms = 1, .depth = 1}, 100, 100},
		{{0}, 0, 0},
		{{.latency_us = UINT32_MAX, .seek_us = UINT32_MAX, .bytes_per_ms = UINT32_MAX}, 0, 0},
	};

	for (size_t i = 0; i < sizeof(disks) / sizeof(*disks); i++)
		assert_uint_in_range(worth_least(&disks[i].model, disks[i].model.seek_us > 0), disks[i].low,
			disks[i].high);
}

/* A library of 32 MB, of which only the headers are there. */
static int large_library(void)
{
	static const struct {
		uint32_t flags;
		uint64_t offset, size;
	} segments[] = {{PF_R, 0, 2 << 20}, {PF_R | PF_X, 2 << 20, 14 << 20}, {PF_R, 16 << 20, 12 << 20},
		{PF_R | PF_W, (28 << 20) + 100, 1 << 20}, {PF_R, 40 << 20, 1 << 20}, {PF_R, 20 << 20, 0}};
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr headers[6];
	} image = {.header = good.header};
	int fd;

	image.header.e_phoff = sizeof(image.header);
	image.header.e_phnum = 6;
	for (int i = 0; i < 6; i++)
		image.headers[i] = (Elf64_Phdr){.p_type = PT_LOAD,
			.p_flags = segments[i].flags,
			.p_offset = segments[i].offset,
			.p_vaddr = segments[i].offset,
			.p_filesz = segments[i].size};
	fd = memory_file(&image, sizeof(image));
	assert_int_equal(ftruncate(fd, 32 << 20), 0);
	return fd;
}

static void expect_parts(
	const struct object_part *parts, size_t n, const uint64_t (*expected)[2], size_t n_expected)
{
	assert_int_equal(n, n_expected);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(parts[i].offset, expected[i][0]);
		assert_int_equal(parts[i].length, expected[i][1]);
	}
}

/* The constants of a large library are hardly ever touched, and on a slow card its code is not worth it either. */
static void test_worth(void **state)
{
	static const uint64_t all[][2] = {{0, 2 << 20}, {2 << 20, 14 << 20}, {16 << 20, 12 << 20}};
	static const uint64_t pass[][2] = {{0, 16 << 20}, {(28 << 20) + 100, 1 << 20}};
	struct object_part parts[8];
	int fd = large_library();

	expect_parts(parts, worth_parts(fd, 32 << 20, 0, parts, 8), all, 3);
	expect_parts(parts, worth_parts(fd, 32 << 20, 50, parts, 8), all, 2);
	expect_parts(parts, worth_parts(fd, 32 << 20, 91, parts, 8), all, 1);
	expect_parts(parts, worth_parts(fd, 32 << 20, WORTH_NOTHING, parts, 8), all, 0);
	expect_parts(parts, worth_parts(fd, 32 << 20, 0, parts, 2), all, 2);
	expect_parts(parts, worth_pass(fd, 32 << 20, 18, parts, 8), pass, 2);
	assert_int_equal(worth_pass(fd, 32 << 20, 0, parts, 8), 1); /* 100 bytes are no gap */
	assert_int_equal(worth_pass(fd, 32 << 20, 18, parts, 2), 0);
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(worth_parts(fd, 0, 0, parts, 8), 0);
	assert_int_equal(worth_pass(fd, 0, 0, parts, 8), 0);
	close(fd);
}

static void test_list(void **state)
{
	static struct object_list list;
	char path[OBJECT_PATH_SIZE], too_long[OBJECT_PATH_SIZE + 1];

	assert_int_equal(object_list_get(&list, 0, path), OBJECT_NONE);
	memset(too_long, 'x', sizeof(too_long));
	too_long[OBJECT_PATH_SIZE] = '\0';
	object_list_add(&list, too_long, OBJECT_MAPPED);
	assert_int_equal(list.taken, 0);
	object_list_add(&list, too_long + 1, OBJECT_COLD);
	assert_int_equal(object_list_get(&list, 0, path), OBJECT_COLD);
	assert_string_equal(path, too_long + 1);
	for (unsigned int i = 1; i < OBJECT_LIST_MAX + 10; i++)
		object_list_add(&list, "/x", OBJECT_MAPPED);
	assert_int_equal(list.taken, OBJECT_LIST_MAX);
	assert_int_equal(object_list_get(&list, OBJECT_LIST_MAX - 1, path), OBJECT_MAPPED);
	assert_int_equal(object_list_get(&list, OBJECT_LIST_MAX, path), OBJECT_NONE);

	memset(&list, 'y', sizeof(list)); /* neither a state nor an end of the path */
	assert_int_equal(object_list_get(&list, 0, path), OBJECT_MAPPED);
	assert_int_equal(strlen(path), OBJECT_PATH_SIZE - 1);
}

/* Follows a program that maps files which it should not map, then dies. */
static void test_follow(void **state)
{
	char path[] = "/tmp/headstart-objects.XXXXXX";
	struct whole_mode_result result = {0};
	struct object_list *list;
	int image, fd = memfd_create("list", MFD_CLOEXEC);
	pid_t program;

	image = mkstemp(path);
	assert_int_equal(write(image, &good, sizeof(good)), sizeof(good));
	close(image);
	assert_int_equal(ftruncate(fd, sizeof(struct object_list)), 0);
	list = mmap(NULL, sizeof(*list), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(list != MAP_FAILED);
	program = fork();
	if (program == 0) {
		object_list_add(list, path, OBJECT_COLD);
		object_list_add(list, path, OBJECT_MAPPED);
		object_list_add(list, "/nonexistent", OBJECT_COLD);
		object_list_add(list, "/", OBJECT_COLD);
		object_list_add(list, "/dev/zero", OBJECT_COLD);
		_exit(0);
	}
	list->pid = (uint32_t)program;
	siginfo_t end;
	assert_int_equal(waitid(P_PID, (id_t)program, &end, WEXITED | WNOWAIT), 0);
	assert_int_equal(
		whole_mode_run(fd, &(struct whole_mode_options){.time_budget_ms = 1000}, NULL, &result), 0);
	waitpid(program, NULL, 0);
	unlink(path);
	assert_int_equal(result.seen, 2); /* a path without a file does not count */
	assert_int_equal(result.read, 2);
	munmap(list, sizeof(*list));
	close(fd);
}

/* The program goes on, and says that it maps nothing more. */
static void test_no_limit_of_time(void **state)
{
	char path[] = "/tmp/headstart-objects.XXXXXX";
	struct whole_mode_result result = {0};
	struct object_list list = {.pid = (uint32_t)getpid()};
	int fd, image;

	if (memory_budget("") < sizeof(good))
		skip(); /* memory is short: nothing is read */
	image = mkstemp(path);
	assert_int_equal(write(image, &good, sizeof(good)), sizeof(good));
	close(image);
	object_list_add(&list, path, OBJECT_COLD);
	list.taken |= OBJECT_LIST_CLOSED;
	fd = memory_file(&list, sizeof(list));
	assert_int_equal(
		whole_mode_run(fd, &(struct whole_mode_options){.time_budget_ms = 0}, NULL, &result), 0);
	unlink(path);
	close(fd);
	assert_int_equal(result.read, 1);
	assert_true(result.bytes > 0);
}

/* The clock: each look at it takes so many microseconds, and no page is resident. -1: what is true. */
static int64_t look_us = -1;

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
ssize_t __real_preadv64v2(int fd, const struct iovec *vectors, int n, off_t offset, int flags);
ssize_t __wrap_preadv64v2(int fd, const struct iovec *vectors, int n, off_t offset, int flags);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	static int64_t now_us;

	if (look_us < 0)
		return __real_clock_gettime(clock, ret);
	now_us += look_us;
	*ret = (struct timespec){.tv_sec = now_us / 1000000, .tv_nsec = now_us % 1000000 * 1000};
	return 0;
}

ssize_t __wrap_preadv64v2(int fd, const struct iovec *vectors, int n, off_t offset, int flags)
{
	if (look_us < 0)
		return __real_preadv64v2(fd, vectors, n, offset, flags);
	errno = EAGAIN;
	return -1;
}

#define CHUNK (128u << 10)

static void measured_nvme(struct device *device)
{
	device->measured = true;
	device->model = (struct device_model){.latency_us = 80, .bytes_per_ms = 3000000, .depth = 64};
}

static void measured_cloud(struct device *device)
{
	device->measured = true;
	device->model = (struct device_model){.latency_us = 800, .bytes_per_ms = 125000, .depth = 64};
}

/* Reads a file of ten chunks by such a clock, on a disk that was measured, unless NULL. */
static void read_by_clock(int64_t us, void (*measured)(struct device *), struct whole_mode_result *ret)
{
	char path[] = "/tmp/headstart-objects.XXXXXX";
	struct device_rule solid = {.path = path, .class = DEVICE_SOLID};
	struct object_list list = {.pid = (uint32_t)getpid()};
	int fd, image = mkstemp(path);

	assert_int_equal(ftruncate(image, 10 * CHUNK), 0);
	object_list_add(&list, path, OBJECT_COLD);
	list.taken |= OBJECT_LIST_CLOSED;
	fd = memory_file(&list, sizeof(list));
	look_us = us;
	assert_int_equal(
		whole_mode_run(fd,
			&(struct whole_mode_options){.rules = &solid, .n_rules = 1, .measured = measured},
			NULL, ret),
		0);
	look_us = -1;
	close(image);
	close(fd);
	unlink(path);
}

/* Where four chunks come in no time, nothing is gained, and nothing more is read. */
static void test_fast_disk(void **state)
{
	struct whole_mode_result result;
	struct stat here;

	if (memory_budget("") < 10 * CHUNK)
		skip(); /* memory is short: nothing is read */
	assert_int_equal(stat("/tmp", &here), 0);
	read_by_clock(0, NULL, &result);
	assert_true(result.fast);
	assert_int_equal(result.device, here.st_dev);
	assert_int_equal(result.bytes, 4 * CHUNK);
	read_by_clock(1000, NULL, &result);
	assert_false(result.fast);
	assert_int_equal(result.bytes, 10 * CHUNK);
	read_by_clock(1000, measured_nvme, &result);
	assert_true(result.fast);
	assert_int_equal(result.bytes, 0);
	read_by_clock(1000, measured_cloud, &result);
	assert_false(result.fast);
}

/* The pauses between looks at the list, in milliseconds. Nobody waits: an object is added in the place of the sixth. */
static struct object_list *looked_at;
static long pauses[9];
static size_t n_pauses;

int __real_nanosleep(const struct timespec *pause, struct timespec *left);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left);

int __wrap_nanosleep(const struct timespec *pause, struct timespec *left)
{
	if (!looked_at)
		return __real_nanosleep(pause, left);
	pauses[n_pauses++] = pause->tv_nsec / 1000000;
	if (n_pauses == 6)
		object_list_add(looked_at, "/nonexistent", OBJECT_MAPPED);
	if (n_pauses == sizeof(pauses) / sizeof(*pauses))
		looked_at->taken |= OBJECT_LIST_CLOSED;
	return 0;
}

static void test_pauses(void **state)
{
	static const long expected[] = {1, 2, 4, 8, 16, 16, 1, 2, 4};
	struct whole_mode_result result;
	int fd = memfd_create("list", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, sizeof(struct object_list)), 0);
	looked_at = mmap(NULL, sizeof(*looked_at), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(looked_at != MAP_FAILED);
	looked_at->pid = (uint32_t)getpid();
	assert_int_equal(whole_mode_run(fd, &(struct whole_mode_options){0}, NULL, &result), 0);
	munmap(looked_at, sizeof(*looked_at));
	looked_at = NULL;
	close(fd);
	assert_memory_equal(pauses, expected, sizeof(expected));
}

static void test_no_list(void **state)
{
	struct whole_mode_result result = {0};
	int fd = memfd_create("list", MFD_CLOEXEC);
	int pipes[2];

	assert_int_equal(ftruncate(fd, sizeof(struct object_list) - 1), 0);
	assert_true(
		whole_mode_run(fd, &(struct whole_mode_options){.time_budget_ms = 1000}, NULL, &result) < 0);
	close(fd);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_true(whole_mode_run(pipes[0], &(struct whole_mode_options){.time_budget_ms = 1000}, NULL,
			    &result) < 0);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_parts_hostile),
		cmocka_unit_test(test_parts_refused),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_worth),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_no_limit_of_time),
		cmocka_unit_test(test_fast_disk),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
