/* SPDX-License-Identifier: MIT */
#include "headstartd/users/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/landmarks.h"
#include "headstartd/users/keeper.h"
#include "lib/programs/keep-request.h"
#include "plan/publish.h"
#include "profile/edit.h"
#include "profile/file/profile-file.h"
#include "profile/refine/refine.h"

#define BEGIN_S 10 /* until somebody has started the process */
#define GRACE_S 10 /* until a process that has ended itself is gone */

static int replace_text(char **to, const char *by)
{
	free(*to);
	*to = by ? strdup(by) : NULL;
	return by && !*to ? -ENOMEM : 0;
}

/* What other starts executed is nobody else's business. */
static bool is_no_exec(const void *context, const struct profile_exec *exec)
{
	return false;
}

/* They say what is in a file, which this user may not be able to read. */
static void forget_landmarks(struct profile *public)
{
	for (size_t i = 0; i < public->n_files; i++)
		elf_landmarks_free(TAKE_PTR(public->files[i].landmarks));
}

int own_take_public(struct profile *public, const struct profile *own)
{
	int r = plan_leave_public(public);

	profile_keep_execs(public, is_no_exec, NULL);
	forget_landmarks(public);
	if (r == 0)
		r = replace_text(&public->command, own->command);
	if (r == 0)
		r = replace_text(&public->milestone, own->milestone);
	if (r == 0)
		r = replace_text(&public->folder, own->folder);
	if (r == 0)
		r = replace_text(&public->rule, NULL);
	if (r == 0)
		r = replace_text(&public->asked_path, NULL);
	if (r == 0)
		r = profile_set_arguments(public, (const char *const *)own->arguments);
	public->asked = 0;
	public->status = 0;
	public->recorded = own->recorded;
	public->first_touches = public->first_pages = 0;
	profile_clear_doubts(public);
	return r;
}

/* A file in memory with these bytes that nobody can change; or negative errno. */
static int put_into_memory(const void *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("request", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r = fd < 0 ? -errno : write_full(fd, data, size);

	if (r < 0)
		return r;
	if (lseek(fd, 0, SEEK_SET) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -errno;
	return TAKE_FD(fd);
}

static int put_profiles_into_memory(const struct profile *public, const struct profile *own)
{
	struct profile items[] = {*public, *own}; /* borrowed */
	const struct recordings both = {.items = items, .n = 2};
	_cleanup_free_ void *data = NULL;
	size_t size;
	int r = recordings_serialize(&both, &data, &size);

	return r < 0 ? r : put_into_memory(data, size);
}

/* Until a prefetcher has ended, of which the connection is the standard input. */
static enum own_outcome await_prefetcher(int keeper)
{
	enum keep_answer answer;

	return keep_answered(keeper, KEEP_S + GRACE_S, &answer) < 0 ? OWN_STUCK : OWN_HAS;
}

/* What became of the request. The process ends itself after KEEP_S, unless it hangs; until it has begun, nothing of the user's was asked. */
static enum own_outcome await(int keeper, bool carries)
{
	enum keep_answer answer;

	if (keep_answered(keeper, BEGIN_S, &answer) < 0 || answer != KEEP_BEGUN)
		return OWN_NONE;
	if (keep_answered(keeper, KEEP_S + GRACE_S, &answer) < 0)
		return OWN_STUCK;
	if (answer == KEEP_HAS)
		return carries ? await_prefetcher(keeper) : OWN_HAS;
	return answer == KEEP_NONE ? OWN_WITHOUT : answer == KEEP_ENDED ? OWN_ENDED : OWN_LATE;
}

/* Closes the file. */
static enum own_outcome ask(
	const struct process_owner *owner, enum keep_kind kind, uint32_t number, int request_file)
{
	const struct keep_request request = {.version = KEEP_VERSION,
		.kind = kind,
		.user = owner->user,
		.group = owner->group,
		.number = number};
	_cleanup_close_ int file = request_file;
	_cleanup_close_ int keeper = file < 0 ? -1 : keeper_connect();

	if (keeper < 0 || keep_ask(keeper, &request, file) < 0)
		return OWN_NONE;
	return await(keeper, kind == KEEP_CARRY);
}

enum own_outcome own_keep(const struct process_owner *owner, const struct profile *public,
	const struct profile *own, uint32_t found)
{
	return ask(owner, KEEP_LEARNT, found, put_profiles_into_memory(public, own));
}

enum own_outcome own_carry(
	const struct process_owner *owner, int32_t start, const char *program, const char *executed)
{
	_cleanup_free_ char *texts = NULL;
	int size = asprintf(&texts, "%s%c%s", program, 0, executed);

	return size < 0 ? OWN_NONE
			: ask(owner, KEEP_CARRY, (uint32_t)start, put_into_memory(texts, (size_t)size + 1));
}
