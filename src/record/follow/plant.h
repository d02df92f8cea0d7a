/* SPDX-License-Identifier: MIT */
/*
 * One-shot breakpoints on the entries of functions, in the memory of followed processes. The first thread that arrives at
 * one stops; its instruction is put back for good, and the thread goes on at the same address. So no thread can miss a breakpoint,
 * and one that has met it just before its instruction was put back finds the function itself when it goes on.
 *
 * The memory that a fork copies has the breakpoints, too, and what vfork lends has those of the parent. So a thread may
 * meet one in a process of which nothing is known yet: what is mapped there, and the table of its object, tell that it is
 * ours.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "record/follow/objects.h"
#include "record/follow/process.h"

/*
 * Puts breakpoints into the mapped code of chosen objects that lies in these addresses, but for functions that have been
 * called. The threads of the process that can run there are stopped. Returns 0 or -ENOMEM; if the system does not let us
 * write there, process->unplanted is set.
 */
int plant(struct function_objects *objects, struct follow_process *process, uint64_t start, uint64_t end);

/* Takes all breakpoints out of the process, which is about to close its memory to us. Returns 0 or -ENOMEM. */
int unplant(struct function_objects *objects, struct follow_process *process);

/*
 * A thread has stopped by SIGTRAP. Returns 1 if it met one of our breakpoints: it goes on without the signal, and `note`
 * notes the call. 0 if the signal is its own; or -ENOMEM.
 */
int plant_hit(struct function_objects *objects, struct follow_process *process, pid_t tid, bool note);
