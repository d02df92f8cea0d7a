/* SPDX-License-Identifier: MIT */
/* The tracer of a build without libtracefs. */
#include <errno.h>

#include "tracer.h"

int tracer_open(int tracefs, const char *name, enum tracer_source source, struct tracer **ret)
{
	return -ENOSYS;
}

bool tracer_has_only_added(const struct tracer *tracer)
{
	return false;
}

int tracer_marker(struct tracer *tracer)
{
	return -ENOSYS;
}

int tracer_follow(struct tracer *tracer, struct record_trace *trace, int32_t *ret_pid)
{
	return -ENOSYS;
}

int tracer_drain(struct tracer *tracer, struct record_trace *trace)
{
	return -ENOSYS;
}

int tracer_stop(struct tracer *tracer, struct record_trace *trace)
{
	return -ENOSYS;
}

void tracer_free(struct tracer *tracer)
{
}
