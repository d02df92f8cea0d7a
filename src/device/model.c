/* SPDX-License-Identifier: MIT */
/* What follows from the model of a disk. */
#include "device/model.h"

#include <math.h>
#include <stdio.h>

#include "base/plural.h"
#include "device/device.h"

/* A head that moves takes longer than this, and many times what it takes to read on. Other requests differ by less. */
#define SEEK_MIN_US    1000
#define SEEK_LATENCIES 2
#define DEPTH_SHARED   4 /* a device that serves so many at once has no single head */

bool device_model_seeks(const struct device_model *model)
{
	return model->seek_us >= SEEK_MIN_US && model->seek_us / SEEK_LATENCIES >= model->latency_us &&
		model->depth < DEPTH_SHARED;
}

void device_model_text(const struct device_model *model, char text[DEVICE_MODEL_TEXT])
{
	char seeks[48] = "no seeks", rate[32] = "", depth[32] = "";

	if (device_model_seeks(model))
		snprintf(seeks, sizeof(seeks), "%.1f to %.1f ms more for a seek", model->seek_us / 1e3,
			((double)model->seek_us + model->stroke_us) / 1e3);
	if (model->bytes_per_ms)
		snprintf(rate, sizeof(rate), ", %.0f MB/s", model->bytes_per_ms / 1e3);
	if (model->depth)
		snprintf(depth, sizeof(depth), ", %u read%s at once", model->depth, plural(model->depth));
	snprintf(text, DEVICE_MODEL_TEXT, "%.2f ms a page, %s%s%s", model->latency_us / 1e3, seeks, rate,
		depth);
}

uint64_t device_model_way_us(const struct device_model *model, uint64_t distance, uint64_t disk_size)
{
	double share = disk_size > 0 ? (double)distance / (double)disk_size : 0;
	uint64_t passing_us;

	if (distance >= DEVICE_FAR)
		return model->seek_us + (uint64_t)(model->stroke_us * sqrt(fmin(share, 1)));
	/* What lies between passes under the head. */
	passing_us = model->bytes_per_ms ? distance * 1000 / model->bytes_per_ms : 0;
	return passing_us < model->seek_us ? passing_us : model->seek_us;
}

void device_set_model(struct device *device, const struct device_model *model)
{
	device->model = *model;
	device->measured = true;
	if (!device->by_rule)
		device->class = device_model_seeks(model) ? DEVICE_ROTATIONAL : DEVICE_SOLID;
}
