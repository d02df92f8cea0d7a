/* SPDX-License-Identifier: MIT */
/*
 * What the shim and the prefetcher must agree on when they ask by preadv2(RWF_NOWAIT) whether a page is resident.
 *
 * A page that is not has Linux 6.18 start reading it, and look once more. Where a device does its work while it is told of it,
 * as those of some virtual machines do at times, the page has come by then, and the answer is "resident" for one that was not:
 * 0.1 % of whole starts in the tests, all probes of each. The time tells: 0.5 microseconds for a page that was there, 33 at
 * least for one that came.
 *
 * An interrupt, or another program's turn, takes time as well: beside four busy programs on two processors 5 of 3,000 warm starts
 * counted as cold. Not to believe a single late answer would mend that, but have cold starts taken for warm: by the time of the
 * preload shim's constructor ld.so may have brought all pages but one.
 */
#pragma once

#define RESIDENT_US 20 /* microseconds: an answer that took longer was read from the device */
