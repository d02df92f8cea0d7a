/* SPDX-License-Identifier: MIT */
/*
 * Made-up events become a profile: clipping, first touch, order, execs, residency. Also tests of other functions that
 * need no kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/inode-map.h"
#include "record/names/links.h"
#include "record/names/mounts.h"
#include "record/names/resolve.h"
#include "record/profiles/assemble.h"
#include "record/profiles/page-marks.h"

#define DEVICE 0x800001u

struct fixture {
	struct record_trace trace;
	struct record_files files;
	struct profile profile;
	struct assemble_summary summary;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->profile.program = strdup("/bin/program");
	f->profile.command = strdup("program");
	f->profile.kernel = strdup("6.18");
	f->profile.device = strdup("");
	f->profile.milestone = strdup("exit");
	f->profile.page_size = 4096;
	f->profile.runs = 1;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	record_trace_release(&f->trace);
	record_files_release(&f->files);
	profile_release(&f->profile);
	free(f);
	return 0;
}

static struct record_file *add_file(struct fixture *f, const char *path, enum profile_kind kind,
	uint64_t inode, uint64_t pages, uint64_t opened)
{
	struct record_file *file;

	assert_int_equal(record_files_add(&f->files, &file), 0);
	*file = (struct record_file){.path = strdup(path),
		.kind = kind,
		.device = DEVICE,
		.inode = inode,
		.pages = pages,
		.opened = opened,
		.by_tree = true};
	return file;
}

static void add_event(struct fixture *f, uint64_t time, enum record_event_kind kind, uint64_t inode,
	uint32_t first, uint32_t last)
{
	const struct record_event event = {.time = time,
		.inode = inode,
		.device = DEVICE,
		.first = first,
		.last = last,
		.pid = 7,
		.kind = kind};

	assert_int_equal(record_trace_add_event(&f->trace, &event), 0);
}

static void add_exec(struct fixture *f, uint64_t time, const char *path)
{
	assert_int_equal(record_trace_add_exec(&f->trace, time, 7, path), 0);
}

static void run(struct fixture *f, bool added_is_touch)
{
	assert_int_equal(assemble(&f->trace, &f->files, added_is_touch, &f->profile, &f->summary), 0);
}

static const struct profile_file *find(const struct fixture *f, const char *path)
{
	for (size_t i = 0; i < f->profile.n_files; i++)
		if (strcmp(f->profile.files[i].path, path) == 0)
			return &f->profile.files[i];
	return NULL;
}

static void assert_range(
	const struct profile_file *file, size_t i, uint32_t page, uint32_t pages, uint32_t order)
{
	assert_true(i < file->n_ranges);
	assert_int_equal(file->ranges[i].page, page);
	assert_int_equal(file->ranges[i].pages, pages);
	assert_int_equal(file->ranges[i].order, order);
	assert_int_equal(file->ranges[i].runs, 1);
}

/* Events of several CPUs arrive unsorted. A page counts once, at its first touch. */
static void test_order_and_first_touch(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/bin/program", PROFILE_REGULAR, 1, 100, 1);
	add_file(f, "/lib/a", PROFILE_REGULAR, 2, 100, 1);
	add_exec(f, 5, "/bin/program");
	add_event(f, 30, RECORD_TOUCH, 1, 4, 4);
	add_event(f, 40, RECORD_TOUCH, 1, 3, 3);
	add_event(f, 10, RECORD_TOUCH, 1, 0, 1);
	add_event(f, 20, RECORD_TOUCH, 2, 8, 9);
	add_event(f, 25, RECORD_TOUCH, 2, 8, 11);
	add_event(f, 50, RECORD_TOUCH, 1, 0, 4);
	run(f, false);
	assert_int_equal(f->profile.touches, 9);
	assert_int_equal(f->profile.n_files, 2);
	assert_string_equal(f->profile.files[0].path, "/bin/program");
	assert_range(&f->profile.files[0], 0, 0, 2, 0);
	assert_range(&f->profile.files[0], 1, 2, 1, 8);
	assert_range(&f->profile.files[0], 2, 3, 1, 7);
	assert_range(&f->profile.files[0], 3, 4, 1, 6);
	assert_int_equal(f->profile.files[1].order, 2);
	assert_int_equal(f->profile.files[1].n_ranges, 1);
	assert_range(&f->profile.files[1], 0, 8, 4, 2);
}

