#!/bin/sh
# SPDX-License-Identifier: MIT
# Root makes plans of a disk of which no name is in memory, as after booting: each recorded start has its own all the same, and documents are
# left out.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
export HEADSTART_STATE="$tmp/state" HEADSTART_HOSTS="$tmp/hosts.d" HEADSTART_CONFIG="$tmp/headstart.conf"
mkdir "$tmp/state" "$tmp/hosts.d"
: >"$HEADSTART_CONFIG"
printf '[host]\noperand = file\n' >"$HEADSTART_HOSTS/test.conf"
make_disk
disk=$(realpath "$disk")
mkdir -p "$disk/folder/below"
for name in host viewer; do
	cp /bin/true "$disk/$name"
done
for name in common a.py b.py letter.odt; do
	dd if=/dev/urandom of="$disk/folder/below/$name" bs=4096 count=8 status=none
done
ln -s folder "$disk/link"

# profile PROGRAM ARGUMENT FILE…: adds a recording.
profile() {
	name=$1
	printf 'program %s\nargument %s\nargument %s\nfolder %s\nfile regular %s\nrange 0 1 0 1\n' \
		"$disk/$1" "$1" "$2" "$disk/folder" "$disk/$1" >"$tmp/description"
	shift 2
	order=1
	for file; do
		printf 'file regular %s\nrange 0 8 %d 1\n' "$disk/folder/below/$file" "$order"
		order=$((order + 8))
	done >>"$tmp/description"
	[ ! -e "$tmp/$name.profile" ] || set -- --add
	[ "$1" = --add ] || set --
	"$make_profile" "$@" "$tmp/$name.profile" <"$tmp/description"
}

# plan PROGRAM: nothing of the disk is in memory.
plan() {
	make_disk_cold
	"$headstart" plan --device solid "$tmp/$1.profile" >"$tmp/out" 2>&1 || fail "plan: $(cat "$tmp/out")"
	ls "$HEADSTART_STATE" >"$tmp/plans"
}

case_recorded_starts_have_their_own_plans() {
	profile host below/a.py common a.py
	profile host "$disk/link/below/b.py" common b.py
	plan host
	[ "$(grep -c '^host.*@.*plan$' "$tmp/plans")" = 2 ] || fail "a recorded start has no plan: $(cat "$tmp/plans")"
}

case_documents_are_left_out() {
	profile viewer below/letter.odt common letter.odt
	plan viewer
	"$headstart" show --json "$HEADSTART_STATE"/viewer-*.plan >"$tmp/shown"
	grep -qF /common "$tmp/shown" || fail "the plan is not that of the recording"
	! grep -qF letter "$tmp/shown" || fail "a document is planned"
}
run_cases
