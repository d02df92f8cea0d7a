/* SPDX-License-Identifier: MIT */
/*
 * What the shim and the prefetcher must agree on when they ask by preadv2(RWF_NOWAIT) whether a page is resident.
 *
 * If it is not, Linux 6.18 starts reading it and looks once more. Some devices, such as those of some virtual machines,
 * at times finish the read before the call that starts it returns. Then the page has arrived, and the answer is
 * "resident" although it was not: in the tests this happened to 0.1 % of starts, and to all probes of each. The time
 * shows the difference: 0.5 microseconds for a page that was there, at least 33 for one that arrived.
 *
 * An interrupt, or another program's turn, takes time as well: beside four busy programs on two processors 5 of 3,000
 * warm starts counted as cold. Ignoring a single late answer would mend that, but take cold starts for warm: when the
 * preload shim's constructor runs, ld.so may have read all pages but one.
 */
#pragma once

#define RESIDENT_US 20 /* microseconds: an answer that took longer was read from the device */
