/* SPDX-License-Identifier: MIT */
/* How the parts of a pass report that an object is not as they need it. */
#pragma once

#include <errno.h>

/* For `return`: gives the reason, a static text, and fails with -EOPNOTSUPP. */
static inline int pass_refuse(const char **ret_refusal, const char *refusal)
{
	*ret_refusal = refusal;
	return -EOPNOTSUPP;
}
