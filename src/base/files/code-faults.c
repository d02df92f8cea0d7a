/* SPDX-License-Identifier: MIT */
#include "base/files/code-faults.h"

#include <stdio.h>
#include <sys/utsname.h>

bool code_faults_read_on(void)
{
	unsigned major, minor;
	struct utsname kernel;

	return uname(&kernel) == 0 && sscanf(kernel.release, "%u.%u", &major, &minor) == 2 &&
		(major > 6 || (major == 6 && minor >= 17));
}

uint32_t code_fault_unit(void)
{
#ifdef __aarch64__
	return 65536;
#else
	return 1;
#endif
}
