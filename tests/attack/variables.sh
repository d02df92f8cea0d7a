#!/bin/sh
# With variables and arguments of any length and kind the program starts as it does without the shim, and the shim believes
# nothing strange.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
may_be_root
plan_of_root
long() { head -c "$1" /dev/zero | tr '\0' "${2-x}"; }
almost_128k=$(long 131000)

case_state_folder_that_is_relative_or_overlong_is_none() {
	cd "$tmp"
	for folder in state ./state . "" "$(long 1100 /)" "/$(long 5000)" "/$almost_128k" "$state$(long 1000 /)" "//" /dev/null; do
		what="HEADSTART_STATE=$(printf %.40s "$folder")"
		forced HEADSTART_STATE="$folder" "$launch" posix_spawn "$target"
		target_ran_unplanned
	done
	# The same as if the variable is not set: root's folder alone.
	what="a relative folder, system-wide"
	systemwide LD_PRELOAD="$preload" HEADSTART_STATE=state "$launch" posix_spawn "$target"
	target_ran_planned
}

case_variables_of_128_kilobytes() {
	for name in HEADSTART HEADSTART_LOG HEADSTART_PREFETCH HEADSTART_WAIT HOME XDG_STATE_HOME PATH OTHER; do
		what="$name of 131,000 bytes"
		forced "$name=/$almost_128k" "$launch" posix_spawn "$target"
		ends_with 7
	done
	what="a name of 131,000 bytes"
	forced "$almost_128k=value" "$launch" posix_spawn "$target"
	target_ran_planned
}

case_many_long_variables_at_once() {
	set --
	for i in 1 2 3 4 5 6 7 8; do
		set -- "$@" "LONG$i=$almost_128k"
	done
	on_every_way target_ran_planned /usr/bin/env "$@" "$launch" posix_spawn "$target"
	on_every_way target_ran_planned /usr/bin/env "$@" "$launch" execv "$target"
}

case_arguments_of_128_kilobytes() {
	on_every_way target_ran_planned "$launch" execv "$target" "$almost_128k" "$almost_128k"
	cat >"$tmp/named.py" <<'PYTHON'
import os, sys
os.execv(sys.argv[1], ["x" * 131000] + sys.argv[2:])
PYTHON
	forced /usr/bin/python3 "$tmp/named.py" "$target"
	target_ran_planned
	"$built/plan-for" "$state" "$look" $libraries >"$tmp/out"
	forced /usr/bin/python3 "$tmp/named.py" "$look" "$place/libthree.so"
	target_ran_planned
}

case_no_environment() {
	cat >"$tmp/empty.py" <<'PYTHON'
import os, sys
os.execve(sys.argv[1], ["x"], {})
PYTHON
	forced /usr/bin/python3 "$tmp/empty.py" "$target"
	target_ran_planned
}

run_cases
