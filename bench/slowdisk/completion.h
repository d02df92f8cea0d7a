/* SPDX-License-Identifier: MIT */
/*
 * Requests that the device has accepted and will complete at a known time. One thread sleeps until the next is due and
 * hands it back, in the order of their times, like a disk's interrupt.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct completion {
	struct completion *next;
	uint64_t due_ns; /* CLOCK_MONOTONIC */
};

struct completion_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	struct completion *first; /* sorted by due_ns; equal times in order of arrival */
	uint64_t lateness_ns;     /* running mean of how late the timer wakes the thread */
	bool stopping;
	void (*complete)(struct completion *completion, void *data); /* takes ownership */
	void *data;
};

/* The present time on the clock of due_ns. */
uint64_t completion_now_ns(void);

/* Starts the thread. Returns 0 or negative errno. */
int completion_queue_start(struct completion_queue *queue,
	void (*complete)(struct completion *completion, void *data), void *data);

/* Queues a completion, which the caller owned. */
void completion_queue_add(struct completion_queue *queue, struct completion *completion);

/* Completes at once what is still queued, and ends the thread. */
void completion_queue_stop(struct completion_queue *queue);
