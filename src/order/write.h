/* SPDX-License-Identifier: MIT */
/* Writes an order of functions in the syntax of a linker. write.c has the source of each syntax. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "order/choose.h"

enum order_linker {
	ORDER_LLD,       /* --symbol-ordering-file */
	ORDER_GOLD,      /* --section-ordering-file */
	ORDER_LD,        /* GNU ld >= 2.43: --section-ordering-file */
	ORDER_LD_SCRIPT, /* any GNU ld: -T */
	ORDER_MOLD,      /* GNU ld -r -T, whose result mold links */
	ORDER_LINKERS,
};

/* "lld", "gold", "ld", "ld-script", "mold". */
const char *order_linker_name(enum order_linker linker);

/*
 * Writes each name of the list once. *ret_left_out is the number of names that the syntax cannot express. Check
 * ferror() for write errors. Returns 0 or -ENOMEM.
 */
int order_write(FILE *out, enum order_linker linker, const struct order_list *list, size_t *ret_left_out);
