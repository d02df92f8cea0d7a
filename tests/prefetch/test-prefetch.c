/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of src/prefetch: plans made by hand over files on a disk, and which of their pages arrive in the page
 * cache.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/residency.h"
#include "make-plan.h"
#include "prefetch/limits/budget.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/plan-job.h"
#include "prefetch/planned-file.h"
#include "prefetch/prefetch.h"
#include "replace/publish.h"
#include "taken.h"
#include "tree.h"
#include "undisturbed.h"

#define PAGE PLAN_MAKER_PAGE

/* A folder with files, and a plan over them. */
struct fixture {
	char folder[300];
	struct plan_maker maker;
	void *data;
	struct plan_view view;
};

static char *path_in(const struct fixture *fixture, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", fixture->folder, name) > 0);
	return path;
}

/* Makes a file of this many pages, and adds it to the plan's files. */
static uint32_t add_file(struct fixture *fixture, const char *name, size_t pages)
{
	_cleanup_free_ char *path = path_in(fixture, name);
	_cleanup_free_ char *bytes = calloc(pages + 1, PAGE);
	_cleanup_close_ int fd = -1;

	for (size_t i = 0; i < pages * PAGE; i++)
		bytes[i] = (char)i;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, bytes, pages * PAGE), 0);
	assert_int_equal(fsync(fd), 0);
	return plan_maker_add(&fixture->maker, path);
}