static void test_clipped_to_the_end(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/data", PROFILE_REGULAR, 1, 3, 1);
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_TOUCH, 1, 1, UINT32_MAX - 1);
	add_event(f, 11, RECORD_TOUCH, 1, 3, 3);
	run(f, false);
	assert_int_equal(find(f, "/data")->n_ranges, 1);
	assert_range(find(f, "/data"), 0, 1, 2, 0);
	assert_int_equal(f->profile.touches, 2);
}

/* Fault-around reports the pages that it may have mapped; it has mapped only those that were resident. */
static void test_mapped_counts_where_resident(void **state)
{
	struct fixture *f = *state;
	struct record_file *file = add_file(f, "/lib/a", PROFILE_REGULAR, 1, 8, 1);

	file->resident = calloc(1, 8);
	file->resident[2] = file->resident[5] = 1;
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_MAPPED, 1, 0, 15);
	add_event(f, 11, RECORD_ADDED, 1, 6, 6);
	add_event(f, 12, RECORD_TOUCH, 1, 6, 6);
	run(f, false);
	assert_int_equal(find(f, "/lib/a")->n_ranges, 3);
	assert_range(find(f, "/lib/a"), 0, 2, 1, 0);
	assert_range(find(f, "/lib/a"), 1, 5, 1, 1);
	assert_range(find(f, "/lib/a"), 2, 6, 1, 2);
	/* Pages 2 and 5 never entered the cache, so they were there before. */
	assert_int_equal(f->summary.pages_resident, 2);
}

/* The kernel may take a page back before anybody can look: the start had brought it in. */
static void test_mapped_counts_what_the_start_brought_in(void **state)
{
	struct fixture *f = *state;
	struct record_file *file = add_file(f, "/lib/a", PROFILE_REGULAR, 1, 8, 1);

	file->resident = calloc(1, 8);
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_ADDED, 1, 3, 3);
	add_event(f, 11, RECORD_MAPPED, 1, 0, 7);
	run(f, false);
	assert_int_equal(find(f, "/lib/a")->n_ranges, 1);
	assert_range(find(f, "/lib/a"), 0, 3, 1, 0);
	assert_true(find(f, "/lib/a")->ranges[0].doubt.unsure);
	assert_int_equal(f->summary.pages_resident, 0);
}

/* Nobody has looked which pages of a user's own file were resident. */
static void test_mapped_counts_of_an_own_file(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/home/a", PROFILE_REGULAR, 1, 8, 1)->own = true;
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_MAPPED, 1, 0, 15);
	add_event(f, 12, RECORD_TOUCH, 1, 6, 6);
	run(f, false);
	assert_int_equal(profile_file_pages(find(f, "/home/a")), 8);
	for (size_t i = 0; i < find(f, "/home/a")->n_ranges; i++)
		assert_int_equal(
			find(f, "/home/a")->ranges[i].doubt.unsure, find(f, "/home/a")->ranges[i].page != 6);
}

