/* SPDX-License-Identifier: MIT */
/*
 * What a file is besides its content: owner, mode, extended attributes (ACLs, capabilities and labels among
 * them).
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Removes the ACL that the open file inherited from its folder's default ACL: the file will get the attributes of
 * another one, which may have no ACL. Returns 0 or negative errno.
 */
int attributes_drop_inherited_acl(int fd);

/*
 * Gives the open file `to` the owner, then the extended attributes, then the mode of the open file `from`, whose stat is
 * `st`: a change of owner clears setuid bits, and the mode of a file with an ACL opens it to its whole group until it has the
 * ACL. Leaves out attributes that the file system of `to` does not have, and security.ima and security.evm, which vouch for
 * the content. With as_permitted, also leaves out what this process may not set, and setuid and setgid bits unless it could
 * set the owner. Without the ACL the group gets no rights.
 *
 * Returns 0, or negative errno and in *ret_lost the name of what could not be kept ("owner", "mode",
 * "security.capability"; NULL without memory), which the caller frees.
 */
int attributes_copy(int from, const struct stat *st, int to, bool as_permitted, char **ret_lost);
