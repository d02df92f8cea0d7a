/* SPDX-License-Identifier: MIT */
/*
 * followed WAY FILE [PROGRAM [ARGUMENT…]]: touches page 100 of FILE, which has 256 pages and more, in one of many ways. Exit
 * status 0 if that worked. PROGRAM is executed afterwards where the way is to execute one.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   ((size_t)sysconf(_SC_PAGESIZE))
#define OFFSET ((off_t)(100 * PAGE))
#define SIZE   (256 * PAGE)

static const char *file;
static char **program;
static char buffer[100];

static int open_file(void)
{
	int fd = open(file, O_RDONLY);

	if (fd < 0)
		exit(10);
	return fd;
}

static volatile char *map(int protection)
{
	int fd = open_file();
	volatile char *at = mmap(NULL, SIZE, protection, MAP_PRIVATE, fd, 0);

	close(fd);
	if (at == MAP_FAILED)
		exit(11);
	return at;
}

static volatile char *touch(void)
{
	volatile char *at = map(PROT_READ);

	buffer[0] = at[OFFSET];
	return at;
}

static int way_mapped(void)
{
	touch();
	return 0;
}

/* A page that is only written is no page of the file any more. */
static int way_written(void)
{
	map(PROT_READ | PROT_WRITE)[OFFSET] = 1;
	return 0;
}

static int way_unmapped(void)
{
	return munmap((void *)touch(), SIZE);
}

static int way_mapped_over(void)
{
	return mmap((void *)touch(), SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		MAP_FAILED;
}

static int way_moved(void)
{
	void *at = mremap((void *)touch(), SIZE, 2 * SIZE, MREMAP_MAYMOVE);

	return at == MAP_FAILED || munmap(at, 2 * SIZE) < 0;
}

/* Where something else was mapped before. */
static int way_mapped_again(void)
{
	volatile char *before = map(PROT_READ);

	return munmap((void *)before, SIZE) < 0 || touch() != before;
}

static int way_moved_before(void)
{
	volatile char *from = map(PROT_READ);
	char *to = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char *at = mremap((void *)from, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to);

	if (at == MAP_FAILED)
		return 1;
	buffer[0] = at[OFFSET];
	return 0;
}

/* Two mappings at once, which kernels before 6.17 refuse. */
static int way_moved_together(void)
{
	char *from = (char *)map(PROT_READ),
	     *to = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mprotect(from, SIZE / 2, PROT_READ | PROT_EXEC) < 0)
		return 1;
	if (mremap(from, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
		return 1;
	buffer[0] = to[OFFSET];
	return 0;
}

static int way_protected(void)
{
	volatile char *at = map(PROT_NONE);

	if (mprotect((void *)at, SIZE, PROT_READ) < 0)
		return 1;
	buffer[0] = at[OFFSET];
	return 0;
}

/* The program has a userfaultfd of its own. */
static int way_own_faults(void)
{
	struct uffdio_api api = {
		.api = UFFD_API, .features = 1 << 15}; /* asynchronous write protection: Linux 6.7 */
	struct uffdio_register memory = {.mode = UFFDIO_REGISTER_MODE_WP};
	int fd;

	memory.range.start = (uintptr_t)map(PROT_READ);
	memory.range.len = SIZE;
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* in user mode only: Linux 5.11 */);
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &memory) < 0)
		return 1;
	buffer[0] = ((volatile char *)(uintptr_t)memory.range.start)[OFFSET];
	return 0;
}

/* Below everything else in memory there is a mapping of the whole file PROGRAM, which has 1 TiB. */
static int way_beside_large(void)
{
	int fd = open(program[0], O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	void *at = mmap((void *)(1ull << 40), (size_t)size, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);

	return at == MAP_FAILED || (volatile char *)at > touch();
}

static int way_pread(void)
{
	return pread(open_file(), buffer, sizeof(buffer), OFFSET) != sizeof(buffer);
}

static char path[4096] __attribute__((aligned(4096)));

static void *serve_path(void *argument)
{
	struct uffd_msg message;
	int fd = *(int *)argument;
	struct uffdio_copy copy = {.src = (uintptr_t)path, .len = sizeof(path)};

	if (read(fd, &message, sizeof(message)) != sizeof(message))
		_exit(12);
	copy.dst = message.arg.pagefault.address / sizeof(path) * sizeof(path);
	return ioctl(fd, UFFDIO_COPY, &copy) < 0 ? argument : NULL;
}

/* The kernel gets the name of a file from a page that another thread has to provide: PROGRAM, if given, is /dev/userfaultfd. */
static int way_served_memory(void)
{
	struct uffdio_register memory = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_api api = {.api = UFFD_API};
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *failed;
	pthread_t thread;
	int fd = program[0] ? ioctl(open(program[0], O_RDWR), _IO(UFFDIO, 0), O_CLOEXEC)
			    : (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	memory.range.start = (uintptr_t)page;
	memory.range.len = 4096;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &memory) < 0)
		return 77;
	snprintf(path, sizeof(path), "%s", file);
	if (pthread_create(&thread, NULL, serve_path, &fd) != 0)
		return 1;
	file = page;
	return way_pread() || pthread_join(thread, &failed) != 0 || failed;
}

/* The program touches 16 pages of its own before its first call that says anything. */
static const char pages[32 * 4096] __attribute__((aligned(4096))) = {1};

static int way_early(void)
{
	for (size_t at = 0; at < sizeof(pages); at += 8192)
		buffer[0] += ((volatile const char *)pages)[at];
	return way_pread();
}

static int way_read(void)
{
	int fd = open_file();

	return lseek(fd, OFFSET, SEEK_SET) != OFFSET || read(fd, buffer, sizeof(buffer)) != sizeof(buffer);
}

