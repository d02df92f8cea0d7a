/* SPDX-License-Identifier: MIT */
/*
 * mirror FOLDER MOUNTPOINT LOG MODE: a FUSE file system that shows the files of a folder, and writes a line
 * "read OFFSET SIZE" into the log for each read that reaches it. It answers 20 ms later. Names and attributes stay valid
 * for ever. Serves in the foreground until it is unmounted. What the kernel keeps in its page cache when a file is
 * opened depends on the mode:
 *
 *     keep        all (libfuse's kernel_cache)
 *     auto        what has not changed (auto_cache)
 *     forget      nothing (libfuse's default)
 *     direct      it never caches anything
 *     hold-read   nothing; and a read is answered only once somebody has the FIFO LOG.held open for writing
 *     hold-close  nothing; and so is a close(2), which is logged as "flush"
 *     hold-names  nothing, names included; and so is each look for a name, which is logged as "name"
 */
#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOREVER  1e9      /* seconds */
#define DELAY_NS 20000000 /* of each read, so that data which nobody waited for is missed */

static int folder;
static FILE *log_file;
static const char *mode;
static char *held; /* the FIFO */

/* The mirrored folder is open; paths begin with '/'. */
static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static void *mirror_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	config->kernel_cache = strcmp(mode, "keep") == 0;
	config->auto_cache = strcmp(mode, "auto") == 0;
	config->entry_timeout = config->attr_timeout = strcmp(mode, "hold-names") == 0 ? 0 : FOREVER;
	return NULL;
}

static void hold(const char *in_mode)
{
	if (strcmp(mode, in_mode) == 0)
		close(open(held, O_RDONLY | O_CLOEXEC));
}

static int mirror_getattr(const char *path, struct stat *ret, struct fuse_file_info *info)
{
	(void)info;
	if (path[1] && strcmp(mode, "hold-names") == 0)
		fputs("name\n", log_file);
	if (path[1])
		hold("hold-names");
	return fstatat(folder, below(path), ret, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int mirror_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
	struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
	int fd = openat(folder, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	(void)offset, (void)info, (void)flags;
	if (!dir)
		return -errno;
	for (struct dirent *entry; (entry = readdir(dir));)
		fill(buffer, entry->d_name, NULL, 0, 0);
	return closedir(dir) < 0 ? -errno : 0;
}

static int mirror_open(const char *path, struct fuse_file_info *info)
{
	int fd = openat(folder, below(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	info->fh = (uint64_t)fd;
	info->direct_io = strcmp(mode, "direct") == 0;
	return 0;
}

static int mirror_read(const char *path, char *data, size_t size, off_t offset, struct fuse_file_info *info)
{
	const struct timespec delay = {.tv_nsec = DELAY_NS};
	ssize_t n = pread((int)info->fh, data, size, offset);

	(void)path;
	nanosleep(&delay, NULL);
	fprintf(log_file, "read %lld %zu\n", (long long)offset, size);
	hold("hold-read");
	return n < 0 ? -errno : (int)n;
}

static int mirror_flush(const char *path, struct fuse_file_info *info)
{
	(void)path, (void)info;
	if (strcmp(mode, "hold-close") == 0)
		fputs("flush\n", log_file);
	hold("hold-close");
	return 0;
}

static int mirror_release(const char *path, struct fuse_file_info *info)
{
	(void)path;
	return close((int)info->fh) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	static const struct fuse_operations operations = {
		.init = mirror_init,
		.getattr = mirror_getattr,
		.readdir = mirror_readdir,
		.open = mirror_open,
		.read = mirror_read,
		.flush = mirror_flush,
		.release = mirror_release,
	};
	char foreground[] = "-f", option[] = "-oallow_other,default_permissions";
	char *arguments[] = {argv[0], foreground, option, argv[2], NULL};

	if (argc != 5)
		return 2;
	folder = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	log_file = fopen(argv[3], "ae");
	if (folder < 0 || !log_file || asprintf(&held, "%s.held", argv[3]) < 0)
		return 1;
	setvbuf(log_file, NULL, _IOLBF, 0);
	mode = argv[4];
	return fuse_main(4, arguments, &operations, NULL);
}
