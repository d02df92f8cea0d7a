/* SPDX-License-Identifier: MIT */
/*
 * Looks at files with the rights of a followed thread. Root records for a user, and neither the profile nor the page cache
 * may tell that user of files that the user cannot reach. A path in the memory of a program can change at any moment, so
 * it is not enough that the program's own call succeeds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct follow_rights {
	bool borrowed; /* the file system takes this thread for that user */
	int n_groups;  /* of ours */
	gid_t *groups; /* owned */
};

/*
 * From now on this thread of ours, which root runs, opens files as the followed thread would, until
 * follow_rights_return(). Does nothing if both are the same user, or if we are not root, who has no other rights to give
 * away. Returns 0 or negative errno: then nothing has changed, and nothing may be looked at.
 */
int follow_rights_borrow(int32_t tid, struct follow_rights *ret);
void follow_rights_return(struct follow_rights *rights);

/* Whether the file, which is open with O_PATH perhaps, may be used so (R_OK, W_OK, X_OK) with the rights that we have now. */
bool follow_rights_allow(const struct follow_rights *rights, int fd, int use);
