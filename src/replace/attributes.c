/* SPDX-License-Identifier: MIT */
/* Owner, mode and extended attributes from one open file to another. */
#include "replace/attributes.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/strings.h"

#define PERMISSIONS 07777
#define ACL         "system.posix_acl_access"
#define VALUE_MAX   65536 /* bytes of one attribute: XATTR_SIZE_MAX, and XATTR_LIST_MAX, of linux/limits.h */

int attributes_drop_inherited_acl(int fd)
{
	return fremovexattr(fd, ACL) < 0 && errno != ENODATA && errno != ENOTSUP ? -errno : 0;
}

/* EINVAL means that the owner has no number in this user namespace. */
static bool not_permitted(int error)
{
	return error == EPERM || error == EACCES || error == EINVAL;
}

static int copy_owner(const struct stat *st, int to, bool as_permitted, bool *ret_same)
{
	struct stat now;

	if (fstat(to, &now) < 0)
		return -errno;
	*ret_same = true;
	if (now.st_uid == st->st_uid && now.st_gid == st->st_gid)
		return 0;
	if (fchown(to, st->st_uid, st->st_gid) == 0)
		return 0;
	if (!as_permitted || !not_permitted(errno))
		return -errno;
	*ret_same = false;
	return 0;
}

/* The kernel silently drops the setgid bit if the process is not in the group, so this looks again. */
static int copy_mode(const struct stat *st, int to, bool as_permitted, bool same_owner, bool lost_acl)
{
	mode_t mode = st->st_mode & PERMISSIONS;
	struct stat now;

	if (!same_owner)
		mode &= ~(mode_t)(S_ISUID | S_ISGID);
	if (lost_acl)
		mode &= ~(
			mode_t)S_IRWXG; /* with an ACL they are the mask, which may be more than the group has */
	if (fchmod(to, mode) < 0 || fstat(to, &now) < 0)
		return -errno;
	return as_permitted || (now.st_mode & PERMISSIONS) == mode ? 0 : -EPERM;
}

static bool vouches_for_content(const char *attribute)
{
	return streq(attribute, "security.ima") || streq(attribute, "security.evm");
}

/*
 * buffers: room for two values of VALUE_MAX bytes. A value that is right already (a label, for example) needs no
 * permission.
 */
static int copy_one(int from, int to, const char *attribute, char *buffers)
{
	char *value = buffers, *present = buffers + VALUE_MAX;
	ssize_t n = fgetxattr(from, attribute, value, VALUE_MAX);

	if (n < 0)
		return -errno;
	if (fgetxattr(to, attribute, present, VALUE_MAX) == n && memcmp(value, present, (size_t)n) == 0)
		return 0;
	return fsetxattr(to, attribute, value, (size_t)n, 0) < 0 ? -errno : 0;
}

static int copy_xattrs(int from, int to, bool as_permitted, bool *ret_lost_acl, char **ret_lost)
{
	_cleanup_free_ char *list = malloc(VALUE_MAX), *buffers = malloc(2 * VALUE_MAX);
	ssize_t n;

	if (!list || !buffers)
		return -ENOMEM;
	*ret_lost_acl = false;
	n = flistxattr(from, list, VALUE_MAX);
	if (n < 0)
		return errno == ENOTSUP ? 0 : -errno;
	for (const char *attribute = list; attribute < list + n; attribute += strlen(attribute) + 1) {
		int r;

		if (vouches_for_content(attribute))
			continue;
		r = copy_one(from, to, attribute, buffers);
		if (r < 0 && r != -ENOTSUP && !(as_permitted && not_permitted(-r))) {
			*ret_lost = strdup(attribute);
			return r;
		}
		*ret_lost_acl |= r < 0 && streq(attribute, ACL);
	}
	return 0;
}

int attributes_copy(int from, const struct stat *st, int to, bool as_permitted, char **ret_lost)
{
	bool same_owner, lost_acl;
	int r = copy_owner(st, to, as_permitted, &same_owner);

	if (r < 0) {
		*ret_lost = strdup("owner");
		return r;
	}
	r = copy_xattrs(from, to, as_permitted, &lost_acl, ret_lost);
	if (r < 0)
		return r;
	r = copy_mode(st, to, as_permitted, same_owner, lost_acl);
	if (r < 0)
		*ret_lost = strdup("mode");
	return r;
}
