/* SPDX-License-Identifier: MIT */
/*
 * setfsuid(2): what concerns files goes by these ids, and by the groups. Only this thread changes. The right to look
 * into other processes stays, and so the links in /proc can be followed.
 */
#include "record/follow/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/run/process-file.h"

#define NOBODY ((uid_t)-1)

struct ids {
	uid_t user;
	gid_t group;
	gid_t *groups; /* owned */
	size_t n_groups;
};

static void ids_releasep(struct ids *ids)
{
	free(ids->groups);
}

/* The numbers of a line of /proc/PID/status: the text after its key. */
static const char *find_line(const char *status, const char *key)
{
	const char *line = strstr(status, key);

	return line ? line + strlen(key) : NULL;
}

static int read_groups(const char *line, struct ids *ids)
{
	size_t most = strcspn(line, "\n") / 2 + 1;
	char *end;

	ids->groups = calloc(most, sizeof(*ids->groups));
	if (!ids->groups)
		return -ENOMEM;
	for (;;) {
		line += strspn(line, " \t");
		if (*line < '0' || *line > '9' || ids->n_groups == most)
			return 0;
		ids->groups[ids->n_groups++] = (gid_t)strtoul(line, &end, 10);
		line = end;
	}
}

/* Of the four ids of each kind, those for files come last. */
static int read_ids(int32_t tid, struct ids *ids)
{
	_cleanup_free_ char *status = NULL;
	const char *user, *group, *groups;
	int r = process_read(tid, PROCESS_STATUS_MAX, &status, NULL, "status");

	if (r < 0)
		return r;
	user = find_line(status, "\nUid:");
	group = find_line(status, "\nGid:");
	groups = find_line(status, "\nGroups:");
	if (!user || !group || !groups || sscanf(user, "%*u %*u %*u %u", &ids->user) != 1 ||
		sscanf(group, "%*u %*u %*u %u", &ids->group) != 1)
		return -EBADMSG;
	return read_groups(groups, ids);
}

/* For this thread alone: the C library would change all threads. */
static int set_groups(size_t n, const gid_t *groups)
{
	return syscall(SYS_setgroups, n, groups) < 0 ? -errno : 0;
}

static int save_groups(struct follow_rights *rights)
{
	int n = getgroups(0, NULL);

	rights->groups = n < 0 ? NULL : calloc((size_t)n + 1, sizeof(*rights->groups));
	if (!rights->groups)
		return -ENOMEM;
	rights->n_groups = getgroups(n, rights->groups);
	return rights->n_groups < 0 ? -errno : 0;
}

int follow_rights_borrow(int32_t tid, struct follow_rights *ret)
{
	_cleanup_(ids_releasep) struct ids ids = {0};
	struct follow_rights rights = {0};
	int r;

	*ret = rights;
	if (geteuid() != 0)
		return 0;
	r = read_ids(tid, &ids);
	if (r < 0 || ids.user == 0)
		return r;
	r = save_groups(&rights);
	if (r == 0)
		r = set_groups(ids.n_groups, ids.groups);
	if (r < 0) {
		free(rights.groups);
		return r;
	}
	rights.borrowed = true;
	setfsgid(ids.group);
	setfsuid(ids.user);
	/* They do not say whether they failed. An impossible id shows which one counts. */
	if ((uid_t)setfsuid(NOBODY) != ids.user || (gid_t)setfsgid((gid_t)NOBODY) != ids.group) {
		follow_rights_return(&rights);
		return -EPERM;
	}
	*ret = rights;
	return 0;
}

void follow_rights_return(struct follow_rights *rights)
{
	if (rights->borrowed) {
		setfsuid(geteuid());
		setfsgid(getegid());
		(void)set_groups((size_t)rights->n_groups, rights->groups);
	}
	free(rights->groups);
	*rights = (struct follow_rights){0};
}

bool follow_rights_allow(const struct follow_rights *rights, int fd, int use)
{
	_cleanup_close_ int readable = -1;

	if (!rights->borrowed || syscall(SYS_faccessat2, fd, "", use, AT_EACCESS | AT_EMPTY_PATH) == 0)
		return true;
	if (errno != ENOSYS)
		return false;
	/* Before Linux 5.8. What can be read can do no harm. */
	readable = open_descriptor_again(fd, O_RDONLY);
	return readable >= 0;
}