/* What was mapped beside a page that was asked for is unsure, and so is what was there before we looked. */
static void test_pages_asked_for_are_certain(void **state)
{
	struct fixture *f = *state;
	struct record_file *file = add_file(f, "/lib/a", PROFILE_REGULAR, 1, 16, 1);
	const struct profile_range *ranges;

	file->resident = calloc(1, 16);
	memset(file->resident, 1, 16);
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_FOUND, 1, 0, 1);
	add_event(f, 20, RECORD_MAPPED, 1, 2, 5);
	add_event(f, 30, RECORD_TOUCH, 1, 1, 1);
	add_event(f, 31, RECORD_TOUCH, 1, 4, 4);
	add_event(f, 32, RECORD_TOUCH, 1, 9, 9);
	run(f, false);
	assert_int_equal(f->summary.found, 2);
	assert_int_equal(find(f, "/lib/a")->n_ranges, 6);
	ranges = find(f, "/lib/a")->ranges;
	assert_range(find(f, "/lib/a"), 0, 0, 1, 0);
	assert_range(find(f, "/lib/a"), 2, 2, 2, 2);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(ranges[i].doubt.unsure,
			ranges[i].page != 1 && ranges[i].page != 4 && ranges[i].page != 9);
}

static void test_added_counts_only_where_nothing_is_better(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/lib/a", PROFILE_REGULAR, 1, 8, 1);
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_ADDED, 1, 4, 7);
	run(f, true);
	assert_range(find(f, "/lib/a"), 0, 4, 4, 0);
}

static void test_added_alone_is_no_touch(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/lib/a", PROFILE_REGULAR, 1, 8, 1);
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_ADDED, 1, 4, 7);
	run(f, false);
	/* It was opened, though. */
	assert_int_equal(find(f, "/lib/a")->n_ranges, 0);
	assert_int_equal(f->profile.touches, 1);
}

/*
 * Folders, links and files without pages get their place in the order when they are opened; opens by other processes
 * do not count.
 */
static void test_looked_at(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/etc", PROFILE_DIRECTORY, 3, 0, 15);
	add_file(f, "/bin/program", PROFILE_REGULAR, 1, 8, 2);
	add_file(f, "/bin/link", PROFILE_SYMLINK, 0, 0, 1);
	add_file(f, "/elsewhere", PROFILE_REGULAR, 4, 8, 3)->by_tree = false;
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_TOUCH, 1, 0, 0);
	add_event(f, 20, RECORD_TOUCH, 1, 1, 1);
	run(f, false);
	assert_null(find(f, "/elsewhere"));
	assert_int_equal(find(f, "/bin/link")->order, 0);
	assert_int_equal(find(f, "/bin/program")->order, 1);
	assert_int_equal(find(f, "/etc")->order, 2);
	assert_int_equal(find(f, "/etc")->kind, PROFILE_DIRECTORY);
	assert_range(find(f, "/bin/program"), 1, 1, 1, 3);
	assert_int_equal(f->profile.touches, 4);
}

/* The kernel reports an exec after it has read the program's first page. */
static void test_exec_is_before_its_first_page(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/bin/program", PROFILE_REGULAR, 1, 8, 1);
	add_file(f, "/bin/second", PROFILE_REGULAR, 2, 8, 18);
	add_event(f, 10, RECORD_TOUCH, 1, 0, 0);
	add_exec(f, 12, "/bin/program");
	add_event(f, 15, RECORD_TOUCH, 1, 1, 2);
	add_event(f, 20, RECORD_TOUCH, 2, 0, 0);
	add_event(f, 21, RECORD_TOUCH, 1, 3, 3);
	add_exec(f, 22, "/bin/second");
	run(f, false);
	assert_int_equal(f->profile.n_execs, 2);
	assert_string_equal(f->profile.execs[0].path, "/bin/program");
	assert_int_equal(f->profile.execs[0].order, 0);
	assert_string_equal(f->profile.execs[1].path, "/bin/second");
	assert_int_equal(f->profile.execs[1].order, 3);
	assert_int_equal(find(f, "/bin/second")->order, 3);
}

