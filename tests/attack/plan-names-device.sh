#!/bin/sh
# SPDX-License-Identifier: MIT
# Root's plan lists a file below a user's folder. The user replaces the folder by a link to /dev/pts, where a terminal has the
# file's name, or has a device mounted over the file. However the plan is carried out, nobody must open the terminal.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/attack/files-lib.sh"
plan_for=$HEADSTART_TEST_BUILD/tests/shim/plan-for

# Makes a folder of the user's with a file named like the terminal, and a plan of it.
make_plan() {
	name=${TERMINAL##*/}
	$as_nobody mkdir "$home/dir"
	$as_nobody sh -c 'head -c 20000 /dev/zero >"$1"' - "$home/dir/$name"
	"$plan_of" touch "$home/dir/$name" /usr/bin/true >"$tmp/plan"
}

replace_folder() {
	$as_nobody mv "$home/dir" "$home/was"
	$as_nobody ln -s /dev/pts "$home/dir"
}

carry_out() {
	$way --json "$tmp/plan" >"$tmp/out" || fail "'$way' failed"
	said_stale
}

attack_folder_is_a_link() {
	make_plan
	replace_folder
	each_way carry_out
}

attack_link_in_its_place() {
	make_plan
	$as_nobody ln -sf "$TERMINAL" "$home/dir/$name"
	each_way carry_out
}

attack_device_in_its_place() {
	unshare --mount --propagation private sh -eu -c 'mount --bind "$TERMINAL" "$1" && shift && "$@"' - \
		"$home/dir/$name" "$@"
}

attack_device() {
	make_plan
	each_way mounted
}

mounted() {
	attack_device_in_its_place $way --json "$tmp/plan" >"$tmp/out" || fail "'$way' failed"
	said_stale
}

# The launcher looks at the plan's probes before every start, and goes no further if they are in memory: the control is a start that it
# takes for warm.
attack_launcher() {
	make_plan
	probing=$("$plan_for" "$tmp" /usr/bin/true "$home/dir/$name")
	until_undisturbed launcher_looks_at_the_file
	replace_folder
	launch
}

launch() { gathering "$headstart" run --verbose --plan "$probing" true 2>"$tmp/said" || fail "the program did not run: $(cat "$tmp/said")"; }

launcher_looks_at_the_file() {
	cat "$home/dir/$name" >"$tmp/seen"
	launch
	grep -q "everything is cached already" "$tmp/said" || fail "the launcher does not look at the file: $(cat "$tmp/said")"
}

# The planner looks for thread-local storage in the files of the profile.
attack_planner() {
	make_profile_of_it
	replace_folder
	"$tool" plan "$tmp/profile" -o "$tmp/real.plan" >/dev/null || fail "no plan was made"
}

make_profile_of_it() {
	make_plan
	"$make_profile" "$tmp/profile" <<-END
		program /usr/bin/true
		file regular $home/dir/$name
		range 0 4 0 1
		file regular /usr/bin/true
		range 0 2 4 1
	END
}

if [ $# = 1 ]; then
	"$1"
	exit 0
fi
for case in attack_folder_is_a_link attack_link_in_its_place attack_planner; do
	watched "$case"
done
if [ -x "$plan_for" ]; then
	watched attack_launcher
else
	untried "attack_launcher: plan-for, which the shims' tests need, is not built"
fi
if (needs_mounts) >/dev/null; then
	watched attack_device
else
	untried "attack_device: no private mount namespace can be made here"
fi