static uint64_t taken(const struct fixture *fixture, uint32_t file, uint32_t page, uint32_t pages)
{
	_cleanup_close_ int fd = open(fixture->maker.paths[file], O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return pages_taken(fd, (uint64_t)page * PAGE, (uint64_t)pages * PAGE);
}

/*
 * How many of the pages have come since they were evicted, including those that the kernel has taken again by itself.
 */
static uint64_t came(const struct fixture *fixture, uint32_t file, uint32_t page, uint32_t pages)
{
	_cleanup_close_ int fd = open(fixture->maker.paths[file], O_RDONLY | O_CLOEXEC);
	uint64_t bytes = 0;

	assert_true(fd >= 0);
	assert_int_equal(residency_of_range(fd, (uint64_t)page * PAGE, (uint64_t)pages * PAGE, &bytes), 0);
	return bytes / PAGE + taken(fixture, file, page, pages);
}

/* A page that another CPU has just touched may stay: try again. */
static void evict(const struct fixture *fixture)
{
	for (uint32_t i = 0; i < fixture->maker.file_count; i++) {
		_cleanup_close_ int fd =
			open(fixture->maker.paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
		uint64_t size = LE64(fixture->maker.files[i].size), left = 1;

		for (int n = 0; fd >= 0 && n < 100 && left > 0; n++) {
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
			if (residency_of_range(fd, 0, size, &left) < 0)
				break;
		}
	}
}

static void make_view(struct fixture *fixture)
{
	size_t size;

	free(fixture->data);
	fixture->data = plan_maker_finish(&fixture->maker, &size);
	assert_int_equal(plan_view_init(&fixture->view, fixture->data, size, checksum64), PLAN_GOOD);
}

static struct prefetch_result run(struct fixture *fixture, enum prefetch_engine engine)
{
	struct prefetch_options options = {.engine = engine, .wait = true, .memory_budget = UINT64_MAX};
	struct prefetch_result result = {0};

	make_view(fixture);
	evict(fixture);
	assert_int_equal(prefetch_run(&fixture->view, &options, &result), 0);
	return result;
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const char *build = getenv("HEADSTART_TEST_BUILD");

	snprintf(fixture->folder, sizeof(fixture->folder), "%s/prefetch-XXXXXX", build ? build : ".");
	if (!mkdtemp(fixture->folder))
		return -1;
	fixture->maker.window_pages = 32;
	fixture->maker.program = "/program";
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	int r = tree_remove(fixture->folder);

	plan_maker_release(&fixture->maker);
	free(fixture->data);
	free(fixture);
	return r;
}

/* The page cache of a tmpfs cannot be emptied, and an overlayfs keeps its own elsewhere. */
static void need_disk(const struct fixture *fixture)
{
	struct statfs fs;

	assert_int_equal(statfs(fixture->folder, &fs), 0);
	if (fs.f_type == TMPFS_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC) {
		print_message("the build folder lies on no disk\n");
		skip();
	}
}

/* qemu-user has no preadv2(2), so everything counts as warm there. */
static void need_nowait(int fd)
{
	char byte;
	struct iovec to = {.iov_base = &byte, .iov_len = 1};

	if (preadv2(fd, &to, 1, 0, RWF_NOWAIT) < 0 && errno != EAGAIN) {
		print_message("no preadv2(RWF_NOWAIT) here\n");
		skip();
	}
}

static const enum prefetch_engine engines[] = {
	PREFETCH_URING,
	PREFETCH_NOWAIT,
	PREFETCH_FADVISE,
	PREFETCH_READ,
	PREFETCH_AUTO,
};

static void every_engine_brings_what_is_planned_and_no_more(void **state)
{
	struct fixture *fixture = *state;
	uint32_t a = add_file(fixture, "a", 400), b = add_file(fixture, "b", 100);

	need_disk(fixture);
	plan_maker_extent(&fixture->maker, b, 50, 10);
	plan_maker_extent(&fixture->maker, a, 300, 90); /* several chunks */
	plan_maker_extent(&fixture->maker, a, 3, 1);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct prefetch_result result;

		fixture->maker.order = i % 2 ? PLAN_ORDER_TOUCH : PLAN_ORDER_PHYSICAL;
		result = run(fixture, engines[i]);
		assert_int_equal(result.opened, 2);
		assert_int_equal(result.bytes_asked, 101 * PAGE);
		assert_int_equal(result.bytes_skipped_budget, 0);
		assert_int_equal(came(fixture, b, 50, 10), 10);
		assert_int_equal(came(fixture, a, 300, 90), 90);
		assert_int_equal(came(fixture, a, 3, 1), 1);
		/* A file system may cache in blocks larger than a page, but reads nothing beyond them. */
		assert_true(came(fixture, a, 0, 400) <= 91 + 2 * 16);
		assert_true(came(fixture, b, 0, 100) <= 10 + 2 * 16);
	}
}

/* The program may have been faster, or others may have the file in memory. */
static void what_comes_from_the_disk_is_told_from_the_rest(void **state)
{
	struct fixture *fixture = *state;
	uint32_t a = add_file(fixture, "a", 400);

	need_disk(fixture);
	plan_maker_extent(&fixture->maker, a, 100, 200);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct prefetch_options again = {
			.engine = engines[i], .wait = true, .memory_budget = UINT64_MAX};
		struct prefetch_result result;

		fixture->maker.order = i % 2 ? PLAN_ORDER_TOUCH : PLAN_ORDER_PHYSICAL;
		result = run(fixture, engines[i]);
		if (!result.read_known)
			skip();
		assert_int_equal(result.bytes_read, 200 * PAGE);
		assert_int_equal(prefetch_run(&fixture->view, &again, &result), 0);
		assert_int_equal(result.bytes_asked, 200 * PAGE);
		assert_int_equal(result.bytes_read, 0);
	}
}

static void verify_measures_before_and_after(void **state)
{
	struct prefetch_options options = {.verify = true, .memory_budget = UINT64_MAX};
	struct fixture *fixture = *state;
	uint32_t file = add_file(fixture, "a", 64);
	struct prefetch_result result;
	_cleanup_close_ int fd = -1;
	void *map;

	need_disk(fixture);
	plan_maker_extent(&fixture->maker, file, 0, 64);
	make_view(fixture);
	evict(fixture);
	assert_int_equal(prefetch_run(&fixture->view, &options, &result), 0);
	assert_false(result.verify_blind);
	assert_true(result.bytes_resident_before <=
		32 * PAGE); /* valgrind reads the beginning of what is mapped */
	assert_uint_in_range(
		result.bytes_resident_after, (64 - taken(fixture, file, 0, 64)) * PAGE, 64 * PAGE);
	fd = open(fixture->maker.paths[file], O_RDONLY | O_CLOEXEC);
	map = mmap(
		NULL, 64 * PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0); /* so that nobody takes them */
	assert_true(map != MAP_FAILED);
	assert_int_equal(prefetch_run(&fixture->view, &options, &result), 0);
	munmap(map, 64 * PAGE);
	assert_int_equal(result.bytes_resident_before, 64 * PAGE);
	assert_int_equal(result.bytes_resident_after, 64 * PAGE);
}