/* Anybody can make files of 16 TiB that take no space, and touch a page of each. */
static void test_large_files_take_no_memory(void **state)
{
	struct fixture *f = *state;
	struct rlimit before, little;
	char name[32];

	for (uint64_t i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "/large/%u", (unsigned)i);
		add_file(f, name, PROFILE_REGULAR, i, UINT32_MAX, 1);
		add_event(f, 10 + i, RECORD_TOUCH, i, UINT32_MAX - 2, UINT32_MAX - 2);
	}
	add_exec(f, 1, "/bin/program");
	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	little = (struct rlimit){.rlim_cur = 256 << 20, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_DATA, &little), 0);
	run(f, false);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
	assert_int_equal(f->profile.n_files, 1000);
	assert_range(find(f, "/large/1000"), 0, UINT32_MAX - 2, 1, 999);
	assert_false(f->trace.lost);
}

/* A page of each piece. */
static void test_more_pages_than_can_be_kept(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/large", PROFILE_REGULAR, 1, UINT32_MAX, 1);
	add_exec(f, 1, "/bin/program");
	for (uint32_t i = 0; i <= PAGE_MARKS_MAX; i++)
		add_event(f, 10 + i, RECORD_TOUCH, 1, i * 64, i * 64);
	run(f, false);
	assert_true(f->trace.lost);
	assert_int_equal(f->profile.touches, PAGE_MARKS_MAX);
}

static void test_unknown_and_ambiguous_files(void **state)
{
	struct fixture *f = *state;

	add_file(f, "/bin/program", PROFILE_REGULAR, 1, 8, 1);
	add_file(f, "/volume/a", PROFILE_REGULAR, 2, 8, 1)->ambiguous = true;
	add_file(f, "/overlay/b", PROFILE_REGULAR, 5, 8, 1)->device = 0;
	add_exec(f, 1, "/bin/program");
	add_event(f, 10, RECORD_TOUCH, 1, 0, 0);
	add_event(f, 11, RECORD_TOUCH, 2, 0, 0);
	add_event(f, 12, RECORD_TOUCH, 99, 0, 0);
	add_event(f, 13, RECORD_TOUCH, 5, 3, 3);
	run(f, false);
	assert_int_equal(f->summary.events_unknown, 2);
	assert_range(find(f, "/overlay/b"), 0, 3, 1, f->profile.touches - 1);
}

static void test_nothing_happened(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 1, "/bin/program");
	run(f, false);
	assert_int_equal(f->profile.n_files, 0);
	assert_int_equal(f->profile.n_execs, 1);
}

static void test_repeated_events_are_kept_once(void **state)
{
	struct fixture *f = *state;

	add_event(f, 1, RECORD_TOUCH, 1, 0, 0);
	add_event(f, 2, RECORD_TOUCH, 1, 0, 0);
	add_event(f, 3, RECORD_MAPPED, 1, 0, 0);
	assert_int_equal(f->trace.n_events, 2);
}

/* Of a hash that only multiplies, these numbers are all in one place: the inverse of the golden ratio's, times 2^40. */
static void test_inodes_made_to_collide_do_not(void **state)
{
	struct inode_map map = {0};
	size_t chains = 0;

	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(inode_map_add(&map, 0, (i << 40) * 0xf1de83e19937733d, i), 0);
	for (size_t i = 1; i < map.n_slots; i++)
		chains += map.slots[i].index != INODE_MAP_NONE && map.slots[i - 1].index == INODE_MAP_NONE;
	assert_in_range(chains, 100, 1000);
	inode_map_release(&map);
}

static void test_inode_map(void **state)
{
	struct inode_map map = {0};

	assert_true(inode_map_find(&map, 1, 1) == INODE_MAP_NONE);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(inode_map_add(&map, (uint32_t)(i % 3), i / 3, i), 0);
	assert_int_equal(inode_map_add(&map, 0, 0, 7777), 0);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(inode_map_find(&map, (uint32_t)(i % 3), i / 3), i);
	assert_true(inode_map_find(&map, 3, 0) == INODE_MAP_NONE);
	inode_map_release(&map);
}

