/* SPDX-License-Identifier: MIT */
/* The thread that completes requests when they are due. */
#include "completion.h"

#include <errno.h>
#include <sys/prctl.h>
#include <time.h>

#define NS_PER_SECOND   1000000000
#define MAX_LATENESS_NS 100000 /* more comes from a busy CPU, not from the timer, and predicts nothing */
#define LATENESS_WEIGHT 16     /* weight of the past against one new sample */

uint64_t completion_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* When to wake for the first completion: earlier than it is due, by the recent lateness of the timer. */
static uint64_t wake_time(const struct completion_queue *queue)
{
	return queue->first->due_ns - queue->lateness_ns;
}

/* Waits, with the lock held, until `wake_ns` or until the queue changes; learns how late the timer is. */
static void wait_until(struct completion_queue *queue, uint64_t wake_ns)
{
	struct timespec wake = {
		.tv_sec = (time_t)(wake_ns / NS_PER_SECOND),
		.tv_nsec = (long)(wake_ns % NS_PER_SECOND),
	};
	uint64_t late;

	if (pthread_cond_clockwait(&queue->changed, &queue->lock, CLOCK_MONOTONIC, &wake) != ETIMEDOUT)
		return;
	late = completion_now_ns() - wake_ns;
	if (late <= MAX_LATENESS_NS)
		queue->lateness_ns = (queue->lateness_ns * (LATENESS_WEIGHT - 1) + late) / LATENESS_WEIGHT;
}

static struct completion *take_first(struct completion_queue *queue)
{
	struct completion *first = queue->first;

	queue->first = first->next;
	return first;
}

static void *completion_thread(void *arg)
{
	struct completion_queue *queue = arg;

	/* The default slack of 50 us would be a fifth of an eMMC's latency. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	pthread_mutex_lock(&queue->lock);
	while (queue->first || !queue->stopping) {
		if (!queue->first) {
			pthread_cond_wait(&queue->changed, &queue->lock);
		} else if (!queue->stopping && wake_time(queue) > completion_now_ns()) {
			wait_until(queue, wake_time(queue));
		} else {
			struct completion *due = take_first(queue);

			pthread_mutex_unlock(&queue->lock);
			queue->complete(due, queue->data);
			pthread_mutex_lock(&queue->lock);
		}
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

int completion_queue_start(struct completion_queue *queue,
	void (*complete)(struct completion *completion, void *data), void *data)
{
	*queue = (struct completion_queue){.complete = complete, .data = data};
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->changed, NULL);
	return -pthread_create(&queue->thread, NULL, completion_thread, queue);
}

void completion_queue_add(struct completion_queue *queue, struct completion *completion)
{
	struct completion **at = &queue->first;

	pthread_mutex_lock(&queue->lock);
	while (*at && (*at)->due_ns <= completion->due_ns)
		at = &(*at)->next;
	completion->next = *at;
	*at = completion;
	if (queue->first == completion)
		pthread_cond_signal(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void completion_queue_stop(struct completion_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->stopping = true;
	pthread_cond_signal(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->thread, NULL);
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
}
