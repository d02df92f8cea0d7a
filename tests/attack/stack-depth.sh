#!/bin/sh
# Checks how much of the caller's stack each hook takes: at most 2,048 bytes without a plan, and 6,144 with one.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
warm_is_right=yes # measure() looks at it
stubs=$attack/libstubs.so
depth=$attack/depth
ways="dlopen dlmopen execve execv execvp execvp_searched execvpe execvpe_searched execl execlp execlp_searched execle fexecve
	execveat posix_spawn posix_spawnp posix_spawnp_searched"
PATH=$place:$PATH

# The control: without the shim next to nothing is used. Otherwise this would measure libc's own functions.
case_stubs_alone_use_nothing() {
	loaded=LD_PRELOAD=$stubs
	for way in $ways; do
		forced $depth "$way" "$target"
		ends_with 0
		[ "$(cat "$tmp/seen")" -le 256 ] || fail "$way: $(cat "$tmp/seen") bytes without the shim"
	done
}

# Somebody else may empty the page cache, or bring a page back into it. Then the start was not cold or warm as intended.
measure() { # WAY LOGGED PATH
	for attempt in 1 2 3 4 5; do
		forced $depth "$1" "$3"
		ends_with 0
		used=$(cat "$tmp/seen")
		case $2:$1 in :* | plan=*:dl*) return 0 ;; esac # nothing is logged
		! grep -q " $2\$" "$log" || return 0
	done
	log_says "$2"
}

# Every way is measured and printed, even after one was over the budget.
within() { # BUDGET LOGGED PATH
	loaded="LD_PRELOAD=$preload $stubs"
	over=
	for way in $ways; do
		what="$way, $what_is_there"
		measure "$way" "$2" "$3"
		printf '%-22s %5d of %d bytes, %s\n' "$way" "$used" "$1" "$what_is_there"
		[ "$used" -le "$1" ] || over="$over $way=$used"
		[ "$used" -ge 56 ] || fail "$what: $used bytes: the hook was not called"
	done
	[ -z "$over" ] || fail "$what_is_there, more than $1 bytes:$over"
}

case_without_a_plan() {
	what_is_there="without a plan"
	cp "$target" "$place/unplanned"
	within 2048 "" "$place/unplanned"
}

case_without_a_plan_by_a_relative_path() {
	what_is_there="without a plan, relative"
	cp "$target" "$place/relative"
	cd "$place"
	ways="execve execv execvp execvpe execl execlp execle fexecve execveat posix_spawn posix_spawnp"
	within 2048 "" ./relative
}

case_with_a_plan_cold() {
	what_is_there="with a plan, cold"
	within 6144 plan=started "$target"
}

case_with_a_plan_warm() {
	what_is_there="with a plan, warm"
	make_cold() { make_warm; }
	within 6144 plan=warm "$target"
}

# A plan that leads to others: the arguments are read, and the plan of the start is looked for and opened.
plan_of_start() { # NAME
	target=$(realpath "$place")/$1
	cp "$place/target" "$target"
	plan_with_rule program <<-END
		called = other
		operand = file
		-C = in
		near = .git
	END
	[ "$(ls "$state" | grep -c "^$1-.*\.plan\$")" = 2 ] || fail "$(ls "$state")"
}

case_with_a_plan_of_the_start_cold() {
	what_is_there="with a plan of the start, cold"
	plan_of_start started
	within 6144 plan=started "$target"
}

case_library_in_whole_mode() {
	what_is_there="whole mode"
	ways="dlopen dlmopen"
	depth="HEADSTART=whole $depth"
	within 6144 library=started "$place/libthree.so"
}

run_cases
