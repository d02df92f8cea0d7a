/* SPDX-License-Identifier: MIT */
/* Runs programs without a text in /etc/ld.so.preload, and with it. */
#include "setup/system/battery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process.h"
#include "base/run/search.h"
#include "base/strings.h"
#include "setup/system/battery-programs.h"
#include "setup/system/namespace.h"

#define TIMEOUT_MS     60000      /* for one program */
#define OUTPUT_MAX     (1u << 20) /* bytes of a program's output that are compared */
#define TRIALS_MAX     96
#define EXCERPT        160 /* bytes of output that a message about a difference quotes */
#define DIFFERENCE_MAX 4096

static const char *const environment[] = {
	"PATH=" SEARCH_DEFAULT, "HOME=/", "LC_ALL=C", "TERM=dumb", "DEBUGINFOD_URLS=", NULL};

/* One program, and what it did without our text. */
struct trial {
	char path[PATH_MAX];
	const char *argv[BATTERY_ARGUMENTS + 1];
	bool as_nobody;
	bool must_load; /* its output, the loader's list of objects, must name the library */
	bool endless;   /* it does not end on this machine, with or without our text */
	struct process_result before;
};

struct trials {
	struct trial *items; /* owned */
	size_t count;
};

static void trials_release(struct trials *trials)
{
	for (size_t i = 0; i < trials->count; i++)
		process_result_release(&trials->items[i].before);
	free(trials->items);
}

static bool find_program(const char *name, char path[PATH_MAX])
{
	if (!strchr(name, '/'))
		return search_folders(SEARCH_DEFAULT, name, search_check_executable, NULL, path) == 0;
	snprintf(path, PATH_MAX, "%s", name);
	return search_check_executable(NULL, path) == 0;
}

static struct trial *add_trial(struct trials *trials, const char *program)
{
	struct trial *trial = &trials->items[trials->count];

	if (trials->count == TRIALS_MAX || !find_program(program, trial->path))
		return NULL;
	trials->count++;
	return trial;
}

static void add_command(struct trials *trials, const struct battery_program *program)
{
	struct trial *trial = add_trial(trials, program->argv[0]);

	if (!trial)
		return;
	for (size_t i = 1; i < BATTERY_ARGUMENTS && program->argv[i]; i++)
		trial->argv[i] = program->argv[i];
	trial->argv[0] = trial->path;
	trial->as_nobody = program->as_nobody;
}

/* Adds libc.so.6, which is a program too, and the only one of its kind that certainly exists. */
static void add_loader(struct trials *trials, const struct loader *loader)
{
	static const char *const roots[] = {"", "/usr"};

	for (size_t i = 0; loader->lib && i < 2; i++) {
		char path[PATH_MAX];
		struct trial *trial;

		snprintf(path, sizeof(path), "%s/%s/libc.so.6", roots[i], loader->lib);
		trial = add_trial(trials, path);
		if (!trial)
			continue;
		trial->argv[0] = trial->path;
		trial = add_trial(trials, loader->path);
		if (!trial)
			return;
		trial->argv[0] = trial->path;
		trial->argv[1] = "--list";
		trial->argv[2] = trial[-1].path;
		trial->must_load = true;
		return;
	}
}

static int list_trials(
	const struct loader *loaders, size_t n_loaders, const char *self_test, struct trials *ret)
{
	struct trials trials = {.items = calloc(TRIALS_MAX, sizeof(*trials.items))};
	struct trial *trial;

	if (!trials.items)
		return -ENOMEM;
	for (size_t i = 0; i < n_loaders; i++)
		add_loader(&trials, &loaders[i]);
	trial = self_test ? add_trial(&trials, self_test) : NULL;
	if (trial)
		trial->argv[0] = trial->path;
	for (const struct battery_program *program = battery_programs; program->argv[0]; program++)
		add_command(&trials, program);
	*ret = trials;
	return 0;
}

static int run_trial(const struct trial *trial, struct process_result *ret)
{
	const struct process_options options = {.argv = trial->argv,
		.envp = environment,
		.timeout_ms = TIMEOUT_MS,
		.output_max = OUTPUT_MAX,
		.as_nobody = trial->as_nobody};

	return process_run(&options, ret);
}

/* The first line of a text, without control characters, for a message. */
static void print_excerpt(FILE *out, const char *text)
{
	fputs("\"", out);
	for (size_t i = 0; i < EXCERPT && text[i] && text[i] != '\n'; i++)
		putc((unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i], out);
	fputs("\"", out);
}

