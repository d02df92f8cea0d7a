/* SPDX-License-Identifier: MIT */
/* Exit status 0 if page tables can be made exact here. */
#include "record/follow/pages/exact-faults.h"

int main(void)
{
	return exact_faults_possible() ? 0 : 1;
}