static void what_has_changed_drops_out_alone(void **state)
{
	struct fixture *fixture = *state;
	const char *const names[] = {"grown", "touched", "gone", "fifo", "linked", "folder", "good"};
	uint32_t files[7];

	for (size_t i = 0; i < 7; i++) {
		files[i] = add_file(fixture, names[i], 8);
		plan_maker_extent(&fixture->maker, files[i], 0, 8);
	}
	assert_int_equal(truncate(fixture->maker.paths[files[0]], 9 * PAGE), 0);
	assert_int_equal(utimensat(AT_FDCWD, fixture->maker.paths[files[1]],
				 (const struct timespec[]){{1, 0}, {1, 1}}, 0),
		0);
	for (size_t i = 2; i < 6; i++)
		assert_int_equal(unlink(fixture->maker.paths[files[i]]), 0);
	assert_int_equal(mkfifo(fixture->maker.paths[files[3]], 0600), 0);
	assert_int_equal(symlink("good", fixture->maker.paths[files[4]]), 0);
	assert_int_equal(mkdir(fixture->maker.paths[files[5]], 0700), 0);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct prefetch_result result = run(fixture, engines[i]);

		assert_int_equal(result.opened, 1);
		assert_int_equal(result.stale, 5);
		assert_int_equal(result.missing, 1);
		assert_int_equal(result.refused, 0);
		assert_int_equal(result.bytes_asked, 8 * PAGE);
		assert_int_equal(came(fixture, files[6], 0, 8), 8);
	}
}

static void directories_and_links_are_opened(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *link = path_in(fixture, "link");

	assert_int_equal(symlink("/nowhere", link), 0);
	plan_maker_add(&fixture->maker, fixture->folder);
	plan_maker_add(&fixture->maker, link);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct prefetch_result result = run(fixture, engines[i]);

		assert_int_equal(result.opened, 2);
		assert_int_equal(result.bytes_asked, 0);
	}
}

static void files_in_memory_are_left_alone(void **state)
{
	struct fixture *fixture = *state;
	char path[] = "/dev/shm/headstart-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct statfs fs;
	struct prefetch_result result;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS_MAGIC) {
		print_message("/dev/shm is no tmpfs\n");
		skip();
	}
	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	plan_maker_whole(&fixture->maker, plan_maker_add(&fixture->maker, path));
	result = run(fixture, PREFETCH_AUTO);
	unlink(path);
	assert_int_equal(result.opened, 1);
	assert_int_equal(result.stale, 0);
	assert_int_equal(result.bytes_asked, 0);
}

static void memory_budget_cuts(void **state)
{
	struct prefetch_options options = {.wait = true, .memory_budget = 50 * PAGE};
	struct fixture *fixture = *state;
	uint32_t file = add_file(fixture, "a", 100);

	need_disk(fixture);
	plan_maker_extent(&fixture->maker, file, 0, 40);
	plan_maker_extent(&fixture->maker, file, 40, 40); /* does not fit any more */
	plan_maker_extent(&fixture->maker, file, 90, 10);
	make_view(fixture);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct prefetch_result result;

		evict(fixture);
		options.engine = engines[i];
		assert_int_equal(prefetch_run(&fixture->view, &options, &result), 0);
		assert_true(result.bytes_asked <= 50 * PAGE);
		assert_int_equal(result.bytes_asked + result.bytes_skipped_budget, 90 * PAGE);
		assert_int_equal(came(fixture, file, 0, 40), 40);
	}
}

static const struct prefetch_tuning any_tuning = {.open_depth = 8, .read_depth = 8, .chunk = 128 << 10};

