#!/bin/sh
# SPDX-License-Identifier: MIT
# headstartd makes plans more exact by the starts that it carries them out for.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"
can_trace_execs
make_disk
make_waiter "$disk"
cc -O1 -DDATA="\"$disk/mapped\"" -DGO="\"$tmp/go\"" -o "$disk/mapper" "$HEADSTART_TEST_SOURCE/tests/daemon/mapper.c" || fail "cc"
head -c 4194304 /dev/urandom >"$disk/mapped"
head -c 160000 /dev/urandom >"$disk/unneeded"
sync -f "$disk"
share_turn

# With a very large read-ahead little can be found out.
read_ahead_as_usual() {
	loop=$(losetup -n -O NAME -j "$tmp/image")
	echo 128 >"/sys/block/${loop#/dev/}/queue/read_ahead_kb" 2>/dev/null || skip "the read-ahead cannot be set"
}

make_cold() { "$page" out "$disk/waiter" "$disk/mapper" "$disk/data" "$disk/mapped" "$disk/unneeded" || fail "pages stay in the page cache"; }

# Starts the program cold. If it is planned, it goes on when it is traced, and not before the prefetcher has read its file. Otherwise it
# goes on soon. If there is GO.stay, it stays until the daemon has looked at it for the last time, after five seconds.
cold_start() { # PROGRAM FILE
	make_cold
	rm -f "$tmp/go"
	"$1" &
	started=$!
	[ "$planned" = yes ] && tries=40 || tries=5
	for try in $(seq $tries); do
		[ "$(note tracing)" = 0 ] || break
		sleep 0.05
	done
	came=0
	[ "$planned" = yes ] || tries=0
	for try in $(seq $tries); do
		before=$came
		came=$("$page" came "$2" || :)
		[ "$came" = 0 ] || [ "$came" != "$before" ] || break
		sleep 0.05
	done
	: >"$tmp/go"
	[ ! -e "$tmp/go.stay" ] || sleep 6
	rm -f "$tmp/go.stay"
	wait "$started" || fail "the program fails"
	until_note tracing -eq 0
}

# Prints the pages of that file in the profile: all, and those that nobody is sure of.
pages_of() { # PROGRAM FILE
	"$tool" show --json "$(echo "$HEADSTART_STATE/$1"-*.profile)" >"$tmp/shown" || fail "the profile is not good"
	json "$tmp/shown" - "$2" <<'END'
ranges = [file["ranges"] for file in TOP["files"] if file["path"] == ARGS[0]]
ranges = ranges[0] if ranges else []
print(sum(range["pages"] for range in ranges), sum(range["pages"] for range in ranges if range.get("unsure")))
END
}

# Prints the files that the plan is made of, with their pages.
planned_pages() {
	"$tool" show --json "$profile" >"$tmp/shown" || fail "the profile is not good"
	json "$tmp/shown" - <<'END'
for file in sorted(TOP["files"], key=lambda file: file["path"]):
    print(file["path"], sorted(page for r in file["ranges"] for page in range(r["page"], r["page"] + r["pages"])))
END
}

more_exact() { grep -c "made the plan of '$disk/$1' more exact" "$tmp/daemon-log" || :; }

# A recorded plan has one file too many, and not all of another. Starts heal it; sets $counted to whether one of them only counted.
heal_recorded_plan() {
	rm -rf "$HEADSTART_STATE"
	mkdir "$HEADSTART_STATE"
	printf 'program %s\nfile regular %s\nrange 0 4 0 1\nfile regular %s\nrange 0 900 4 1\nfile regular %s\nrange 0 30 904 1\n' \
		"$disk/waiter" "$disk/waiter" "$disk/data" "$disk/unneeded" | "$make_profile" "$tmp/profile"
	"$tool" plan "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
	profile=$(echo "$HEADSTART_STATE"/waiter-*.plan)
	profile=${profile%.plan}.profile
	cp "$tmp/profile" "$profile"
	chmod 644 "$profile"
	planned=yes
	: >"$tmp/log"
	counted=no
	changes=0
	for daemons in $(seq 12); do
		# The first start after that of the daemon is only noted, unless its tracer is there for another program; the second one is watched.
		start_daemon
		for start in 1 2; do
			planned_pages >"$tmp/planned"
			was=$(stat -c %i "$profile") plan=$(stat -c %i "${profile%.profile}.plan")
			cold_start "$disk/waiter" "$disk/data"
			[ "$(stat -c %i "$profile")" != "$was" ] || continue
			changes=$((changes + 1))
			planned_pages >"$tmp/planned-now"
			cmp -s "$tmp/planned" "$tmp/planned-now" || continue
			counted=yes
			[ "$(stat -c %i "${profile%.profile}.plan")" = "$plan" ] || fail "the same plan is made anew"
			was=$(stat -c %i "$profile")
			cold_start "$disk/waiter" "$disk/data"
			[ "$(stat -c %i "$profile")" = "$was" ] || fail "a start that only counts is followed by no pause"
			break
		done
		stop_daemon
		cat "$tmp/daemon-log" >>"$tmp/log"
		[ "$(pages_of waiter "$disk/unneeded")" != "0 0" ] || break
	done
	cp "$tmp/log" "$tmp/daemon-log"
	[ "$(pages_of waiter "$disk/unneeded")" = "0 0" ] || fail "what no start touches stays: $(cat "$tmp/daemon-log")"
}

