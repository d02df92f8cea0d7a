/* SPDX-License-Identifier: MIT */
#include "headstartd/carry/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "base/times.h"
#include "format/kill-switch.h"
#include "headstartd/carry/prefetcher.h"
#include "headstartd/helpers/beside.h"
#include "headstartd/helpers/child.h"
#include "lib/settings/settings.h"
#include "plan/asked/choose.h"
#include "prefetch/stale-mark.h"
#include "verb.h"

#define HELPERS_OF_USER 16 /* a user whose programs make helpers hang stops no other user's */
#define HELPER_S        10 /* seconds, until it becomes the prefetcher, which has a limit of its own */
#define LOOK_AGAIN_MS                                                                                        \
	1000 /* a program that a user executes a hundred times a second gets one helper a second */

int carry_init(struct carry *carry)
{
	int ends[2], r;

	*carry = (struct carry){.results = -1, .told = -1, .daemon = getpid()};
	r = store_of_process(&carry->store);
	if (r < 0)
		return r;
	beside_find("headstart-prefetch", carry->prefetcher);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	carry->told = ends[0];
	carry->results = ends[1];
	return 0;
}

static void helper_release(struct carry_helper *helper)
{
	free(helper->program);
	free(helper->executed);
	*helper = (struct carry_helper){0};
}

void carry_release(struct carry *carry)
{
	for (size_t i = 0; i < CARRY_HELPERS; i++)
		helper_release(&carry->helpers[i]);
	if (carry->results >= 0)
		close(carry->results);
	if (carry->told >= 0)
		close(carry->told);
}

/* Signs are no plans: the paths that we ask for are canonical. */
static bool plan_path(const struct carry *carry, const char *program, char ret[PATH_MAX])
{
	return state_file(&carry->store.environment, 0, STATE_PLAN_SUFFIX, program, ret, PATH_MAX);
}

static bool has_plan(const struct carry *carry, const char *program)
{
	char path[PATH_MAX];
	struct stat st;

	return plan_path(carry, program, path) && lstat(path, &st) == 0 &&
		state_file_trusted(st.st_uid, st.st_mode, 0);
}

/* All plans of the program are to be made anew (ahead/renew.h), whichever of them is broken. */
static void mark_broken(const struct carry *carry, const char *program, enum plan_fault fault)
{
	char path[PATH_MAX];

	if (fault != PLAN_NEWER && plan_path(carry, program, path))
		(void)plan_mark_stale(path);
}

/* Whether a helper has looked just now at a start of the program by this user; otherwise one will. Another user may switch it off. */
static bool was_looked_at(struct carry *carry, const char *program, uid_t user)
{
	uint64_t hash = checksum64(program, strlen(program)) ^ checksum64(&user, sizeof(user));
	struct carry_recent *recent = &carry->recent[hash % CARRY_RECENT];
	uint64_t now = monotonic_ms();

	if (recent->hash == hash && recent->until_ms > now)
		return true;
	*recent = (struct carry_recent){.hash = hash, .until_ms = now + LOOK_AGAIN_MS};
	return false;
}

static bool switched_off(const struct process_seen *seen, const char *program)
{
	return access(KILL_SWITCH, F_OK) == 0 || process_switched_off(seen->pid) ||
		!settings_permit(program, false).prefetch;
}

/*
 * The name of a plan has the key of its start, and everybody can list names. A file that only root can change, or a word such as a
 * subcommand, is no secret of the user; the text of a command may be, or what else counts (`also`), and others could test guesses at it.
 */
static bool is_no_secret(const struct asked *asked, uid_t user)
{
	return user == 0 || ((asked->role == 'f' || asked->role == 'w') && !asked->also);
}

/* Whether what a user's start asks for may show, or nothing is asked for. It was looked for with root's rights. */
static bool may_show(const struct asked *asked, uid_t user)
{
	struct stranger stranger;

	return !asked->text[0] ||
		(stranger_find(asked->text, &stranger) == 0 &&
			(user == 0 || !hidden_from_others(asked->text)));
}

/*
 * The key of the start; 0 if it is none that root can make a plan of (plan/publish.c), or that should not show. What root's containers call
 * their files says nothing of ours.
 */
static uint64_t key_of(const struct chosen_plan *chosen, const char *const *argv,
	const struct asked_place *place, uid_t user)
{
	bool here = place->root < 0;
	const char *rule = plan_head_rule(chosen->loaded.data);
	struct asked asked;

	if (LE64(chosen->loaded.view.header->asked))
		return LE64(chosen->loaded.view.header->asked);
	if (!rule || !argv || !asked_by_arguments_at(rule, argv, place, &asked) ||
		!is_no_secret(&asked, user) || !(here ? may_show(&asked, user) : user == 0))
		return 0;
	return asked.key;
}

/* Whose it is now: a process here may have become another user's since it was seen. */
static uid_t user_of(const struct process_seen *seen)
{
	return seen->here ? process_user(seen->pid) : seen->user;
}

/* Also fills in what is to be told of the start. */
static int choose(const struct carry *carry, const struct process_seen *seen, const char *program,
	struct chosen_plan *ret, struct carry_told *told)
{
	_cleanup_(process_place_release) struct asked_place place = ASKED_PLACE_HERE;
	char **arguments = NULL;
	int r;

