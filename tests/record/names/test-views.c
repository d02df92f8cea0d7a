/* SPDX-License-Identifier: MIT */
/* Unit tests of the names of files in other mount namespaces, and of the files that have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "base/times.h"
#include "record/names/name-here.h"
#include "record/names/unnamed.h"
#include "record/names/views.h"
#include "tree.h"

#define DEVICE 77u

static char folder[] = "/tmp/headstart-views.XXXXXX";
static char file[96];
static struct statx status;

static int begin(void **state)
{
	char sub[64];

	snprintf(folder + sizeof(folder) - 7, 7, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(sub, sizeof(sub), "%s/sub", folder);
	snprintf(file, sizeof(file), "%s/file", sub);
	if (mkdir(sub, 0755) < 0 || mknod(file, S_IFREG | 0644, 0) < 0)
		return -1;
	return statx(AT_FDCWD, file, 0, STATX_BASIC_STATS, &status);
}

static int end(void **state)
{
	return tree_remove(folder);
}

static struct mount mount_at(uint32_t device, const char *root, const char *point)
{
	return (struct mount){1, device, (char *)root, (char *)point, (char *)"ext4"};
}

/* The name here of `path`, which lies on `there` in the other namespace, if the file system is mounted at folder here. */
static bool is_named(const struct mount *there, const char *path)
{
	struct mount mounts[] = {
		mount_at(1, "/", "/"), mount_at(DEVICE, "/elsewhere", "/"), mount_at(DEVICE, "/", folder)};
	const struct mounts here = {.items = mounts, .count = 3};
	_cleanup_free_ char *name = name_here_by_mount(&here, there, path, &status, false);

	if (name)
		assert_string_equal(name, file);
	return name;
}

static void a_file_is_named_by_its_file_system(void **state)
{
	const struct mount whole = mount_at(DEVICE, "/", "/mnt"), root = mount_at(DEVICE, "/", "/"),
			   part = mount_at(DEVICE, "/sub", "/mnt"), other = mount_at(1, "/sub", "/mnt");

	assert_true(is_named(&whole, "/mnt/sub/file"));
	assert_true(is_named(&root, "/sub/file"));
	assert_true(is_named(&part, "/mnt/file"));
	assert_false(is_named(&other, "/mnt/file"));
	assert_false(is_named(&part, "/mntfile"));
	assert_false(is_named(&part, "/file"));
	assert_false(is_named(&part, ""));
}

/* Whatever the other namespace says, another file is not taken. */
static void a_name_that_leads_to_another_file_is_none(void **state)
{
	const struct mount part = mount_at(DEVICE, "/sub", "/mnt");
	char link[64];

	status.stx_ino++;
	assert_false(is_named(&part, "/mnt/file"));
	status.stx_ino--;
	status.stx_dev_minor++;
	assert_false(is_named(&part, "/mnt/file"));
	status.stx_dev_minor--;
	assert_false(is_named(&part, "/mnt/../sub/none"));
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink(file, link), 0);
	assert_int_equal(rename(link, file), 0); /* so that the inode number is not that of before */
	assert_false(is_named(&part, "/mnt/file"));
}

static void a_file_below_a_mount_of_which_nothing_is_known(void **state)
{
	struct mount mounts[] = {mount_at(1, "/", "/"), mount_at(DEVICE, "/", folder)};
	const struct mounts here = {.items = mounts, .count = 2};
	const struct mount *mount = NULL;
	_cleanup_free_ char *name = name_here_below_mount(&here, "/sub/file", &status, false, &mount);

	assert_non_null(name);
	assert_string_equal(name, file);
	assert_ptr_equal(mount, &mounts[1]);
	assert_null(name_here_below_mount(&here, "sub/file", &status, false, &mount));
	assert_null(name_here_below_mount(&here, "/file", &status, false, &mount));
}

/* The file as an overlay shows it that has the folder as a layer. */
static char *name_in_layer(const char *options, const struct statx *shown)
{
	const struct mount overlay = {
		1, DEVICE, (char *)"/", (char *)"/mnt", (char *)"overlay", (char *)options};
	struct statx named;
	char *name = name_here_in_layer(&overlay, "/mnt/sub/file", shown, false, &named);

	if (name)
		assert_int_equal(named.stx_dev_minor, status.stx_dev_minor);
	return name;
}

