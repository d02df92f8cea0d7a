/* SPDX-License-Identifier: MIT */
#include "device/batch.h"

#define REQUEST_BYTES                                                                                        \
	(128u << 10) /* the kernel cuts what is asked for into pieces of its default of read_ahead_kb */

void device_batch_add(struct device_batch *batch, const struct device_model *model, uint64_t disk_size,
	uint64_t place, uint64_t bytes)
{
	uint64_t requests = bytes / REQUEST_BYTES + (bytes % REQUEST_BYTES != 0), head = batch->head;

	batch->waiting_us += requests * model->latency_us / model->depth;
	batch->passing_us += bytes * 1000 / model->bytes_per_ms;
	if (place == DEVICE_BATCH_NOWHERE)
		return;
	if (head != DEVICE_BATCH_NOWHERE)
		batch->waiting_us +=
			device_model_way_us(model, place > head ? place - head : head - place, disk_size);
	batch->head = place + bytes;
}

uint64_t device_batch_us(const struct device_batch *batch, bool with_head)
{
	if (with_head)
		return batch->waiting_us + batch->passing_us;
	/* Without a head, bytes of one read arrive while others are awaited. */
	return batch->waiting_us > batch->passing_us ? batch->waiting_us : batch->passing_us;
}