	if (process_place(seen, user_of(seen), &place) == 0)
		(void)process_arguments(seen, program, &arguments);
	r = plan_choose_at(&carry->store, program, (const char *const *)arguments, &place, ret);
	if (r == 0 && ret->fault == PLAN_GOOD) {
		told->key = key_of(ret, (const char *const *)arguments, &place, user_of(seen));
		told->own_plan = LE64(ret->loaded.view.header->asked) != 0;
	}
	process_arguments_free(arguments);
	return r;
}

void carry_find_key(const struct carry *carry, const struct process_seen *seen, struct carry_told *ret)
{
	_cleanup_(chosen_plan_releasep) struct chosen_plan chosen = {0};

	(void)choose(carry, seen, seen->program, &chosen, ret);
}

void carry_tell(int results, const struct carry_told *told)
{
	(void)!write(results, told, sizeof(*told)); /* atomic: pipe(7) */
}

/* Becomes the prefetcher, or returns the reason why not. */
static enum carry_outcome help(const struct carry *carry, const struct process_seen *seen,
	const char *program, int results, struct carry_told *told)
{
	struct chosen_plan chosen = {0}; /* goes with the process */
	enum prefetcher_claim claim;

	if (switched_off(seen, program))
		return CARRY_OFF;
	if (!process_executed(seen, program) || choose(carry, seen, program, &chosen, told) < 0)
		return CARRY_FAILED;
	if (chosen.fault != PLAN_GOOD) {
		mark_broken(carry, program, chosen.fault);
		return CARRY_FAILED;
	}
	if (!prefetcher_is_needed(&chosen.loaded.view))
		return CARRY_WARM;
	claim = prefetcher_claim(chosen.path, user_of(seen));
	if (claim != PREFETCHER_OURS)
		return claim == PREFETCHER_LEFT ? CARRY_LEFT : CARRY_FAILED;
	told->outcome = CARRY_STARTED;
	carry_tell(results, told);
	if (!carry->quiet)
		verb_note("'%s' starts cold: its plan is carried out", program);
	prefetcher_become(carry->prefetcher, false);
	return CARRY_FAILED;
}

_Noreturn void carry_help(const struct carry *carry, const struct process_seen *seen, const char *program)
{
	int results = fcntl(carry->results, F_DUPFD_CLOEXEC, PLAN_FD + 10);
	struct carry_told told = {.exec = seen->exec};

	child_begin(carry->daemon, SIGTERM, HELPER_S);
	child_keep_only(results);
	(void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	told.outcome = help(carry, seen, program, results, &told);
	carry_tell(results, &told);
	_exit(0);
}

struct carry_helper *carry_find_place(struct carry *carry, uid_t user)
{
	struct carry_helper *place = NULL;
	size_t its = 0, of_users = 0;

	for (size_t i = 0; i < CARRY_HELPERS; i++) {
		if (!carry->helpers[i].pid) {
			place = &carry->helpers[i];
			continue;
		}
		its += carry->helpers[i].user == user;
		of_users += carry->helpers[i].user != 0;
	}
	if (user != 0 && of_users >= CARRY_HELPERS - HELPERS_OF_USER)
		return NULL; /* users who make their helpers wait leave root's places free */
	return its < HELPERS_OF_USER ? place : NULL;
}

const struct carry_helper *carry_helper_of(const struct carry *carry, uint64_t exec)
{
	for (size_t i = 0; i < CARRY_HELPERS; i++)
		if (carry->helpers[i].pid && carry->helpers[i].program && carry->helpers[i].exec == exec)
			return &carry->helpers[i];
	return NULL;
}

static void start_helper(struct carry *carry, const struct process_seen *seen, const char *program)
{
	struct carry_helper *helper;
	pid_t pid;

	if (was_looked_at(carry, program, seen->user))
		return;
	helper = carry_find_place(carry, seen->user);
	if (!helper)
		return;
	pid = fork();
	if (pid == 0)
		carry_help(carry, seen, program);
	if (pid > 0)
		*helper = (struct carry_helper){.pid = pid,
			.user = seen->user,
			.start = seen->pid,
			.exec = seen->exec,
			.program = strdup(program),
			.executed = seen->here ? strdup(seen->executed) : NULL};
	carry->counts[CARRY_FAILED] += pid < 0;
}

void carry_child_ended(struct carry *carry, pid_t pid)
{
	for (size_t i = 0; i < CARRY_HELPERS; i++)
		if (carry->helpers[i].pid == pid)
			helper_release(&carry->helpers[i]);
}

bool carry_has_plan(const struct carry *carry, const struct process_seen *seen)
{
	return seen->named && has_plan(carry, seen->program);
}

const char *carry_exec(struct carry *carry, const struct process_seen *seen, bool planned)
{
	const char *program = planned ? seen->program : seen->image;

	if (!planned && (!seen->here || streq(seen->image, seen->program) || !has_plan(carry, seen->image)))
		return NULL;
	start_helper(carry, seen, program);
	return program;
}

bool carry_take(struct carry *carry, struct carry_told *ret)
{
	if (read(carry->told, ret, sizeof(*ret)) != sizeof(*ret))
		return false;
	if (ret->outcome < N_CARRY)
		carry->counts[ret->outcome]++;
	return true;
}
