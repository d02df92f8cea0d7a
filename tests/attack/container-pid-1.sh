#!/bin/sh
# The first process of a container may not expect children that it has not started. So no prefetcher is started there, unless the
# administrator permits it with /etc/headstart/everywhere.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
unshare --pid --fork --mount-proc true 2>/dev/null || skip "no pid namespace to be had here"
cold_command="$page out $libraries"
"$built/plan-for" "$state" "$look" $libraries >"$tmp/out"
plan_of_root
plan_of_root "$look"

contained() { # COMMAND…
	as="unshare --pid --fork --mount-proc" forced "$attack/init" 5 "$cold_command" "$@"
}
nothing_started() {
	ends_with 7
	log_lacks plan=started
	was_not_run own
}

case_process_outside_starts_the_prefetcher() {
	forced "$attack/init" 1 "$cold_command" "$look" "$place/libthree.so"
	log_says plan=started
	was_run own
}

case_init_that_spawns_a_planned_program() {
	contained "$look" "$place/libthree.so"
	nothing_started
	contained "$target"
	nothing_started
}

case_init_whose_child_starts_a_planned_program() {
	for way in execv vfork-execve posix_spawn; do
		contained "$launch" $way "$target"
		nothing_started
	done
	contained /bin/sh -c "$target"
	nothing_started
}

case_init_that_executes_a_planned_program() {
	as="unshare --pid --fork --mount-proc" forced "$launch" execv "$look" "$place/libthree.so"
	nothing_started
}

# The container's /proc may be that of the machine: the shim must look at the namespace itself.
case_proc_of_the_outer_namespace() {
	as="unshare --pid --fork" forced "$attack/init" 5 "$cold_command" "$look" "$place/libthree.so"
	nothing_started
}

case_audit_shim() {
	loaded=LD_AUDIT=$audit
	contained "$look" "$place/libthree.so"
	nothing_started
}

# The launcher carries the plan out before it becomes the program, and waits for its own child.
case_launcher_leaves_no_child() {
	cp "$HEADSTART_TEST_BUILD/tools/headstart" "$place"
	for stage in none auto; do
		until_undisturbed plan_is_carried_out $stage
	done
}
plan_is_carried_out() {
	contained "$place/headstart" run --wait $1 -- "$target"
	ends_with 7
	"$page" came $libraries >"$tmp/out" || fail "$what: the plan was not carried out: $(cat "$tmp/out")"
}

case_everywhere_permits_it() {
	has_system
	wrapped="unshare --pid --fork --mount-proc"
	for permitted in no yes; do
		what="everywhere: $permitted"
		[ $permitted = no ] || : >"$system/etc/headstart/everywhere"
		systemwide "$attack/init" 5 "$cold_command" "$look" "$place/libthree.so"
		if [ $permitted = no ]; then
			ends_with 7
			was_not_run installed
		else
			was_run installed
			[ "$(wc -l <"$ran/installed")" = 5 ] || fail "$what: not five: $(cat "$ran/installed")"
		fi
	done
}

run_cases
