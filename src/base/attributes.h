/* SPDX-License-Identifier: MIT */
/*
 * What a file is besides its content: owner, mode, extended attributes (ACLs, capabilities and labels among
 * them).
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/*
 * A folder's default ACL is for new files. Takes it from the open file, which is to become like another one
 * that may have none. Returns 0 or negative errno.
 */
int attributes_drop_inherited_acl(int fd);

/*
 * Gives the open file `to` the owner, then the mode (a change of owner clears setuid bits), then the extended
 * attributes of the open file `from`, whose stat is `st`. Attributes that the file system of `to` does not
 * have are left out, and so are security.ima and security.evm, which vouch for a content. With as_permitted,
 * so is what this process may not do, and setuid and setgid bits unless the owner could be given.
 *
 * Returns 0, or negative errno with *ret_lost, which the caller frees, the name of what could not be kept
 * ("owner", "mode", "security.capability"; NULL without memory).
 */
int attributes_copy(int from, const struct stat *st, int to, bool as_permitted, char **ret_lost);