static void print_command(FILE *out, const struct trial *trial)
{
	putc('\'', out);
	for (size_t i = 0; trial->argv[i]; i++)
		fprintf(out, "%s%.*s", i ? " " : "", (int)strcspn(trial->argv[i], "\n"), trial->argv[i]);
	putc('\'', out);
}

static void print_status(FILE *out, int status)
{
	if (WIFSIGNALED(status))
		fprintf(out, "is ended by signal %d", WTERMSIG(status));
	else
		fprintf(out, "exits with status %d", WEXITSTATUS(status));
}

/* Finds the first lines in which two texts differ. */
static void print_change(FILE *out, const char *before, const char *after)
{
	while (*before && *before == *after && strchr(before, '\n')) {
		size_t a = strcspn(before, "\n"), b = strcspn(after, "\n");

		if (a != b || memcmp(before, after, a) != 0 || !before[a] || !after[b])
			break;
		before += a + 1;
		after += b + 1;
	}
	print_excerpt(out, after);
	fputs(" and not ", out);
	print_excerpt(out, before);
}

static bool same_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
	return a_size == b_size && memcmp(a, b, a_size) == 0;
}

static bool same_result(const struct process_result *a, const struct process_result *b)
{
	return a->status == b->status && same_bytes(a->out, a->out_size, b->out, b->out_size) &&
		same_bytes(a->err, a->err_size, b->err, b->err_size);
}

/* Says what differs. Prints nothing if all is the same. */
static void compare(FILE *out, const struct battery *battery, const struct trial *trial,
	const struct process_result *after)
{
	const struct process_result *before = &trial->before;

	if (trial->must_load) {
		if (battery->library && !strstr(after->out, battery->library)) {
			fputs("with the new line, ", out);
			print_command(out, trial);
			fputs(" does not load it: ", out);
			print_excerpt(out, after->err_size ? after->err : after->out);
		}
		return;
	}
	if (same_result(before, after))
		return;
	fputs("with the new line, ", out);
	print_command(out, trial);
	if (before->status != after->status) {
		putc(' ', out);
		print_status(out, after->status);
		fputs(", without it ", out);
		print_status(out, before->status);
		if (after->err_size) {
			fputs("; it says ", out);
			print_excerpt(out, after->err);
		}
	} else if (!same_bytes(before->err, before->err_size, after->err, after->err_size)) {
		fputs(" says on standard error ", out);
		print_change(out, before->err, after->err);
	} else {
		fputs(" prints ", out);
		print_change(out, before->out, after->out);
	}
}

static void tell_progress(const struct battery *battery, const struct trials *trials, size_t i, bool second)
{
	if (battery->progress)
		battery->progress(battery->context, trials->items[i].path, i + (second ? trials->count : 0),
			2 * trials->count);
}

/* Runs each program on the machine as it is. *ret_difference names a preloaded library that already fails. */
static int run_before(const struct battery *battery, struct trials *trials, char **ret_difference)
{
	for (size_t i = 0; i < trials->count; i++) {
		struct trial *trial = &trials->items[i];
		int r;

		tell_progress(battery, trials, i, false);
		r = run_trial(trial, &trial->before);
		trial->endless = r == -ETIME;
		if (trial->endless)
			continue;
		if (r < 0)
			return r;
		if (strstr(trial->before.err, "ld.so: object ") &&
			asprintf(ret_difference, "already, without the new line, '%s' says: %.*s",
				trial->path, (int)strcspn(trial->before.err, "\n"), trial->before.err) < 0)
			return -ENOMEM;
		if (*ret_difference)
			return 0;
	}
	return 0;
}

/* Makes the file seem to exist, by an overlayfs on its folder with the upper layer in the private /tmp. */
static int overlay_folder(void)
{
	if (mkdir("/tmp/upper", 0755) < 0 || mkdir("/tmp/work", 0755) < 0)
		return -errno;
	if (rename("/tmp/ld.so.preload", "/tmp/upper/ld.so.preload") < 0)
		return -errno;
	if (mount("headstart", "/etc", "overlay", MS_NODEV,
		    "lowerdir=/etc,upperdir=/tmp/upper,workdir=/tmp/work") < 0)
		return errno == ENODEV ? -EOPNOTSUPP : -errno;
	return 0;
}

