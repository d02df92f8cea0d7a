#!/bin/sh
# Files of a FUSE file system, of which preadv2(RWF_NOWAIT) tells nothing: --wait done means that the data is there, by every engine
# and without io_uring; a start that is cold counts as cold; and of a file system that forgets at every open nothing is planned.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
if [ "${1-}" != inside ]; then
	rm -rf "$disk"
	[ "$(id -u)" = 0 ] || skip "not root"
	[ -c /dev/fuse ] || skip "no /dev/fuse (modprobe fuse)"
	unshare --mount --propagation private true 2>/dev/null || skip "mount namespaces cannot be made here"
	rm -rf "$tmp"
	status=0
	unshare --mount --propagation private sh "$0" inside || status=$?
	exit $status
fi

mirror=$HEADSTART_TEST_BUILD/tests/prefetch/mirror
real=$disk/real
mkdir "$real" "$disk/keep" "$disk/auto" "$disk/forget" "$disk/direct" "$disk/hold-read"
root=$disk
disk=$real
make_files 4
cp /bin/cat "$real/program"
disk=$root
cat "$real"/f* >"$tmp/all"
total=$(wc -c <"$tmp/all")
export HEADSTART_STATE="$tmp/state"
mkdir "$HEADSTART_STATE"

# The servers end when they are unmounted.
more_at_exit() {
	for mode in keep auto forget direct; do
		umount -l "$root/$mode" 2>/dev/null || :
	done
	wait
}
serve() { # MODE
	"$mirror" "$real" "$root/$1" "$tmp/$1.log" "$1" 2>"$tmp/mirror-err" &
	server=$!
	until mountpoint -q "$root/$1"; do
		kill -0 $server 2>/dev/null || skip "a FUSE file system cannot be mounted here: $(cat "$tmp/mirror-err")"
		sleep 0.01
	done
	touch "$tmp/$1.log"
}
for mode in keep auto forget direct; do
	serve $mode
done

# Drops what the kernel has of the mirrored files, not their names: they stay as they were looked up.
forget_pages() {
	python3 -c '
import os, sys
for path in sys.argv[1:]:
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)' "$@"
}
reads() { wc -l <"$tmp/$1.log"; }

# The plan of the program, which reads the mirrored files of one mode.
plan_program() {
	{
		echo "program $root/$1/program"
		for file in "$root/$1/program" "$root/$1"/f*; do
			echo "file regular $file"
			echo "range 0 $((($(stat -c %s "$file") + 4095) / 4096)) $((order += 1000)) 1"
		done
	} | "$make_profile" "$tmp/$1.profile"
	"$headstart" plan "$tmp/$1.profile"
}

bytes_arrive() {
	forget_pages "$root"/keep/f*
	out=$("$@") || fail "'$*' failed"
	[ "$(value bytes_resident_before "$out")" = 0 ] || fail "the files were not cold: $out"
	[ "$(value bytes_asked "$out")" = "$total" ] || fail "'$*' did not ask for all: $out"
	[ "$(value bytes_resident_after "$out")" = "$total" ] || fail "'$*': not all has arrived: $out"
	before=$(reads keep)
	cat "$root"/keep/f* | cmp -s - "$tmp/all" || fail "'$*': the files are others"
	[ "$(reads keep)" = "$before" ] || fail "'$*': the files were read again: $(($(reads keep) - before)) times"
}
case_bytes_are_there_when_it_has_waited() {
	"$plan_of" touch "$root"/keep/f* >"$tmp/plan"
	for engine in uring nowait fadvise read; do
		until_undisturbed bytes_arrive "$prefetch" --json --verify --engine $engine "$tmp/plan"
	done
	until_undisturbed bytes_arrive "$refuse" io_uring_setup EPERM "$prefetch" --json --verify "$tmp/plan"
}