/* Without fanotify, the inode of an event is searched for below the mounts of its device. */
static void test_names_by_walking(void **state)
{
	struct fixture *f = *state;
	char folder[] = "/tmp/headstart-walk.XXXXXX", path[64];
	struct mount mount = {.id = 1, .device = DEVICE, .point = folder, .type = (char *)"ext4"};
	const struct mounts mounts = {.items = &mount, .count = 1};
	struct stat status;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
	assert_int_equal(stat(path, &status), 0);
	add_event(f, 1, RECORD_TOUCH, status.st_ino, 0, 0);
	add_event(f, 2, RECORD_TOUCH, status.st_ino, 1, 1);
	assert_int_equal(resolve_by_walking(&f->files, &f->trace, &mounts), 0);
	unlink(path);
	rmdir(folder);
	assert_int_equal(f->files.count, 1);
	assert_string_equal(f->files.items[0].path, path);
	assert_int_equal(f->files.items[0].device, DEVICE);
}

struct found {
	char names[8][64];
	size_t count;
};

static int note_link(void *context, const char *link)
{
	struct found *found = context;

	assert_true(found->count < 8);
	snprintf(found->names[found->count++], sizeof(*found->names), "%s", link);
	return 0;
}

static int count_link(void *context, const char *link)
{
	++*(size_t *)context;
	return 0;
}

/* folder/a -> real/b, folder/real/b -> ../c/./d/../file: finds each link on the way, and no other. */
static void test_links_on_path(void **state)
{
	char folder[] = "/tmp/headstart-links.XXXXXX", path[128], expected[128];
	struct found found = {0};
	int here;

	assert_non_null(mkdtemp(folder));
	here = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(
		mkdirat(here, "real", 0700) | mkdirat(here, "c", 0700) | mkdirat(here, "c/d", 0700), 0);
	assert_int_equal(symlinkat("real/b", here, "a") | symlinkat("../c/./d/../file", here, "real/b"), 0);
	assert_int_equal(symlinkat("loop", here, "loop") | mknodat(here, "c/file", S_IFREG | 0600, 0), 0);
	snprintf(path, sizeof(path), "%s//a", folder);
	assert_int_equal(links_on_path(path, note_link, &found), 0);
	assert_int_equal(found.count, 2);
	snprintf(expected, sizeof(expected), "%s/a", folder);
	assert_string_equal(found.names[0], expected);
	snprintf(expected, sizeof(expected), "%s/real/b", folder);
	assert_string_equal(found.names[1], expected);
	snprintf(path, sizeof(path), "%s/loop", folder);
	found.count = 0;
	assert_int_equal(links_on_path(path, count_link, &found.count), -ELOOP);
	assert_int_equal(found.count, 40);
	snprintf(path, sizeof(path), "%s/missing", folder);
	assert_int_equal(links_on_path(path, note_link, &found), -ENOENT);
	assert_int_equal(links_on_path("relative", note_link, &found), -EINVAL);
	unlinkat(here, "a", 0);
	unlinkat(here, "loop", 0);
	unlinkat(here, "real/b", 0);
	unlinkat(here, "c/file", 0);
	unlinkat(here, "c/d", AT_REMOVEDIR);
	unlinkat(here, "c", AT_REMOVEDIR);
	unlinkat(here, "real", AT_REMOVEDIR);
	close(here);
	rmdir(folder);
}

static void write_script(int folder, const char *name, const char *interpreter)
{
	_cleanup_close_ int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "#!%s\n", interpreter) > 0);
}

static size_t links_of_script(const char *folder, const char *name, bool careful)
{
	size_t count = 0;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void)links_of_file(path, careful, count_link, &count);
	return count;
}

