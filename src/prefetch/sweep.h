/* SPDX-License-Identifier: MIT */
/*
 * Reads the metadata that a plan names, in the order of the disk, before anything is opened: what is looked up afterwards
 * needs no way of the head (docs/decisions/metadata-sweep.md).
 *
 * Only root can open disks, so only root's prefetchers do that, and only by root's plans. A disk is read only if the file
 * system with the id of the plan is mounted from it, and what it contains is not looked at.
 */
#pragma once

#include "prefetch/plan-job.h"

/* Fills in job->result.bytes_swept. */
void sweep_run(struct plan_job *job);