# The program's files are known by name, but their pages are gone: of them only mincore(2) knows.
starts_cold() {
	forget_pages "$root/keep/program" "$root"/keep/f*
	: >"$tmp/keep.log"
	"$@" "$headstart" run --verbose --wait done -- "$root/keep/program" /dev/null 2>"$tmp/err" || fail "the program fails: $(cat "$tmp/err")"
	grep -q "prefetching 5 files" "$tmp/err" || fail "nothing was read ahead: $(cat "$tmp/err")"
	before=$(reads keep)
	[ "$before" -gt 0 ] || fail "nothing was read"
	"$root/keep/program" "$root"/keep/f* | cmp -s - "$tmp/all" || fail "the files are others"
	[ "$(reads keep)" = "$before" ] || fail "the program still had to read: $(($(reads keep) - before)) times"
}
starts_warm() {
	cat "$root/keep/program" "$root"/keep/f* >/dev/null
	"$headstart" run --verbose --wait done -- "$root/keep/program" /dev/null 2>"$tmp/err"
	grep -q "everything is cached already" "$tmp/err" || fail "a warm start counts as cold: $(cat "$tmp/err")"
}
case_cold_start_is_read_ahead_and_a_warm_one_is_not() {
	plan_program keep >"$tmp/out"
	grep -q "^files    5, folders and links included; " "$tmp/out" || fail "not all files are planned: $(cat "$tmp/out")"
	until_undisturbed starts_cold
	until_undisturbed starts_cold "$refuse" io_uring_setup EPERM
	until_undisturbed starts_warm
}

is_left_out() { # MODE
	! plan_program "$1" >"$tmp/out" 2>"$tmp/err" || fail "a plan was made: $(cat "$tmp/out")"
	grep -q "^headstart: 5 files are left out of the plan of '.*': their FUSE file system caches nothing" "$tmp/err" ||
		fail "it does not say why: $(cat "$tmp/err")"
	before=$(reads "$1")
	cat "$root/$1"/f* "$root/$1"/f* >/dev/null
	[ $(($(reads "$1") - before)) -gt 8 ] || fail "this file system does not forget: the test is wrong"
}
case_file_system_that_forgets_at_every_open_is_left_out_with_a_sentence() { until_undisturbed is_left_out forget; }
case_file_system_that_never_caches_is_left_out_with_a_sentence() { until_undisturbed is_left_out direct; }
case_file_system_that_forgets_only_changed_files_is_planned() {
	plan_program auto >"$tmp/out"
	grep -q "^files    5, folders and links included; .* 0 uncached" "$tmp/out" || fail "not all files are planned: $(cat "$tmp/out")"
}

# The first file lies on a file system of its own. The second one arrives only when it may.
is_closed_when_it_was_read() { # ENGINE
	mkdir -p "$root/first"
	"$mirror" "$real" "$root/first" "$tmp/first.log" keep &
	until mountpoint -q "$root/first"; do sleep 0.01; done
	serve hold-read
	"$plan_of" touch "$root/first/f1" "$root/hold-read/f2" >"$tmp/two.plan"
	"$prefetch" --engine "$1" "$tmp/two.plan" &
	prefetcher=$!
	until grep -q '^read' "$tmp/hold-read.log"; do
		kill -0 $prefetcher 2>/dev/null || fail "$1: the second file was not read"
		sleep 0.01
	done
	tries=0
	until umount "$root/first" 2>/dev/null; do
		[ $((tries += 1)) -lt 1000 ] || fail "$1: the first file stays open"
		sleep 0.01
	done
	kill -0 $prefetcher 2>/dev/null || fail "$1: the prefetcher did not wait for the second file"
	(
		exec 9<>"$tmp/hold-read.log.held"
		wait_for $prefetcher
		until umount "$root/hold-read" 2>/dev/null; do sleep 0.1; done # the kernel closes the files of a ring a little later
	)
}
wait_for() { while kill -0 "$1" 2>/dev/null; do sleep 0.01; done; }
case_file_is_closed_when_it_was_read() {
	mkfifo "$tmp/hold-read.log.held"
	at_case_exit() {
		kill -KILL $server 2>/dev/null || :
		umount -l "$root/hold-read" "$root/first" 2>/dev/null || :
	}
	for engine in uring read; do
		rm -f "$tmp/hold-read.log"
		is_closed_when_it_was_read $engine
	done
}

run_cases
