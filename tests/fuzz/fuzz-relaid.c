/* SPDX-License-Identifier: MIT */
/* Target: a relaid file, as verify and undo read it. */
#include "fuzz.h"

#include <errno.h>

#include "base/cleanup.h"
#include "relaid/undo.h"
#include "seal.h"
#include "verify/verify.h"

size_t inputs_taken;

/* Returns whether verify accepts it. */
static bool check(const void *data, size_t size)
{
	_cleanup_free_ uint8_t *original = NULL;
	struct verify_report report;
	const char *problem = NULL;
	struct undo undo;
	int verified = verify_relaid(data, size, &report), undone = undo_prepare(data, size, &undo, &problem);

	must(verified == 0 ? report.problem[0] == '\0'
			   : report.problem[0] != '\0' &&
				(verified == -ENODATA || verified == -EBADMSG || verified == -EOPNOTSUPP));
	must(undone == 0 ? undo.size < size : problem != NULL);
	must(verified != 0 || undone == 0);
	if (undone == 0)
		must(undo_copy(data, &undo, &original) == 0);
	return verified == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ void *copy = exact_copy(data, size);
	bool taken = check(copy, size);

	seal_relaid(copy, size, 1);
	taken |= check(copy, size);
	inputs_taken += taken;
	return 0;
}
