/* SPDX-License-Identifier: MIT */
/* Unit tests of replacing files: what is kept, what is refused, what is cleaned up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "replace/attributes.h"
#include "replace/publish.h"
#include "replace/replace.h"
#include "replace/seal.h"
#include "tree.h"

#define NOBODY      65534
#define ACL         "system.posix_acl_access"
#define DEFAULT_ACL "system.posix_acl_default"

/* user:: rw-, user:NOBODY r--, group:: r--, mask:: r--, other:: ---: the kernel's format, little-endian. */
static const unsigned char acl[] = {
	2,
	0,
	0,
	0,
	0x01,
	0,
	6,
	0,
	0xff,
	0xff,
	0xff,
	0xff,
	0x02,
	0,
	4,
	0,
	0xfe,
	0xff,
	0,
	0,
	0x04,
	0,
	4,
	0,
	0xff,
	0xff,
	0xff,
	0xff,
	0x10,
	0,
	4,
	0,
	0xff,
	0xff,
	0xff,
	0xff,
	0x20,
	0,
	0,
	0,
	0xff,
	0xff,
	0xff,
	0xff,
};

/*
 * A SHA-256 digest as in security.ima: IMA_XATTR_DIGEST_NG, HASH_ALGO_SHA256, the digest. Kernels with IMA reject a
 * value that does not begin like one (Linux, security/integrity/integrity.h).
 */
static const unsigned char ima[2 + 32] = {4, 4};

static char folder[64];

static const char *in_folder(const char *name)
{
	return tree_path(folder, name);
}

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/headstart-replace-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return tree_remove(folder);
}

static void make(const char *name, mode_t mode, const char *content)
{
	assert_int_equal(publish_file(in_folder(name), mode, content, strlen(content)), 0);
}

static void assert_content(const char *name, const char *content)
{
	_cleanup_free_ char *data = NULL;
	size_t size;

	assert_int_equal(read_file(in_folder(name), 1 << 20, &data, &size), 0);
	assert_string_equal(data, content);
}

static void assert_no_temporary(void)
{
	glob_t left;

	assert_int_equal(glob(in_folder(".*.headstart-*"), 0, NULL, &left), GLOB_NOMATCH);
}

static struct stat stat_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(in_folder(name), &st), 0);
	return st;
}

/* Appends " new" to a file that begins with `old`. */
static int append(struct replacement *replacement)
{
	int r = replacement_copy_original(replacement, (uint64_t)replacement->st.st_size);

	if (r == 0)
		r = write_full(replacement->fd, " new", 4);
	return r < 0 ? r : replacement_commit(replacement);
}

static void skip_unless_root(void)
{
	if (geteuid() != 0) {
		print_message("SKIP: another owner needs root\n");
		skip();
	}
}

static void owner_mode_and_attributes_stay(void **state)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;
	/* cap_net_raw=p, revision 2 (capabilities(7)) */
	static const unsigned char capability[20] = {0, 0, 0, 2, 0, 0x20};
	char value[64];
	struct stat st;

	skip_unless_root();
	make("file", 0640, "old");
	if (setxattr(in_folder("file"), "trusted.long", "0123456789", 10, 0) < 0 && errno == EPERM) {
		print_message("SKIP: the kernel's attributes need root outside of user namespaces\n");
		skip();
	}
	assert_int_equal(chown(in_folder("file"), 1234, 4321), 0);
	assert_int_equal(chmod(in_folder("file"), 06755), 0);
	assert_int_equal(setxattr(in_folder("file"), "security.capability", capability, 20, 0), 0);
	assert_int_equal(setxattr(in_folder("file"), "user.empty", "", 0, 0), 0);
	assert_int_equal(setxattr(in_folder("file"), "trusted.long", "0123456789", 10, 0), 0);
	assert_int_equal(setxattr(in_folder("file"), "security.ima", ima, sizeof(ima), 0), 0);
	assert_int_equal(replacement_begin(&new, in_folder("file")), 0);
	assert_int_equal(append(&new), 0);
	replacement_release(&new);
	assert_content("file", "old new");
	st = stat_of("file");
	assert_int_equal(st.st_uid, 1234);
	assert_int_equal(st.st_gid, 4321);
	assert_int_equal(st.st_mode & 07777, 06755);
	assert_int_equal(getxattr(in_folder("file"), "security.capability", value, sizeof(value)), 20);
	assert_memory_equal(value, capability, 20);
	assert_int_equal(getxattr(in_folder("file"), "user.empty", value, sizeof(value)), 0);
	assert_int_equal(getxattr(in_folder("file"), "trusted.long", value, sizeof(value)), 10);
	assert_memory_equal(value, "0123456789", 10);
	assert_int_equal(getxattr(in_folder("file"), "security.ima", value, sizeof(value)), -1);
	assert_no_temporary();
}

