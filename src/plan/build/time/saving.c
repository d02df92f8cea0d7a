/* SPDX-License-Identifier: MIT */
/* How long it takes to read what a plan names, in its order, by what its disk was measured to be. */
#include "device/batch.h"
#include "plan/build/draft.h"
#include "plan/build/time/cost.h"

_Static_assert(DRAFT_NOWHERE == DEVICE_BATCH_NOWHERE, "an extent's place");

void draft_saving(struct plan_draft *draft)
{
	struct device_batch batch = DEVICE_BATCH_INIT;

	if (!draft->disk || !draft->disk->measured)
		return;
	for (size_t i = 0; i < draft->n_extents; i++) {
		const struct draft_extent *extent = &draft->extents[i];
		const struct device *device = draft_file_device(draft, extent->file);
		const struct device_model model = plan_model_of(device);

		device_batch_add(
			&batch, &model, device->size, extent->physical, draft_bytes(draft, extent->pages));
	}
	draft->summary.planned_ms = device_batch_us(&batch, draft->device == DEVICE_ROTATIONAL) / 1000;
}