static struct iovec halves[2] = {{buffer, 50}, {buffer + 50, 50}};

static int way_readv(void)
{
	int fd = open_file();

	return lseek(fd, OFFSET, SEEK_SET) != OFFSET || readv(fd, halves, 2) != sizeof(buffer);
}

static int way_preadv(void)
{
	return preadv(open_file(), halves, 2, OFFSET) != sizeof(buffer);
}

static int way_sendfile(void)
{
	int ends[2];
	off_t from = OFFSET;

	return pipe(ends) < 0 || sendfile(ends[1], open_file(), &from, 100) != 100;
}

static int way_splice(void)
{
	int ends[2];
	off_t from = OFFSET;

	return pipe(ends) < 0 || splice(open_file(), &from, ends[1], NULL, 100, 0) != 100;
}

static int way_relative(void)
{
	char *slash = strrchr(file, '/');

	*slash = 0;
	if (chdir(file) < 0)
		return 1;
	file = slash + 1;
	return way_pread();
}

static int way_without_descriptors(void)
{
	if (syscall(SYS_close_range, 0, ~0u, 0) < 0)
		return 1;
	return way_pread();
}

static void *in_thread(void *unused)
{
	way_mapped();
	return unused;
}

static int way_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, in_thread, NULL) != 0 || pthread_join(thread, NULL) != 0;
}

static int await(pid_t child)
{
	int status;

	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

/* A child touches what its parent has mapped. */
static int way_fork(void)
{
	volatile char *at = map(PROT_READ);
	pid_t child = fork();

	if (child == 0) {
		buffer[0] = at[OFFSET];
		_exit(0);
	}
	return await(child);
}

static int way_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		buffer[0] = (char)way_pread();
		_exit(buffer[0]);
	}
	return await(child);
}

static int way_exec(void)
{
	touch();
	execv(program[0], program);
	return 1;
}

/* This program again, by a name that means another one to each process: it goes on with the way PROGRAM. */
static int way_exec_self(void)
{
	char *const again[] = {"followed", program[0], (char *)file, NULL};

	execv(program[1], again);
	return 1;
}

static void *execute(void *unused)
{
	way_exec();
	return unused;
}

/* By another thread than the first. */
static int way_exec_of_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, execute, NULL) != 0)
		return 1;
	for (;;)
		pause();
}

/* Job control: the child stops and is continued. */
static int way_stopped(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		raise(SIGSTOP);
		_exit(way_pread());
	}
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status) || kill(child, SIGCONT) < 0)
		return 1;
	return await(child);
}

/* The first free descriptor is that which it would be anyhow. */
static int way_lowest(void)
{
	return open_file() != 3;
}

static void take_signal(int number)
{
	(void)!write(-1, &number, sizeof(number));
}

/*
 * Each second child executes PROGRAM, the others have a handler. All get signals all the time from their very beginning, and half of them
 * stop and go on.
 */
static int way_signalled(void)
{
	int status = 0;

	signal(SIGWINCH, take_signal);
	for (int i = 0; i < 40 && status == 0; i++) {
		pid_t child = fork(), ended;

		if (child == 0 && i % 2)
			_exit(way_lowest());
		if (child == 0) {
			execv(program[0], program);
			_exit(1);
		}
		while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
			kill(child, SIGWINCH);
			if (i % 4 < 2)
				kill(child, SIGSTOP);
			kill(child, SIGCONT);
			usleep(100); /* or it would hardly come to anything */
		}
		if (ended != child)
			return 1;
	}
	return status != 0;
}

/* PROGRAM runs with a filter of its own, which ends it if it makes a userfaultfd. */
static int way_filtered(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {.len = sizeof(code) / sizeof(*code), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		return 1;
	execv(program[0], program);
	return 1;
}

static int way_killed(void)
{
	touch();
	return raise(SIGSEGV);
}

/* The recorder sees that there is a ring, not what is read by it. */
static int way_uring(void)
{
	struct io_uring_params parameters = {0};

	return syscall(SYS_io_uring_setup, 4, &parameters) < 0 ? 77 : way_pread();
}

/* A program that nobody may look into. */
static int way_hidden(void)
{
	return syscall(SYS_prctl, 4 /* PR_SET_DUMPABLE */, 0, 0, 0, 0) < 0 || way_mapped();
}

static const struct {
	const char *name;
	int (*touch)(void);
} ways[] = {
	{"mapped", way_mapped},
	{"written", way_written},
	{"unmapped", way_unmapped},
	{"mapped-over", way_mapped_over},
	{"moved", way_moved},
	{"mapped-again", way_mapped_again},
	{"moved-before", way_moved_before},
	{"moved-together", way_moved_together},
	{"protected", way_protected},
	{"own-faults", way_own_faults},
	{"served-memory", way_served_memory},
	{"early", way_early},
	{"beside-large", way_beside_large},
	{"pread", way_pread},
	{"read", way_read},
	{"readv", way_readv},
	{"preadv", way_preadv},
	{"sendfile", way_sendfile},
	{"splice", way_splice},
	{"relative", way_relative},
	{"without-descriptors", way_without_descriptors},
	{"thread", way_thread},
	{"fork", way_fork},
	{"vfork", way_vfork},
	{"exec", way_exec},
	{"exec-self", way_exec_self},
	{"exec-of-thread", way_exec_of_thread},
	{"stopped", way_stopped},
	{"signalled", way_signalled},
	{"lowest", way_lowest},
	{"filtered", way_filtered},
	{"killed", way_killed},
	{"uring", way_uring},
	{"hidden", way_hidden},
};

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	file = argv[2];
	program = argv + 3;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			return ways[i].touch();
	return 2;
}
