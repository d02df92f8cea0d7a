/* SPDX-License-Identifier: MIT */
/* The turn of a command to change what is stored (plan/store/lock.h). */
#pragma once

/*
 * Waits for others a minute at most, and says so. *ret ends the turn when it is closed; -1: there are no turns here. Returns 0, or an
 * exit status after printing who has the turn.
 */
int store_turn_take(int *ret);
