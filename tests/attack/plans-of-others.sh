#!/bin/sh
# headstart ignores a plan that anybody but root and the user could have written, and a file that is no plan.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
may_be_root
plan_of_root
good=$tmp/good.plan
plan=$(echo "$state"/target-*.plan)
[ -f "$plan" ] || fail "the target has no plan"
cp "$plan" "$good"
system_plan=$system_state/${plan##*/}

# Puts a copy of the good plan, or FILE in its place, into both folders: put OWNER MODE [FILE].
put() {
	for at in "$plan" "$system_plan"; do
		rm -rf "$at"
		cp "${3-$good}" "$at"
		chmod "$2" "$at"
		chown "$1" "$at"
	done
}
# there COMMAND…: runs a command once for each of the two folders, with the plan's path as its last argument.
there() {
	for at in "$plan" "$system_plan"; do
		rm -rf "$at"
		"$@" "$at"
	done
}
passed_over() { on_every_way target_ran_unplanned "$launch" posix_spawn "$target"; }
carried_out() { on_every_way target_ran_planned "$launch" posix_spawn "$target"; }

case_plan_of_root_is_carried_out() {
	put 0:0 644
	carried_out
	put 0:0 444
	carried_out
}

case_plan_of_another_user_is_passed_over() {
	put $attacker:$attacker 644
	passed_over
	put $attacker:0 600
	passed_over
}

case_plan_of_the_victim_is_the_victims_alone() {
	put $victim:$victim 600
	what="root"
	forced "$launch" posix_spawn "$target"
	target_ran_unplanned
	what="the victim"
	as=$as_victim
	forced "$launch" posix_spawn "$target"
	target_ran_planned
	what="the attacker"
	as=$as_attacker
	forced "$launch" posix_spawn "$target"
	target_ran_unplanned
}

case_plan_in_the_victims_own_folder() {
	has_system
	rm -f "$system_state"/*.plan
	home=$tmp/home/.local/state/headstart
	mkdir -p "$home"
	for owner in $victim $attacker; do
		cp "$good" "$home/${plan##*/}"
		chmod 644 "$home/${plan##*/}"
		chown $owner "$home/${plan##*/}"
		what="a plan of user $owner"
		wrapped=$as_victim
		systemwide HOME="$tmp/home" "$launch" posix_spawn "$target"
		[ $owner = $victim ] && target_ran_planned || target_ran_unplanned
		# Root has the victim's HOME, as after sudo.
		wrapped=
		systemwide HOME="$tmp/home" "$launch" posix_spawn "$target"
		target_ran_unplanned
	done
	plan_of_root
}

case_plan_that_others_may_write_is_passed_over() {
	for mode in 664 646 666 622; do
		what="mode $mode"
		put 0:0 $mode
		passed_over
	done
}

case_link_to_a_plan_elsewhere_is_not_followed() {
	mkdir -p "$tmp/elsewhere"
	cp "$good" "$tmp/elsewhere/target.plan"
	mkdir -p "$place/other"
	cp "$target" "$place/other/target"
	for to in "$tmp/elsewhere/target.plan" ../elsewhere/target.plan /dev/zero /dev/tty /nonexistent "${plan##*/}" "$tmp" /proc/self/mem; do
		what="a link to '$to'"
		there ln -s "$to"
		passed_over
	done
}

# A sign tells the shim that a program's path is a link. Then the shim resolves the path itself, and believes nothing else of the
# sign.
case_sign_of_a_linked_program_leads_to_no_other_plan() {
	put 0:0 644
	cp "$target" "$place/unplanned"
	name=$("$built/plan-for" "$tmp/logs" "$place/unplanned" $libraries)
	name=${name##*/}
	rm -f "$tmp/logs/$name"
	ln -s "${plan##*/}" "$state/$name"
	ln -s "${plan##*/}" "$system_state/$name"
	on_every_way target_ran_unplanned "$launch" posix_spawn "$place/unplanned"
	rm "$state/$name" "$system_state/$name"
}

case_plan_that_is_truncated_or_noise_is_passed_over() {
	for size in 0 1 8 64 88 100 200; do
		what="$size bytes of a plan"
		head -c $size "$good" >"$tmp/bad"
		put 0:0 644 "$tmp/bad"
		passed_over
	done
	what="noise"
	head -c 100000 /dev/urandom >"$tmp/bad"
	put 0:0 644 "$tmp/bad"
	passed_over
}

# A file larger than any plan, or one with a damaged body: the prefetcher finds that out, and ends.
case_overlong_plan_comes_to_an_end() {
	cp "$prefetch" "$place/headstart-prefetch"
	for how in grown zeroes damaged; do
		what=$how
		cp "$good" "$tmp/bad"
		case $how in
		grown) truncate -s 64G "$tmp/bad" ;;
		zeroes) truncate -s 0 "$tmp/bad" && truncate -s 64G "$tmp/bad" ;;
		damaged) damage "$tmp/bad" $(($(stat -c %s "$good") - 3)) ;;
		esac
		rm -f "$plan"
		mv "$tmp/bad" "$plan"
		forced HEADSTART_PREFETCH="$place/headstart-prefetch" "$launch" posix_spawn "$target"
		ends_with 7
		"$page" in "$place/libthree.so" && fail "$what: it was carried out"
	done
	put 0:0 644
	until_undisturbed good_plan_is_carried_out # somebody else may empty the page cache
}
good_plan_is_carried_out() {
	forced HEADSTART_PREFETCH="$place/headstart-prefetch" "$launch" posix_spawn "$target"
	"$page" in "$place/libthree.so" || fail "the good plan is not carried out"
}

run_cases