# A start that changes nothing writes nothing. Only beside others, where pages come late, may one still change something. Nothing is
# executed between the daemon and the starts, since it would see that, too.
starts_write_nothing() {
	for round in 1 2 3 4; do
		before_round=$("$disturbed" now)
		start_daemon
		was=$(stat -c %i "$profile")
		for start in 1 2 3; do cold_start "$disk/waiter" "$disk/data"; done
		[ "$(stat -c %i "$profile")" != "$was" ] || return 0
		why=$("$disturbed" since "$before_round") || fail "the profile is written for nothing"
		echo "round $round of three starts wrote something, disturbed ($why)"
		stop_daemon
	done
	fail "the profile is written for nothing, however often: $why"
}

case_recorded_plan_heals() {
	# On a busy machine pages come so late, and so few at a time, that each start may add some until the plan has healed.
	for try in 1 2 3; do
		heal_recorded_plan
		[ "$counted" = no ] || break
	done
	[ "$counted" = yes ] || fail "no start only counts: $(cat "$tmp/daemon-log")"
	[ "$(pages_of waiter "$disk/data")" = "977 0" ] || fail "what came late has not joined: $(pages_of waiter "$disk/data")"
	[ "$changes" -ge 3 ] || fail "a page leaves after $changes starts"
	[ "$(more_exact waiter)" -ge 2 ] || fail "the journal says: $(cat "$tmp/daemon-log")"
	"$tool" show "$profile" >"$tmp/shown" || fail show
	grep -q "headstartd has added pages" "$tmp/shown" || fail "show says: $(cat "$tmp/shown")"
	[ "$(stat -c %a "$profile")" = 600 ] || fail "others can read what a start of somebody did: $(ls -l "$profile")"
	# The plan is that of the profile.
	"$tool" show --json "${profile%.profile}.plan" >"$tmp/shown" || fail "the plan is not good"
	! grep -q "$disk/unneeded" "$tmp/shown" || fail "the plan has it still"
	starts_write_nothing
	rm -rf "$HEADSTART_STATE"
}

# Of each 16 pages eight are needed, but all are mapped in the start that is learnt, and in later ones: none that is needed is dropped.
needed_pages_stay() {
	trap stop_daemon EXIT # of this try
	rm -rf "$HEADSTART_STATE"
	planned=no
	for try in 1 2 3; do # too little may be seen of a start beside others
		start_daemon
		: >"$tmp/go.stay" # the first start is found cold, the next ones are traced
		for start in $(seq 10); do
			cold_start "$disk/mapper" "$disk/mapped"
			! grep -q "learnt how '$disk/mapper' starts" "$tmp/daemon-log" || break
		done
		grep -q "learnt how '$disk/mapper' starts" "$tmp/daemon-log" || fail "it is not learnt: $(cat "$tmp/daemon-log" /run/headstart/daemon)"
		set -- $(pages_of mapper "$disk/mapped")
		[ "$1" -lt 900 ] || break
		stop_daemon
		rm -rf "$HEADSTART_STATE"
	done
	[ "$1" -ge 900 ] && [ "$2" -ge 500 ] || fail "learnt were $1 pages, $2 of them unsure"
	mv "$tmp/shown" "$tmp/learnt"
	planned=yes
	for start in 1 2 3; do cold_start "$disk/mapper" "$disk/mapped"; done
	stop_daemon
	pages_of mapper "$disk/mapped" >/dev/null # others may leave: those in no window that was mapped
	json "$tmp/shown" - "$disk/mapped" "$tmp/learnt" <<'END' || fail "a page that is needed was dropped: $(cat "$tmp/daemon-log")"
import json
def pages(profile):
    ranges = [file["ranges"] for file in profile["files"] if file["path"] == ARGS[0]][0]
    return {page for range_ in ranges for page in range(range_["page"], range_["page"] + range_["pages"])}
dropped = pages(json.load(open(ARGS[1]))) - pages(TOP)
assert not any(page % 16 < 8 for page in dropped), sorted(dropped)
END
}

case_needed_pages_stay() {
	read_ahead_as_usual
	until_undisturbed needed_pages_stay # the kernel may take back a page before anybody can see that it was there
	rm -rf "$HEADSTART_STATE"
}

run_cases