static void a_file_of_an_overlay_is_named_in_its_layer(void **state)
{
	_cleanup_free_ char *name = NULL;
	struct statx shown = status;
	char options[256];

	shown.stx_dev_minor++; /* an overlay has a number of its own */
	snprintf(options, sizeof(options), "rw,lowerdir=/none:relative:%s,upperdir=/u,workdir=/w", folder);
	name = name_in_layer(options, &shown);
	assert_non_null(name);
	assert_string_equal(name, file);
	shown.stx_mtime.tv_nsec ^= 1; /* it was changed in the upper layer */
	assert_null(name_in_layer(options, &shown));
	shown.stx_mtime = status.stx_mtime;
	shown.stx_ctime.tv_nsec ^= 1; /* it was, and then got the old time */
	assert_null(name_in_layer(options, &shown));
	shown.stx_ctime = status.stx_ctime;
	shown.stx_ino++;
	assert_null(name_in_layer(options, &shown));
	shown.stx_ino--;
	snprintf(options, sizeof(options), "rw,lowerdir=/none,upperdir=%s,workdir=/w", folder);
	assert_null(name_in_layer(options, &shown));
}

/* Whoever made the image chose where it leads, and it would be followed in our root. */
static void no_link_in_a_layer_is_followed(void **state)
{
	struct mount overlay = {1, DEVICE, (char *)"/", (char *)"/mnt", (char *)"overlay", NULL};
	char options[256], link[64];
	struct statx named;

	snprintf(options, sizeof(options), "rw,lowerdir=%s", folder);
	overlay.options = options;
	snprintf(link, sizeof(link), "%s/way", folder);
	assert_int_equal(symlink("sub", link), 0);
	assert_null(name_here_in_layer(&overlay, "/mnt/way/file", &status, false, &named));
	assert_int_equal(unlink(link), 0);
}