/* Three scripts: an interpreter that is a link in a folder of ours, one in a folder that others can change, and a script in the latter. */
static void test_names_in_files_of_others_are_not_followed(void **state)
{
	char folder[] = "/tmp/headstart-links.XXXXXX", ours[64], others[64];
	size_t trusted = geteuid() == 0 ? 1 : 0;
	int here;

	assert_non_null(mkdtemp(folder));
	here = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(
		mkdirat(here, "open", 0700) | fchmodat(here, "open", 0777, 0) | fchmod(here, 0755), 0);
	assert_int_equal(symlinkat("good", here, "sh") | symlinkat("../good", here, "open/sh"), 0);
	snprintf(ours, sizeof(ours), "%s/sh", folder);
	snprintf(others, sizeof(others), "%s/open/sh", folder);
	write_script(here, "good", ours);
	write_script(here, "bad", others);
	write_script(here, "open/any", ours);
	assert_int_equal(links_of_script(folder, "good", false), 1);
	assert_int_equal(links_of_script(folder, "bad", false), 1);
	assert_int_equal(links_of_script(folder, "open/any", false), 1);
	assert_int_equal(links_of_script(folder, "good", true), trusted);
	assert_int_equal(links_of_script(folder, "bad", true), 0);
	assert_int_equal(links_of_script(folder, "open/any", true), 0);
	unlinkat(here, "open/any", 0);
	unlinkat(here, "open/sh", 0);
	unlinkat(here, "open", AT_REMOVEDIR);
	unlinkat(here, "good", 0);
	unlinkat(here, "bad", 0);
	unlinkat(here, "sh", 0);
	close(here);
	rmdir(folder);
}

static void test_mountinfo(void **state)
{
	struct mounts mounts;
	char text[] =
		"22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
		"23 22 0:20 / /proc rw - proc proc rw\n"
		"24 22 7:0 /sub /with\\040space\\134 ro master:1 propagate_from:2 - squashfs /dev/loop0 ro\n"
		"25 22 0:45 / /merged rw - overlay overlay rw,lowerdir=/a - b\n"
		"26 22 0:46 / /home/u/mnt rw - fuse.sshfs a:b rw,user_id=1000\n"
		"27 22 0:47 / /home rw - nfs4 server:/home rw\n";
	char truncated[] = "22 1 8:2 / /\n", nonsense[] = "a b c - ext4 x\n";

	assert_int_equal(mounts_parse(text, &mounts), 0);
	assert_int_equal(mounts.count, 5);
	for (size_t i = 0; i < mounts.count; i++)
		assert_int_equal(mount_is_served(&mounts.items[i]), i >= 3);
	assert_string_equal(mounts.items[0].point, "/");
	assert_int_equal(mounts.items[0].device, 8 << 20 | 2);
	assert_string_equal(mounts.items[1].point, "/with space\\");
	assert_string_equal(mounts.items[1].type, "squashfs");
	assert_string_equal(mounts.items[2].type, "overlay");
	assert_ptr_equal(mounts_find(&mounts, 24), &mounts.items[1]);
	assert_null(mounts_find(&mounts, 23));
	mounts_release(&mounts);
	assert_int_equal(mounts_parse(truncated, &mounts), -EINVAL);
	assert_int_equal(mounts_parse(nonsense, &mounts), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_and_first_touch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_clipped_to_the_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mapped_counts_where_resident, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_mapped_counts_what_the_start_brought_in, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mapped_counts_of_an_own_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pages_asked_for_are_certain, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_added_counts_only_where_nothing_is_better, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_added_alone_is_no_touch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_looked_at, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec_is_before_its_first_page, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_large_files_take_no_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_more_pages_than_can_be_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unknown_and_ambiguous_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_happened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_repeated_events_are_kept_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names_by_walking, set_up, tear_down),
		cmocka_unit_test(test_links_on_path),
		cmocka_unit_test(test_names_in_files_of_others_are_not_followed),
		cmocka_unit_test(test_inode_map),
		cmocka_unit_test(test_inodes_made_to_collide_do_not),
		cmocka_unit_test(test_mountinfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