static void nothing_begins_after_the_time_budget(void **state)
{
	struct prefetch_options options = {.wait = true, .memory_budget = UINT64_MAX, .time_budget_ms = 1};
	struct fixture *fixture = *state;

	plan_maker_extent(&fixture->maker, add_file(fixture, "a", 10), 0, 10);
	make_view(fixture);
	for (int ring = 0; ring < 2; ring++) {
		_cleanup_(plan_job_releasep) struct plan_job job = {0};

		assert_int_equal(plan_job_init(&job, &fixture->view, &options, &any_tuning), 0);
		job.deadline_us = 1; /* long ago */
		if (ring && uring_run(&job) < 0)
			continue; /* no io_uring here */
		if (!ring)
			assert_int_equal(readahead_run(&job, PREFETCH_FADVISE), 0);
		assert_int_equal(job.result.opened, 0);
		assert_int_equal(job.result.bytes_asked, 0);
		assert_int_equal(job.result.bytes_skipped_budget, 10 * PAGE);
	}
}

static void opening_is_part_of_the_time(void **state)
{
	struct fixture *fixture = *state;

	plan_maker_extent(&fixture->maker, add_file(fixture, "a", 10), 0, 10);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct prefetch_result result = run(fixture, engines[i]);

		assert_int_equal(result.opened, 1);
		assert_true(result.opened_us > 0 && result.opened_us <= result.elapsed_us);
	}
}

static void empty_plans_are_carried_out(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		struct prefetch_result result = run(fixture, engines[i]);

		assert_int_equal(result.opened, 0);
		assert_int_equal(result.bytes_asked, 0);
	}
}

static void few_descriptors_are_enough(void **state)
{
	struct fixture *fixture = *state;
	const struct rlimit few = {.rlim_cur = 16, .rlim_max = 16};
	int status;
	pid_t child;

	need_disk(fixture);
	for (uint32_t i = 0; i < 60; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		add_file(fixture, name, 4);
	}
	for (uint32_t page = 0; page < 4; page++)
		for (uint32_t i = 0; i < 60; i++)
			plan_maker_extent(&fixture->maker, (i * 7) % 60, page, 1);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		fixture->maker.order = i % 2 ? PLAN_ORDER_PHYSICAL : PLAN_ORDER_TOUCH;
		make_view(fixture);
		evict(fixture);
		child = fork();
		if (child == 0) {
			struct prefetch_options options = {
				.engine = engines[i], .wait = true, .memory_budget = UINT64_MAX};
			struct prefetch_result result = {0};
			struct rlimit after;
			bool good;

			if (setrlimit(RLIMIT_NOFILE, &few) < 0)
				_exit(77);
			good = prefetch_run(&fixture->view, &options, &result) == 0;
			good = good && getrlimit(RLIMIT_NOFILE, &after) == 0 && after.rlim_cur == 16;
			_exit(good && result.opened == 60 && result.bytes_asked == 240 * PAGE ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			print_message("the hard limit cannot be lowered (valgrind)\n");
			skip();
		}
		assert_int_equal(status, 0);
		for (uint32_t n = 0; n < 60; n++)
			assert_int_equal(came(fixture, n, 0, 4), 4);
	}
}