static bool set_acl(const char *name, const char *attribute)
{
	return setxattr(in_folder(name), attribute, acl, sizeof(acl), 0) == 0;
}

static void acls_stay_and_none_is_inherited(void **state)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;
	unsigned char value[64];

	make("plain", 0644, "old");
	make("listed", 0644, "old");
	if (!set_acl("listed", ACL) || !set_acl("", DEFAULT_ACL)) {
		print_message("SKIP: no ACLs here\n");
		skip();
	}
	assert_int_equal(replacement_begin(&new, in_folder("plain")), 0);
	assert_int_equal(append(&new), 0);
	replacement_release(&new);
	assert_int_equal(getxattr(in_folder("plain"), ACL, value, sizeof(value)), -1);
	assert_int_equal(stat_of("plain").st_mode & 07777, 0644);
	assert_int_equal(replacement_begin(&new, in_folder("listed")), 0);
	assert_int_equal(append(&new), 0);
	assert_int_equal(getxattr(in_folder("listed"), ACL, value, sizeof(value)), (int)sizeof(acl));
	assert_memory_equal(value, acl, sizeof(acl));
}

/* A pipe has a mode and no ACL, as a file on a file system without them. */
static void without_its_acl_the_group_gets_no_rights(void **state)
{
	_cleanup_close_ int from = -1;
	_cleanup_free_ char *lost = NULL;
	struct stat st, pipe_st;
	int pipe[2];

	make("listed", 0644, "old");
	if (!set_acl("listed", ACL)) {
		print_message("SKIP: no ACLs here\n");
		skip();
	}
	from = open(in_folder("listed"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(from, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	assert_int_equal(attributes_copy(from, &st, pipe[1], false, &lost), 0);
	assert_int_equal(fstat(pipe[1], &pipe_st), 0);
	close(pipe[0]);
	close(pipe[1]);
	assert_int_equal(pipe_st.st_mode & 07777, 0600);
}

static void symbolic_links_stay(void **state)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;

	make("target", 0600, "old");
	assert_int_equal(symlink("target", in_folder("link")), 0);
	assert_int_equal(replacement_begin(&new, in_folder("link")), 0);
	assert_int_equal(append(&new), 0);
	assert_true(S_ISLNK(stat_of("link").st_mode));
	assert_content("target", "old new");
}

static void every_hard_link_is_replaced(void **state)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;

	make("one", 0600, "old");
	make("stranger", 0600, "old");
	assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
	assert_int_equal(symlink("sub", in_folder("alias")), 0);
	assert_int_equal(link(in_folder("one"), in_folder("two")), 0);
	assert_int_equal(link(in_folder("one"), in_folder("sub/three")), 0);
	assert_int_equal(replacement_begin(&new, in_folder("one")), 0);
	assert_int_equal(replacement_add_name(&new, in_folder("two")), 0);
	assert_int_equal(replacement_add_name(&new, in_folder("two")), 0);
	assert_int_equal(replacement_add_name(&new, in_folder("stranger")), -EINVAL);
	assert_int_equal(replacement_add_name(&new, in_folder("missing")), -ENOENT);
	assert_int_equal(new.n_names, 2);
	assert_int_equal(append(&new), -EMLINK);
	assert_int_equal(replacement_add_name(&new, in_folder("alias/three")), 0);
	assert_int_equal(replacement_add_name(&new, in_folder("sub/three")), 0);
	assert_int_equal(new.n_names, 3);
	assert_int_equal(replacement_commit(&new), 0);
	replacement_release(&new);
	assert_content("one", "old new");
	assert_int_equal(stat_of("one").st_nlink, 3);
	assert_int_equal(stat_of("two").st_ino, stat_of("one").st_ino);
	assert_int_equal(stat_of("sub/three").st_ino, stat_of("one").st_ino);
	assert_no_temporary();
}

static void hard_links_beside_known_names_are_found(void **state)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;

	make("one", 0600, "old");
	make("stranger", 0600, "old");
	assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
	assert_int_equal(link(in_folder("one"), in_folder("two")), 0);
	assert_int_equal(symlink("one", in_folder("alias")), 0);
	assert_int_equal(link(in_folder("one"), in_folder("sub/three")), 0);
	assert_int_equal(link(in_folder("one"), in_folder("sub/four")), 0);
	assert_int_equal(replacement_begin(&new, in_folder("one")), 0);
	assert_int_equal(replacement_add_names_beside(&new), 0);
	assert_int_equal(new.n_names, 2);
	assert_int_equal(append(&new), -EMLINK);
	assert_int_equal(replacement_add_name(&new, in_folder("sub/three")), 0);
	assert_int_equal(replacement_add_names_beside(&new), 0);
	assert_int_equal(new.n_names, 4);
	assert_int_equal(replacement_commit(&new), 0);
	replacement_release(&new);
	assert_content("sub/four", "old new");
	assert_int_equal(stat_of("one").st_nlink, 4);
	assert_true(S_ISLNK(stat_of("alias").st_mode));
	assert_no_temporary();
}