/* Replaces the file by the text, and /tmp by an empty one, for this process and its children only. */
static int enter_namespace(const struct battery *battery)
{
	_cleanup_close_ int fd = -1;
	int r;

	r = namespace_enter();
	if (r < 0)
		return r;
	if (mount("headstart", "/tmp", "tmpfs", MS_NODEV, "mode=1777") < 0)
		return -errno;
	fd = open("/tmp/ld.so.preload", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	r = write_full(fd, battery->text, battery->size);
	if (r < 0)
		return r;
	/* Users' programs are tried too, so everybody can read this, whatever the file's own mode: that may change. */
	if (fchmod(fd, 0644) < 0)
		return -errno;
	if (!battery->before->exists)
		return overlay_folder();
	return mount("/tmp/ld.so.preload", PRELOAD_FILE, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

/* What a child found: which trial differed, and a sentence on the difference. */
struct finding {
	size_t trial;
	char text[DIFFERENCE_MAX]; /* "" if all trials did the same */
};

static int run_after(
	const struct battery *battery, const struct trials *trials, size_t first, struct finding *found)
{
	_cleanup_fclose_ FILE *out = fmemopen(found->text, sizeof(found->text) - 1, "w");
	int r = out ? enter_namespace(battery) : -ENOMEM;

	for (size_t i = first; r == 0 && i < trials->count; i++) {
		_cleanup_(process_result_releasep) struct process_result after = {0};

		if (trials->items[i].endless)
			continue;
		tell_progress(battery, trials, i, true);
		r = run_trial(&trials->items[i], &after);
		if (r == -ETIME) {
			fputs("with the new line, ", out);
			print_command(out, &trials->items[i]);
			fputs(" does not end", out);
			r = 0;
		} else if (r == 0) {
			compare(out, battery, &trials->items[i], &after);
		}
		found->trial = i;
		if (ftell(out) > 0)
			break;
	}
	return r;
}

/* Runs in a child, whose namespace ends with it. *found is memory that it shares. Returns 0 or negative errno. */
static int run_apart(
	const struct battery *battery, const struct trials *trials, size_t first, struct finding *found)
{
	pid_t parent = getpid(), child = fork();
	int status;

	if (child < 0)
		return -errno;
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(getppid() == parent ? -run_after(battery, trials, first, found) : ESRCH);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFEXITED(status))
		return -EINTR;
	return -WEXITSTATUS(status);
}

/* Whether the program does something different the second time even without our text, so that it proves nothing. */
static bool varies(const struct trial *trial)
{
	_cleanup_(process_result_releasep) struct process_result again = {0};

	return !trial->must_load && run_trial(trial, &again) == 0 && !same_result(&trial->before, &again);
}

static int run_all_after(const struct battery *battery, const struct trials *trials, char **ret_difference)
{
	struct finding *found =
		mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int r = 0;

	if (found == MAP_FAILED)
		return -errno;
	for (size_t first = 0; first < trials->count; first = found->trial + 1) {
		memset(found, 0, sizeof(*found));
		r = run_apart(battery, trials, first, found);
		if (r < 0 || !found->text[0])
			break;
		if (varies(&trials->items[found->trial]))
			continue;
		*ret_difference = strdup(found->text);
		r = *ret_difference ? 0 : -ENOMEM;
		break;
	}
	munmap(found, sizeof(*found));
	return r;
}

int battery_run(const struct battery *battery, size_t *ret_tried, char **ret_difference)
{
	_cleanup_(trials_release) struct trials trials = {0};
	char *difference = NULL;
	int r = list_trials(battery->loaders, battery->n_loaders, battery->self_test, &trials);

	if (r == 0)
		r = run_before(battery, &trials, &difference);
	if (r == 0 && !difference)
		r = run_all_after(battery, &trials, &difference);
	if (r < 0)
		return r;
	*ret_tried = trials.count;
	*ret_difference = difference;
	return 0;
}

bool battery_machine_works(const struct loader *loaders, size_t n_loaders)
{
	_cleanup_(trials_release) struct trials trials = {0};
	size_t first = 2 * n_loaders + 2; /* each kind of program, `true`, and a shell */

	if (list_trials(loaders, n_loaders, NULL, &trials) < 0)
		return false;
	for (size_t i = 0; i < trials.count && i < first; i++) {
		struct process_result *done = &trials.items[i].before;

		if (run_trial(&trials.items[i], done) < 0 || WIFSIGNALED(done->status) ||
			WEXITSTATUS(done->status) == 127 || done->err_size > 0)
			return false;
	}
	return true;
}