static void the_soft_limit_is_raised_and_put_back(void **state)
{
	struct fixture *fixture = *state;
	struct rlimit was, low, after;
	struct prefetch_result result;

	for (uint32_t i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		plan_maker_extent(&fixture->maker, add_file(fixture, name, 1), 0, 1);
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	low = was;
	low.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	result = run(fixture, PREFETCH_AUTO);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(result.opened, 40);
	assert_int_equal(after.rlim_cur, 20);
}

static void huge_plans_are_carried_out(void **state)
{
	struct fixture *fixture = *state;
	uint32_t file = add_file(fixture, "a", 4000);
	_cleanup_free_ char *gone = path_in(fixture, "gone");
	struct prefetch_result result;

	for (uint32_t i = 0; i < 4000; i++)
		plan_maker_extent(&fixture->maker, file, (i * 1237) % 4000, 1);
	for (uint32_t i = 0; i < 5000; i++) {
		plan_maker_add(&fixture->maker, fixture->maker.paths[file]);
		free(fixture->maker.paths[i + 1]);
		fixture->maker.paths[i + 1] = strdup(gone);
	}
	for (size_t i = 0; i < 2; i++) {
		result = run(fixture, engines[i]);
		assert_int_equal(result.opened, 1);
		assert_int_equal(result.missing, 5000);
		assert_int_equal(result.bytes_asked, 4000 * PAGE);
	}
}

static void extents_are_clipped_to_the_file(void **state)
{
	struct plan_header header = {.page_size = LE32(PAGE)};
	const struct plan_view view = {.header = &header};
	const struct plan_extent extent = {.page = LE32(2), .pages = LE32(3)};
	uint64_t offset = 7;

	assert_int_equal(planned_extent_range(&view, &extent, 10 * PAGE, &offset), 3 * PAGE);
	assert_int_equal(offset, 2 * PAGE);
	assert_int_equal(planned_extent_range(&view, &extent, 3 * PAGE + 5, &offset), PAGE + 5);
	assert_int_equal(planned_extent_range(&view, &extent, 2 * PAGE, &offset), 0);
}

static void put(const struct fixture *fixture, const char *name, const char *text)
{
	_cleanup_free_ char *path = path_in(fixture, name);
	_cleanup_free_ char *folder = strdup(path);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(make_folders(folder, 0700), 0);
	assert_int_equal(publish_file(path, 0600, text, strlen(text)), 0);
}

static void budget_is_half_of_what_is_free(void **state)
{
	struct fixture *fixture = *state;
	const char *root = fixture->folder;

	assert_true(memory_budget(root) >= INT64_MAX); /* the kernel says nothing */
	put(fixture, "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n");
	put(fixture, "proc/pressure/memory", "some avg10=3.99 avg60=50.00\nfull avg10=0.00\n");
	assert_int_equal(memory_budget(root), 4000 * 1024);
	put(fixture, "proc/self/cgroup", "4:memory:/v1\n0::/a/b\n");
	put(fixture, "sys/fs/cgroup/a/b/memory.max", "max\n");
	put(fixture, "sys/fs/cgroup/a/b/memory.current", "77\n");
	assert_int_equal(memory_budget(root), 4000 * 1024);
	put(fixture, "sys/fs/cgroup/a/memory.max", "1000000\n");
	put(fixture, "sys/fs/cgroup/a/memory.current", "900000\n");
	assert_int_equal(memory_budget(root), 50000);
	put(fixture, "sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 100000\n");
	assert_int_equal(memory_budget(root), 100000);
	put(fixture, "sys/fs/cgroup/memory/v1/memory.limit_in_bytes", "40000\n");
	put(fixture, "sys/fs/cgroup/memory/v1/memory.usage_in_bytes", "30000\n");
	assert_int_equal(memory_budget(root), 5000);
	put(fixture, "sys/fs/cgroup/memory/v1/memory.usage_in_bytes", "50000\n");
	assert_int_equal(memory_budget(root), 0);
	put(fixture, "sys/fs/cgroup/memory/v1/memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(memory_budget(root), 100000);
	put(fixture, "sys/fs/cgroup/a/b/memory.high", "max\n");
	put(fixture, "sys/fs/cgroup/a/memory.high", "840000\n");
	assert_int_equal(memory_budget(root), 20000);
	put(fixture, "sys/fs/cgroup/a/b/memory.pressure", "some avg10=9.99 avg60=50.00\nfull avg10=9.00\n");
	assert_int_equal(memory_budget(root), 20000);
	put(fixture, "sys/fs/cgroup/a/b/memory.pressure", "some avg10=10.00 avg60=0.00\nfull avg10=0.00\n");
	assert_int_equal(memory_budget(root), 0);
	put(fixture, "sys/fs/cgroup/a/b/memory.pressure", "some avg10=0.00 avg60=0.00\nfull avg10=0.00\n");
	assert_int_equal(memory_budget(root), 20000);
	put(fixture, "proc/pressure/memory", "some avg10=10.00 avg60=0.00\nfull avg10=0.00\n");
	assert_int_equal(memory_budget(root), 0);
}

static void room_is_what_the_tightest_limit_leaves(void **state)
{
	struct fixture *fixture = *state;
	const char *root = fixture->folder;

	assert_true(process_room(root) == UINT64_MAX); /* the kernel says nothing */
	put(fixture, "proc/self/cgroup", "9:cpu,pidsome:/no\n8:misc,pids:/v1\n0::/a/b\n");
	put(fixture, "sys/fs/cgroup/a/b/pids.max", "max\n");
	put(fixture, "sys/fs/cgroup/a/b/pids.current", "7\n");
	assert_true(process_room(root) == UINT64_MAX);
	put(fixture, "sys/fs/cgroup/a/pids.max", "100\n");
	put(fixture, "sys/fs/cgroup/a/pids.current", "60\n");
	assert_int_equal(process_room(root), 40);
	put(fixture, "sys/fs/cgroup/pids/v1/pids.max", "50\n");
	put(fixture, "sys/fs/cgroup/pids/v1/pids.current", "19\n");
	assert_int_equal(process_room(root), 31);
	put(fixture, "sys/fs/cgroup/pids/pids.max", "10\n");
	put(fixture, "sys/fs/cgroup/pids/pids.current", "12\n");
	assert_int_equal(process_room(root), 0);
}

/* Runs in a process of its own. Returns the room there, 0 to 250, or 255 for no limit. */
static int room_of_user(const char *root, rlim_t limit)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		struct rlimit tasks = {limit, limit};
		uint64_t room;

		if (setrlimit(RLIMIT_NPROC, &tasks) < 0)
			_exit(254);
		room = process_room(root);
		_exit(room > 250 ? 255 : (int)room);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void room_is_what_the_users_limit_leaves(void **state)
{
	struct fixture *fixture = *state;
	const char *root = fixture->folder;

	put(fixture, "proc/loadavg", "0.10 0.20 0.30 2/345 6789\n");
	assert_int_equal(room_of_user(root, 400), 55);
	assert_int_equal(room_of_user(root, 345), 0);
	assert_int_equal(room_of_user(root, 10), 0);
}

/* A late answer counts as cold, and valgrind translates code while the clock runs; but each piece only once. */
static bool told_warm(const void *plan)
{
	for (int i = 0; i < 10; i++)
		if (prefetch_is_warm(plan))
			return true;
	return false;
}

static void probes_tell_warm_from_cold(void **state)
{
	struct fixture *fixture = *state;
	uint32_t file = add_file(fixture, "a", 40);
	_cleanup_free_ char *gone = path_in(fixture, "gone");
	_cleanup_close_ int fd = open(fixture->maker.paths[file], O_RDONLY | O_CLOEXEC);
	char byte;

	need_disk(fixture);
	need_nowait(fd);
	make_view(fixture);
	assert_true(prefetch_is_warm(fixture->data)); /* nothing to probe */
	assert_int_equal(access(gone, F_OK), -1);     /* from now on known to be missing */
	fixture->maker.probes[0].path = gone;
	fixture->maker.probes[1].path = fixture->maker.paths[file];
	fixture->maker.probes[1].page = 20;
	fixture->maker.probe_count = 2;
	make_view(fixture);
	evict(fixture);
	assert_false(prefetch_is_warm(fixture->data));
	assert_int_equal(pread(fd, &byte, 1, 20 * PAGE), 1);
	assert_true(told_warm(fixture->data));
	fixture->maker.probes[1].path = "/dev/null"; /* nobody can tell */
	make_view(fixture);
	assert_true(prefetch_is_warm(fixture->data));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_engine_brings_what_is_planned_and_no_more, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_comes_from_the_disk_is_told_from_the_rest, set_up, tear_down),
		cmocka_unit_test_setup_teardown(verify_measures_before_and_after, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_has_changed_drops_out_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(directories_and_links_are_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_in_memory_are_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory_budget_cuts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_begins_after_the_time_budget, set_up, tear_down),
		cmocka_unit_test_setup_teardown(opening_is_part_of_the_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(empty_plans_are_carried_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_descriptors_are_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_soft_limit_is_raised_and_put_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(huge_plans_are_carried_out, set_up, tear_down),
		cmocka_unit_test(extents_are_clipped_to_the_file),
		cmocka_unit_test_setup_teardown(budget_is_half_of_what_is_free, set_up, tear_down),
		cmocka_unit_test_setup_teardown(room_is_what_the_tightest_limit_leaves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(room_is_what_the_users_limit_leaves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(probes_tell_warm_from_cold, set_up, tear_down),
	};

	return until_undisturbed(tests, sizeof(tests) / sizeof(*tests));
}