static void a_changed_original_is_refused(void **state)
{
	_cleanup_(replacement_releasep) struct replacement written = REPLACEMENT_NONE,
							   renamed = REPLACEMENT_NONE;

	make("file", 0600, "old");
	assert_int_equal(replacement_begin(&written, in_folder("file")), 0);
	assert_int_equal(truncate(in_folder("file"), 2), 0);
	assert_int_equal(append(&written), -ENODATA);
	assert_int_equal(replacement_commit(&written), -ESTALE);
	assert_int_equal(replacement_begin(&renamed, in_folder("file")), 0);
	make("file", 0600, "upgraded");
	assert_int_equal(append(&renamed), -ESTALE);
	replacement_release(&written);
	replacement_release(&renamed);
	assert_content("file", "upgraded");
	assert_no_temporary();
}

static void what_is_no_file_is_refused(void **state)
{
	struct replacement new = REPLACEMENT_NONE;

	make("file", 0600, "old");
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	assert_int_equal(replacement_begin(&new, in_folder("fifo")), -EINVAL);
	assert_int_equal(replacement_begin(&new, folder), -EISDIR);
	assert_int_equal(replacement_begin(&new, "/"), -EISDIR);
	assert_int_equal(replacement_begin(&new, in_folder("missing")), -ENOENT);
	assert_int_equal(replacement_begin_new(&new, in_folder("fifo"), in_folder("file")), -EINVAL);
	assert_int_equal(replacement_begin_new(&new, in_folder("new"), in_folder("fifo")), -EINVAL);
	assert_int_equal(replacement_begin_new(&new, in_folder("no/new"), in_folder("file")), -ENOENT);
	assert_int_equal(new.fd, -1);
	assert_no_temporary();
}

static void a_new_file_is_like_another(void **state)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;

	make("like", 04751, "old");
	make("there", 0600, "something else");
	assert_int_equal(setxattr(in_folder("like"), "user.colour", "blue", 4, 0), 0);
	assert_int_equal(symlink("there", in_folder("link")), 0);
	assert_int_equal(link(in_folder("like"), in_folder("second name")), 0);
	assert_int_equal(replacement_begin_new(&new, in_folder("link"), in_folder("like")), 0);
	assert_int_equal(append(&new), 0);
	assert_true(S_ISLNK(stat_of("link").st_mode));
	assert_content("there", "old new");
	assert_content("like", "old");
	assert_int_equal(stat_of("there").st_mode & 07777, 04751);
	assert_int_equal(getxattr(in_folder("there"), "user.colour", NULL, 0), 4);
}

static void a_file_does_not_become_a_changed_copy_of_itself(void **state)
{
	struct replacement new = REPLACEMENT_NONE;

	make("file", 0600, "old");
	assert_int_equal(symlink("file", in_folder("link")), 0);
	assert_int_equal(link(in_folder("file"), in_folder("second name")), 0);
	assert_int_equal(replacement_begin_new(&new, in_folder("file"), in_folder("file")), -ENOTUNIQ);
	assert_int_equal(replacement_begin_new(&new, in_folder("link"), in_folder("file")), -ENOTUNIQ);
	assert_int_equal(replacement_begin_new(&new, in_folder("second name"), in_folder("link")), -ENOTUNIQ);
	assert_int_equal(new.fd, -1);
	assert_no_temporary();
}

