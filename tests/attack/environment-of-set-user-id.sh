#!/bin/sh
# An attacker chooses the environment of a set-user-ID program, which passes it to the programs that it executes as root.
# headstart's variables count only where the same environment names the shim, and ld.so removes such names there.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
has_system
$as_victim "$place/root-helper" --become-root /bin/true || skip "set-user-ID programs have no effect in '$place'"

attacked() { # COMMAND…
	plan_of_root
	plan_of_root "$look"
	attacked_without_plan "$@"
}
attacked_without_plan() {
	wrapped=$as_attacker
	systemwide LD_PRELOAD="$preload" HEADSTART_PREFETCH="$evil" HEADSTART_LOG="$tmp/evil/log" "$@"
	was_not_run evil
	[ ! -e "$tmp/evil/log" ] || fail "$what: the log was written: $(cat "$tmp/evil/log")"
}

case_helper_executes_a_planned_program() {
	attacked "$place/root-helper" --become-root "$look" "$place/libthree.so"
	ends_with 7
	was_run installed
}

case_helper_executes_what_spawns_a_planned_program() {
	for way in execv posix_spawn vfork-execve; do
		what="by $way"
		attacked "$place/root-helper" --become-root "$launch" "$way" "$target"
		ends_with 7
	done
}

case_helper_executes_a_shell() {
	attacked "$place/root-helper" --become-root /bin/sh -c "$target; exit \$?"
	ends_with 7
}

# ld.so removes LD_PRELOAD itself, and leaves variables that only look like it.
case_variable_that_looks_like_one_of_the_loader() {
	attacked X="LD_PRELOAD=$preload" MY_LD_PRELOAD="$preload" LD_PRELOADED="$preload" ld_preload="$preload" \
		"$place/root-helper" --become-root "$launch" execv "$target"
	ends_with 7
	was_run installed
}

# The shim would ignore plans of the attacker's own in any case. But these variables could also select plans that root keeps.
case_folder_of_the_attacker_is_not_looked_in() {
	plan_of_root
	mkdir "$tmp/kept"
	mv "$system_state"/*.plan "$tmp/kept"
	attacked_without_plan HEADSTART_STATE="$tmp/kept" "$place/root-helper" --become-root "$launch" posix_spawn "$target"
	ends_with 7
	was_not_run installed
}

# If the library is in every process, the environment does not name it. Then even root's own variables do not count.
case_variables_do_not_count_where_only_the_system_loads_the_shim() {
	plan_of_root
	systemwide HEADSTART_PREFETCH="$own" HEADSTART_LOG="$log" FROM=here "$launch" execv "$target"
	ends_with 7
	was_not_run own
	was_run installed
	[ ! -e "$log" ] || fail "the log was written: $(cat "$log")"
}

case_variables_do_not_count_where_the_environment_names_another_library() {
	plan_of_root
	systemwide LD_PRELOAD="$place/libone.so" HEADSTART_PREFETCH="$own" HEADSTART_LOG="$log" "$launch" execv "$target"
	ends_with 7
	was_not_run own
	was_run installed
	[ ! -e "$log" ] || fail "the log was written: $(cat "$log")"
}

case_variables_count_where_the_environment_names_the_shim() {
	forced "$launch" execv "$target"
	ends_with 7
	was_run own
	log_says plan=started
	systemwide LD_PRELOAD="$preload" HEADSTART_PREFETCH="$own" HEADSTART_LOG="$log" HEADSTART_STATE="$state" \
		"$launch" execv "$target"
	was_run own
	log_says plan=started
	rm -f "$ran"/* "$log"
	"$built/plan-for" "$state" "$look" $libraries >"$tmp/out"
	make_cold
	gathering env -i PATH="$PATH" HOME="$tmp" LD_AUDIT="$audit" HEADSTART_STATE="$state" HEADSTART_LOG="$log" \
		HEADSTART_PREFETCH="$own" "$look" "$place/libthree.so" >"$tmp/seen" || true
	was_run own
	log_says plan=started
}

run_cases
