/* SPDX-License-Identifier: MIT */
/*
 * Plan mode. One open finds the plan (its name is derived from the program's path), one pread brings its
 * header and probes, the probes tell a warm start from a cold one; what follows in the plan is the
 * prefetcher's business.
 *
 * Nothing is mapped: a mapping of a file that somebody truncates is a SIGBUS in the program.
 */
#include "plan.h"

#include "resident.h"
#include "shim.h"
#include "spawn.h"

#include "format/plan.h"
#include "format/state-folder.h"

#define PLAN_READAHEAD (128 << 10) /* bytes */

#define WAIT_MS     10000 /* a prefetcher that takes longer is stuck, or of little use */
#define PROBES_READ 8     /* of the plan's 16 at most: 1.5 microseconds each, and one cold page is enough */

struct plan {
	int fd;
	_Alignas(8) char head[PLAN_HEAD_MAX];
};

/* Whether no component of an absolute path is a symbolic link or "..", told with nothing but open(2). */
static bool path_is_canonical(const char *path)
{
	/* Not waiting for what may have taken the program's place meanwhile: a FIFO, a terminal. */
	const int last = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	char prefix[SHIM_PATH_MAX];

	if (path[0] != '/')
		return false;
	for (size_t i = 0; path[i]; i++) {
		bool ends = path[i + 1] == '/' || !path[i + 1];
		int fd;

		prefix[i] = path[i];
		if (path[i] == '/' && (ends || path[i + 1] == '.'))
			return false;
		if (!ends)
			continue;
		prefix[i + 1] = '\0';
		fd = sys_open(prefix, path[i + 1] ? O_PATH | O_DIRECTORY | O_NOFOLLOW : last);
		if (fd < 0)
			return false;
		sys_close(fd);
	}
	return true;
}

/*
 * /bin and /sbin, where they are links, lead to their namesakes in /usr (file-hierarchy(7)). Taking that for
 * granted saves the most usual paths the /proc entry; were it wrong on some system, a plan there would not be
 * found.
 */
static bool path_in_merged_folder(const char *path)
{
	return shim_begins(path, "/bin/") || shim_begins(path, "/sbin/");
}

/* Whether the prefix and the program's path make a canonical path; then that is in `path`. */
static bool path_try(char path[SHIM_PATH_MAX], const char *prefix)
{
	struct shim_text text = shim_text(path, SHIM_PATH_MAX);

	shim_text_add(&text, prefix);
	shim_text_add(&text, shim_start.program);
	return !text.overflow && path_is_canonical(path);
}

/* The program's path without symbolic links, as the tools see it. */
static bool program_path(char path[SHIM_PATH_MAX])
{
	struct shim_text text;
	char link[40];
	long length;
	int fd;

	if (path_try(path, "") || (path_in_merged_folder(shim_start.program) && path_try(path, "/usr")))
		return true;
	if (!shim_unfiltered())
		return false;
	fd = sys_open(shim_start.program, O_PATH);
	if (fd < 0)
		return false;
	text = shim_text(link, sizeof(link));
	shim_text_add(&text, "/proc/self/fd/");
	shim_text_add_number(&text, (uint64_t)fd);
	length = sys_readlink(link, path, SHIM_PATH_MAX);
	sys_close(fd);
	if (length <= 0 || length >= SHIM_PATH_MAX || path[0] != '/')
		return false;
	path[length] = '\0';
	return true;
}

/* Opens the plan at `path`; plan->fd is the caller's if it returns true. */
static bool plan_open(struct plan *plan, const char *path)
{
	struct stat status;
	long size;
	int fd = sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return false;
	if (shim_unfiltered() && sys_fstat(fd, &status) == 0 &&
		state_file_trusted(status.st_uid, status.st_mode, shim_start.uid)) {
		/* All of it at once: the prefetcher needs the rest in a moment, and another read would be another seek. */
		raw_syscall(__NR_readahead, fd, 0, PLAN_READAHEAD, 0, 0, 0);
		size = sys_pread(fd, plan->head, sizeof(plan->head), 0);
		if (size > 0 && plan_head_check(plan->head, (size_t)size)) {
			plan->fd = fd;
			return true;
		}
	}
	sys_close(fd);
	return false;
}

static bool plan_find(struct plan *plan, const char *program)
{
	const struct state_environment environment = {
		.state = shim_environment("HEADSTART_STATE"),
		.xdg_state_home = shim_environment("XDG_STATE_HOME"),
		.home = shim_environment("HOME"),
		.root = shim_start.uid == 0,
	};
	char path[SHIM_PATH_MAX];

	for (unsigned int n = 0; n < STATE_FOLDERS_MAX; n++)
		if (state_file(&environment, n, STATE_PLAN_SUFFIX, program, path, sizeof(path)) &&
			plan_open(plan, path))
			return true;
	return false;
}

static bool plan_is_cold(const struct plan *plan)
{
	const struct plan_header *header = (const struct plan_header *)plan->head;
	const struct plan_probe *probes = plan_head_probes(plan->head);
	uint32_t count = LE32(header->probe_count);
	uint32_t step = (count + PROBES_READ - 1) / PROBES_READ;

	for (uint32_t i = 0; i < count; i += step)
		if (resident_at(plan->head + LE16(probes[i].path),
			    (uint64_t)LE32(probes[i].page) * LE32(header->page_size)) == RESIDENT_NO)
			return true;
	return false;
}

/*
 * The program goes on at once, unless the plan is in physical order (for a rotational disk): then its thread
 * sleeps until the plan is carried out, as under 'headstart run'. It would sleep in page faults otherwise, and
 * longer, for the reads of the two send the head to and fro (ARCHITECTURE.md, "When the program is started").
 */
static bool plan_start(const struct plan *plan)
{
	const struct plan_header *header = (const struct plan_header *)plan->head;
	const char *const waited[] = {"headstart-prefetch", "--fd", "3", NULL};
	const char *const alongside[] = {"headstart-prefetch", "--alongside", "--fd", "3", NULL};
	const char *wait = shim_environment("HEADSTART_WAIT");

	if (LE32(header->order) == PLAN_ORDER_PHYSICAL && !(wait && shim_equal(wait, "0")))
		return spawn_prefetcher_and_wait(plan->fd, waited, WAIT_MS);
	return spawn_prefetcher(plan->fd, alongside);
}

bool plan_serve(void)
{
	char path[SHIM_PATH_MAX];
	struct plan plan;

	if (!program_path(path) || !plan_find(&plan, path))
		return false;
	if (!plan_is_cold(&plan))
		shim_log(path, "plan=warm");
	else if (plan_start(&plan))
		shim_log(path, "plan=started");
	else
		shim_log(path, "plan=not-started");
	sys_close(plan.fd);
	return true;
}