/* Runs in a child that is nobody. Its status is the number of the first line that failed, 0 for none. */
static int as_nobody(void)
{
	struct replacement new = REPLACEMENT_NONE;

	if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		return 1;
	if (replacement_begin_new(&new, in_folder("copy"), in_folder("like")) != 0 || append(&new) != 0)
		return 2;
	replacement_release(&new);
	if (replacement_begin(&new, in_folder("like")) != 0)
		return 3;
	if (append(&new) != -EPERM || !new.lost || strcmp(new.lost, "owner") != 0)
		return 4;
	replacement_release(&new);
	return 0;
}

static void without_root_the_owner_is_refused_or_left(void **state)
{
	struct stat st;
	int status;
	pid_t pid;

	skip_unless_root();
	make("like", 0644, "old");
	assert_int_equal(chmod(in_folder("like"), 06755), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(as_nobody());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	st = stat_of("copy");
	assert_int_equal(st.st_uid, NOBODY);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_content("copy", "old new");
	assert_content("like", "old");
	assert_no_temporary();
}

static void leftovers_are_swept_unless_in_use(void **state)
{
	_cleanup_(replacement_releasep) struct replacement busy = REPLACEMENT_NONE, new = REPLACEMENT_NONE;
	glob_t left;

	make("file", 0600, "old");
	make("other", 0600, "old");
	make(".dead.headstart-0123abcd", 0600, "left");
	make(".file.headstart-backup", 0600, "a name of the user's");
	assert_int_equal(replacement_begin(&busy, in_folder("other")), 0);
	assert_int_equal(replacement_begin(&new, in_folder("file")), 0);
	assert_int_equal(append(&new), 0);
	replacement_release(&new);
	assert_int_equal(access(in_folder(".dead.headstart-0123abcd"), F_OK), -1);
	assert_int_equal(access(in_folder(".file.headstart-backup"), F_OK), 0);
	assert_int_equal(glob(in_folder(".other.headstart-*"), 0, NULL, &left), 0);
	globfree(&left);
	assert_int_equal(append(&busy), 0);
	assert_content("other", "old new");
}

static void long_names_have_temporaries_too(void **state)
{
	_cleanup_(replacement_releasep) struct replacement new = REPLACEMENT_NONE;
	char name[256];
	int fd;

	memset(name, 'n', 255);
	name[255] = '\0';
	fd = open(in_folder(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write_full(fd, "old", 3), 0);
	close(fd);
	assert_int_equal(replacement_begin(&new, in_folder(name)), 0);
	assert_int_equal(append(&new), 0);
	assert_content(name, "old new");
}

static void seals_are_told(void **state)
{
	_cleanup_close_ int fd = -1;
	int flags = FS_IMMUTABLE_FL, none = 0;
	unsigned seals = 99;

	make("file", 0600, "old");
	fd = open(in_folder("file"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(file_seals(fd, &seals), 0);
	assert_int_equal(seals, 0);
	assert_null(file_seal_words(seals));
	if (geteuid() != 0 || ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0) {
		print_message("SKIP: chattr +i needs root and a file system that has it\n");
		skip();
	}
	assert_int_equal(file_seals(fd, &seals), 0);
	assert_int_equal(ioctl(fd, FS_IOC_SETFLAGS, &none), 0);
	assert_int_equal(seals, FILE_SEAL_IMMUTABLE);
	assert_int_equal(setxattr(in_folder("file"), "security.ima", ima, sizeof(ima), 0), 0);
	assert_int_equal(file_seals(fd, &seals), 0);
	assert_int_equal(seals, FILE_SEAL_IMA);
	assert_non_null(strstr(file_seal_words(seals), "security.ima"));
	assert_int_equal(file_seals(-1, &seals), -EBADF);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(owner_mode_and_attributes_stay),
		TEST(acls_stay_and_none_is_inherited),
		TEST(without_its_acl_the_group_gets_no_rights),
		TEST(symbolic_links_stay),
		TEST(every_hard_link_is_replaced),
		TEST(hard_links_beside_known_names_are_found),
		TEST(a_changed_original_is_refused),
		TEST(what_is_no_file_is_refused),
		TEST(a_new_file_is_like_another),
		TEST(a_file_does_not_become_a_changed_copy_of_itself),
		TEST(without_root_the_owner_is_refused_or_left),
		TEST(leftovers_are_swept_unless_in_use),
		TEST(long_names_have_temporaries_too),
		TEST(seals_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
