/* SPDX-License-Identifier: MIT */
/*
 * headstart-keep: keeps for a user what headstartd has seen of a start of that user, in the user's own folder, as a learnt profile and
 * a plan; or becomes the prefetcher of the user's own plan. headstartd knows the names of the user's files from the kernel. Only this
 * process, which is the user's, opens them.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/ioprio.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "headstartd/carry/prefetcher.h"
#include "headstartd/helpers/beside.h"
#include "keeper/own-plan.h"
#include "keeper/room.h"
#include "keeper/start.h"
#include "lib/programs/keep-request.h"
#include "lib/settings/settings.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/recordings.h"
#include "verb.h"

#define SENT      3           /* the descriptor of what headstartd has sent */
#define FILE_SIZE (64u << 20) /* bytes: what a user may have in all */

static const char usage[] =
	"usage: headstart-keep <>SOCKET\n"
	"Keeps for a user the part of a start that only this user may know, or carries out the user's own plan, as headstartd(8)\n"
	"asks on the connection that is standard input. It runs as root, and becomes that user before it does anything else.\n";

/*
 * With no supplementary group, no capability, no environment and no key of root's, and no descriptor but the standard ones and what was
 * sent; and so that the user cannot trace it. Nobody is asked who the user is.
 */
static int become(uid_t user, gid_t group, int sent)
{
	uid_t real, effective, saved;

	if (dup2(sent, SENT) < 0 || syscall(SYS_close_range, SENT + 1, ~0u, 0) < 0 ||
		setgroups(0, NULL) < 0 || setresgid(group, group, group) < 0 ||
		setresuid(user, user, user) < 0)
		return -errno;
	if (getresuid(&real, &effective, &saved) < 0 || real != user || effective != user || saved != user)
		return -EPERM;
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
	prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
	umask(077);
	return chdir("/") < 0 || clearenv() != 0 ? -EIO : 0;
}

/* The disk, the processor and the user's folders are needed for other things. */
static void set_limits(void)
{
	const struct rlimit time = {.rlim_cur = KEEP_S, .rlim_max = KEEP_S};
	const struct rlimit size = {.rlim_cur = FILE_SIZE, .rlim_max = FILE_SIZE};
	const struct rlimit core = {0};

	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_FSIZE, &size);
	setrlimit(RLIMIT_CORE, &core);
	setpriority(PRIO_PROCESS, 0, 19);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7));
}

/* A user without a home of their own has no place for plans. May wait for who answers for names of users, and for the home. */
static int find_home(void)
{
	const struct passwd *user = getpwuid(getuid());
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!user || user->pw_dir[0] != '/')
		return -ENOENT;
	fd = open(user->pw_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_uid != getuid())
		return -EPERM;
	return setenv("HOME", user->pw_dir, 1) < 0 ? -errno : 0;
}

/* What was sent, if it is what headstartd writes: two learnt profiles. */
static int read_profiles(struct recordings *ret)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	_cleanup_free_ char *data = NULL;
	size_t size;
	int r = read_to_end(SENT, PROFILE_MAX_SIZE, &data, &size);

	if (r < 0)
		return r;
	if (recordings_parse(data, size, &recordings) != PROFILE_GOOD)
		return -EBADMSG;
	if (recordings.n != 2 || !recordings_all_learnt(&recordings) ||
		recordings.items[0].page_size != (uint32_t)sysconf(_SC_PAGESIZE))
		return -EINVAL;
	*ret = recordings;
	recordings = (struct recordings){0};
	return 0;
}

/* Returns 0, or an exit status after printing the reason. */
static int keep(uint32_t found, enum keep_answer *ret)
{
	struct recordings both = {0}; /* goes with the process */
	int r;

	set_limits();
	r = read_profiles(&both);
	if (r < 0)
		return verb_fail_errno(r, "cannot use the profiles that were sent");
	if (!settings_permit(both.items[0].program, true).learn)
		return 0;
	r = start_keep(&both.items[0], &both.items[1], found);
	if (r < 0 && r != -EEXIST)
		return verb_fail_errno(r, "cannot keep the start");
	*ret = KEEP_HAS;
	room_make();
	return 0;
}

/* The two texts that were sent. They go with the process. */
static int read_start(uint32_t pid, struct own_start *ret)
{
	char *texts;
	size_t size, n;
	int r = read_to_end(SENT, 2 * PATH_MAX, &texts, &size);

	if (r < 0)
		return r;
	n = strnlen(texts, size) + 1;
	if (n >= size || strnlen(texts + n, size - n) + n + 1 != size || pid > INT32_MAX)
		return -EBADMSG;
	*ret = (struct own_start){.pid = (int32_t)pid, .program = texts, .executed = texts + n};
	return 0;
}

/* The connection stays the standard input of the prefetcher, so that it ends with it. Then systemd ends what is left of the service. */
static int carry(uint32_t pid, enum keep_answer *ret)
{
	char prefetcher[PATH_MAX];
	struct own_start start;
	bool begin = false;
	int r = read_start(pid, &start);

	if (r < 0)
		return verb_fail_errno(r, "cannot use the start that was sent");
	beside_find("headstart-prefetch", prefetcher);
	*ret = own_plan_prepare(&start, &begin) == -ENOENT ? KEEP_NONE : KEEP_HAS;
	if (begin) {
		keep_answer(STDIN_FILENO, KEEP_HAS);
		prefetcher_become(prefetcher, true);
	}
	return 0;
}

/* *ret: what is to be answered. Returns 0, or an exit status after printing the reason. */
static int serve(const struct keep_request *request, int sent, enum keep_answer *ret)
{
	int r = become(request->user, request->group, sent);

	if (r < 0)
		return verb_fail_errno(r, "cannot become the user '%" PRIu32 "'", request->user);
	r = find_home();
	if (r < 0)
		return verb_fail_errno(r, "this user has no home");
	return request->kind == KEEP_CARRY ? carry(request->number, ret) : keep(request->number, ret);
}

static bool is_known(const struct keep_request *request)
{
	return (request->kind == KEEP_LEARNT || request->kind == KEEP_CARRY) && request->user != 0 &&
		request->user != UINT32_MAX && request->group != UINT32_MAX;
}

int main(int argc, char **argv)
{
	struct keep_request request;
	enum keep_answer answer = KEEP_ENDED;
	int sent, r;

	(void)argv;
	alarm(KEEP_S);
	r = argc == 1 ? keep_asked(STDIN_FILENO, &request, &sent) : -ENOTSOCK;
	if (r == -ENOTSOCK) {
		fputs(usage, stderr);
		return VERB_USAGE;
	}
	if (r == 0 && !is_known(&request))
		r = -EINVAL;
	if (r < 0)
		return verb_fail_errno(r, "cannot use what standard input asks for");
	keep_answer(STDIN_FILENO, KEEP_BEGUN);
	r = serve(&request, sent, &answer);
	keep_answer(STDIN_FILENO, answer);
	return r;
}