/* A process in namespaces of its own, which the caller kills; -1 where they cannot be made. */
static pid_t start_in(int namespaces)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (unshare(namespaces) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The id of a mount in the namespace of the process. */
static uint64_t a_mount_of(pid_t pid)
{
	char path[64];
	struct statx root;

	snprintf(path, sizeof(path), "/proc/%d/root/", pid);
	assert_int_equal(statx(AT_FDCWD, path, 0, STATX_MNT_ID, &root), 0);
	return root.stx_mnt_id;
}

static void only_namespaces_of_our_own_users_are_trusted(void **state)
{
	static const int namespaces[] = {CLONE_NEWNS, CLONE_NEWNS | CLONE_NEWUSER};

	for (size_t i = 0; i < 2; i++) {
		struct views views = {0};
		struct view *view = NULL;
		pid_t pid = start_in(namespaces[i]);
		uint64_t mount;

		if (pid < 0) {
			print_message("partial: no namespaces here\n");
			continue;
		}
		mount = a_mount_of(pid);
		assert_int_equal(views_find(&views, mount, pid, &view), 0);
		assert_non_null(view);
		assert_int_equal(view->trusted, i == 0);
		/* The process has ended, and the mounts are known still. */
		end_child(pid);
		assert_int_equal(views_find(&views, mount, pid, &view), 0);
		assert_non_null(view);
		assert_int_equal(views.count, 1);
		views_release(&views);
	}
}

/* Descriptors of ours that are open on files of that name below /proc, or on the namespace. */
static unsigned held(pid_t pid, uint64_t id)
{
	char link[64], target[256], wanted[2][64];
	unsigned n = 0;

	snprintf(wanted[0], sizeof(wanted[0]), "mnt:[%llu]", (unsigned long long)id);
	snprintf(wanted[1], sizeof(wanted[1]), "/proc/%d/mountinfo", pid);
	for (int fd = 0; fd < 256; fd++) {
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		n += streq(target, wanted[0]) || streq(target, wanted[1]);
	}
	return n;
}

static void the_namespace_of_a_process_that_has_ended_is_let_go(void **state)
{
	pid_t pid = start_in(CLONE_NEWNS), other = start_in(CLONE_NEWNS);
	struct views views = {0};
	struct view *view = NULL;
	uint64_t id;

	if (pid < 0 || other < 0) {
		print_message("partial: no namespaces here\n");
		return;
	}
	assert_int_equal(views_look_at(&views, other), 0);
	assert_int_equal(views_find(&views, a_mount_of(pid), pid, &view), 0);
	assert_non_null(view);
	id = view->id;
	views_let_go(&views);
	assert_int_equal(views.count, 2);
	assert_int_equal(held(pid, id), 2);
	end_child(pid);
	views_let_go(&views);
	assert_int_equal(views.count, 1);
	assert_int_equal(views.items[0].pid, other);
	assert_int_equal(held(pid, id), 0);
	end_child(other);
	views_let_go(&views);
	assert_int_equal(views.count, 0);
	views_release(&views);
}

static pid_t ended_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Looking at every process of the tree for each opening takes minutes, if there are many of both. */
static void a_mount_that_nobody_has_is_looked_for_once_a_second(void **state)
{
	struct opens opens = OPENS_INIT;
	struct mounts mounts = {0};
	pid_t pid = start_in(CLONE_NEWNS), opener = ended_child();
	struct record_trace trace = {.pids = &pid, .n_pids = 1};
	_cleanup_close_ int fd = -1;
	char path[128];
	uint64_t begun;

	if (pid < 0) {
		print_message("partial: no namespaces here\n");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(mounts_read(&mounts), 0);
	opens_start_empty(&opens, &mounts);
	begun = monotonic_ns();
	assert_int_equal(opens_add(&opens, fd, opener, NULL), 0);
	/* The process that has the mount joins the tree. */
	assert_int_equal(opens_drain(&opens, &trace), 0);
	assert_int_equal(opens_add(&opens, fd, opener, NULL), 0);
	if (monotonic_ns() - begun < 1000000000)
		assert_int_equal(opens.views.count, 0);
	opens.missed_since -= 1000000000;
	assert_int_equal(opens_add(&opens, fd, opener, NULL), 0);
	assert_int_equal(opens.views.count, 1);
	end_child(pid);
	opens_release(&opens);
	mounts_release(&mounts);
}

static void a_namespace_of_others_is_not_looked_at_if_none_is_to_be(void **state)
{
	static const int namespaces[] = {CLONE_NEWNS, CLONE_NEWNS | CLONE_NEWUSER};

	for (size_t i = 0; i < 2; i++) {
		struct views views = {.trusted_only = true};
		pid_t pid = start_in(namespaces[i]);

		if (pid < 0) {
			print_message("partial: no namespaces here\n");
			continue;
		}
		assert_int_equal(views_look_at(&views, pid), 0);
		assert_int_equal(views.count, i == 0);
		end_child(pid);
		views_release(&views);
	}
}

/* A process in namespaces of its own that mounts what it is told to. */
struct mounter {
	pid_t pid;
	int socket;
};

/* On top of each other. */
static int mount_many(int n)
{
	while (n-- > 0)
		if (mount(folder, folder, NULL, MS_BIND, NULL) < 0)
			return -errno;
	return 0;
}

static int own_namespaces(bool users)
{
	if (unshare(CLONE_NEWNS | (users ? CLONE_NEWUSER : 0)) < 0)
		return -errno;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
}

/* pid -1: no namespaces here. */
static struct mounter start_mounter(bool users)
{
	struct mounter mounter = {.pid = -1};
	int ends[2], n, r;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	mounter.socket = ends[0];
	mounter.pid = fork();
	assert_true(mounter.pid >= 0);
	if (mounter.pid == 0) {
		close(ends[0]);
		for (r = own_namespaces(users); send(ends[1], &r, sizeof(r), 0) == sizeof(r);
			r = mount_many(n))
			if (r < 0 || recv(ends[1], &n, sizeof(n), 0) != sizeof(n))
				break;
		_exit(0);
	}
	close(ends[1]);
	if (recv(mounter.socket, &r, sizeof(r), 0) != sizeof(r) || r < 0) {
		end_child(mounter.pid);
		close(mounter.socket);
		mounter.pid = -1;
		print_message("partial: no namespaces here\n");
	}
	return mounter;
}

static void let_mount(const struct mounter *mounter, int n)
{
	int r;

	assert_int_equal(send(mounter->socket, &n, sizeof(n), 0), sizeof(n));
	assert_int_equal(recv(mounter->socket, &r, sizeof(r), 0), sizeof(r));
	assert_int_equal(r, 0);
}

static void end_mounter(const struct mounter *mounter)
{
	end_child(mounter->pid);
	close(mounter->socket);
}

/* Reading as many as a user may mount takes a processor, however often they change. */
static void a_namespace_of_others_with_very_many_mounts_has_no_names(void **state)
{
	for (int users = 0; users < 2; users++) {
		struct mounter mounter = start_mounter(users);
		struct views views = {0};

		if (mounter.pid < 0)
			continue;
		assert_int_equal(views_look_at(&views, mounter.pid), 0);
		assert_int_equal(views.count, 1);
		assert_true(views.items[0].mounts.count > 0);
		let_mount(&mounter, 1100);
		assert_true(view_refresh(&views.items[0]) >= 0);
		assert_int_equal(views.items[0].mounts.count > 0, !users);
		let_mount(&mounter, 1);
		assert_int_equal(view_refresh(&views.items[0]), !users);
		assert_int_equal(views_look_at(&views, mounter.pid), 0);
		assert_int_equal(views.items[0].mounts.count > 0, !users);
		end_mounter(&mounter);
		views_release(&views);
	}
}

static void a_namespace_of_others_that_always_changes_is_read_once_a_second(void **state)
{
	struct mounter mounter = start_mounter(true);
	struct views views = {0};
	uint64_t begun = monotonic_ns(), paid;
	int n = 0;

	if (mounter.pid < 0)
		return;
	assert_int_equal(views_look_at(&views, mounter.pid), 0);
	for (int i = 0; i < 100; i++) {
		let_mount(&mounter, 1);
		n += view_refresh(&views.items[0]);
	}
	assert_in_range(n, 10, 20 + (monotonic_ns() - begun) / 1000000000);
	/* What changes meanwhile is read later. */
	views.items[0].read_until = UINT64_MAX;
	let_mount(&mounter, 1);
	assert_int_equal(view_refresh(&views.items[0]), 0);
	views.items[0].read_until = 0;
	assert_int_equal(view_refresh(&views.items[0]), 1);
	assert_int_equal(view_refresh(&views.items[0]), 0);
	/* A table that has not changed is not read, whoever looks at it. */
	paid = views.items[0].read_until;
	for (int i = 0; i < 3; i++)
		assert_int_equal(views_look_at(&views, mounter.pid), 0);
	assert_int_equal(views.items[0].read_until, paid);
	end_mounter(&mounter);
	views_release(&views);
}

static void our_own_namespace_is_no_view(void **state)
{
	struct views views = {0};
	struct view *view = NULL;

	assert_int_equal(views_find(&views, UINT64_MAX, getpid(), &view), 0);
	assert_null(view);
	assert_int_equal(views_find(&views, UINT64_MAX, 0, &view), 0);
	assert_null(view);
	assert_int_equal(views.count, 0);
	views_release(&views);
}

static void add_touch(struct record_trace *trace, uint32_t device, uint64_t inode)
{
	static uint64_t time;

	assert_int_equal(record_trace_add_event(trace,
				 &(struct record_event){.time = ++time, .device = device, .inode = inode}),
		0);
}

static void files_without_a_name_are_counted_once(void **state)
{
	struct mount here_items[] = {mount_at(1, "/", "/")}, there_items[] = {mount_at(2, "/", "/mnt")};
	const struct mounts here = {.items = here_items, .count = 1};
	struct view view = {.mounts = {.items = there_items, .count = 1}};
	struct opens opens = OPENS_INIT;
	struct record_trace trace = {0};
	struct record_file *named;
	size_t count = 0;

	opens.mounts = &here;
	opens.views = (struct views){.items = &view, .count = 1};
	assert_int_equal(record_files_add(&opens.files, &named), 0);
	named->device = 1;
	named->inode = 10;
	assert_int_equal(inode_map_add(&opens.unnamed, 1, 11, 0), 0);
	assert_int_equal(inode_map_add(&opens.unnamed, 0, 12, 0), 0); /* on an overlay */
	add_touch(&trace, 1, 10);
	add_touch(&trace, 1, 11);
	add_touch(&trace, 2, 20);
	add_touch(&trace, 1, 12);
	add_touch(&trace, 2, 20);
	add_touch(&trace, 1, 13); /* on our own file system: deleted */
	add_touch(&trace, 3, 30); /* nobody's */
	assert_int_equal(unnamed_count(&opens, &trace, &count), 0);
	assert_int_equal(count, 3);
	record_trace_release(&trace);
	record_files_release(&opens.files);
	inode_map_release(&opens.unnamed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_is_named_by_its_file_system),
		TEST(a_name_that_leads_to_another_file_is_none),
		TEST(a_file_below_a_mount_of_which_nothing_is_known),
		TEST(a_file_of_an_overlay_is_named_in_its_layer),
		TEST(no_link_in_a_layer_is_followed),
		cmocka_unit_test(only_namespaces_of_our_own_users_are_trusted),
		cmocka_unit_test(the_namespace_of_a_process_that_has_ended_is_let_go),
		TEST(a_mount_that_nobody_has_is_looked_for_once_a_second),
		cmocka_unit_test(a_namespace_of_others_is_not_looked_at_if_none_is_to_be),
		TEST(a_namespace_of_others_with_very_many_mounts_has_no_names),
		TEST(a_namespace_of_others_that_always_changes_is_read_once_a_second),
		cmocka_unit_test(our_own_namespace_is_no_view),
		cmocka_unit_test(files_without_a_name_are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
