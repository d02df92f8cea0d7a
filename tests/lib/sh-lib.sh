# Shared by behaviour tests: a private folder, which is removed at the end, and functions that report what passed, failed, or was
# not tried. A test sources this file first: . "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
#
# A test of several cases defines a function case_WHAT_HAPPENS for each. run_cases, on the last line, runs them all.
set -eu
: "${HEADSTART_TEST_SOURCE:?run it through meson test or tests/run}" "${HEADSTART_TEST_BUILD:?}"
headstart=$HEADSTART_TEST_BUILD/tools/headstart
prefetch=$HEADSTART_TEST_BUILD/tools/headstart-prefetch
audit=$HEADSTART_TEST_BUILD/ldpreload/libheadstart-audit.so
preload=$HEADSTART_TEST_BUILD/ldpreload/libheadstart-preload.so
make_profile=$HEADSTART_TEST_BUILD/tests/lib/make-profile
page=$HEADSTART_TEST_BUILD/tests/lib/page
unclaimed=$HEADSTART_TEST_BUILD/tests/lib/unclaimed
disturbed=$HEADSTART_TEST_BUILD/tests/lib/disturbed
this_test=$(realpath "$0")
as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --" # put it in front of a command that an ordinary user runs
unset HEADSTART HEADSTART_CONFIG HEADSTART_HOSTS HEADSTART_LOG HEADSTART_PREFETCH HEADSTART_RECORDING HEADSTART_STATE HEADSTART_WAIT
umask 022       # what is to be closed to others is closed by the test
exec </dev/null # whoever started us may have closed it
tmp=$(mktemp -d "${TMPDIR:-/tmp}/headstart-test.XXXXXX")
others=             # set by for_others
at_exit() { :; }    # a test redefines it to clean up what is not in $tmp
clean_up() {
	at_exit
	# What a case has left mounted may be the machine's: it is not removed with the folder.
	sed -n "s,^[^ ]* [^ ]* [^ ]* [^ ]* \($tmp/[^ ]*\) .*,\1,p" /proc/self/mountinfo | sort -r | while read -r point; do umount -l "$point" || :; done
	rm -rf --one-file-system "$tmp" ${others:+"$others"}
}
trap clean_up EXIT
trap 'exit 130' INT TERM

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

# Reports why a test goes on without a case: tests/run calls such a test partial, and CI fails unless tests/expected-skips lists
# it.
untried() {
	echo "partial: $*"
}

# Whether a program that a case needs is installed; otherwise reports the case as untried.
have() {
	command -v "$1" >/dev/null && return 0
	untried "no $1"
	return 1
}

# Where no private mount namespace can be made, as in a chroot whose root is no mount, a test or a case is skipped.
needs_mounts() {
	[ "$(id -u)" = 0 ] || skip "not root"
	unshare --mount --propagation private true 2>/dev/null || skip "no private mount namespace can be made here"
}

# for_others FILE…: copies the files into $others, a folder that every user can enter. The folder of the build may be closed to
# other users, as those below /root are.
for_others() {
	if [ -z "$others" ]; then
		others=$(mktemp -d /tmp/headstart-test.XXXXXX)
		chmod 755 "$others"
	fi
	cp -- "$@" "$others"
}

# Prints the name of a new folder whose page cache can be emptied, if there is such a place: preferably where other users can be
# let in, since the build may not be such a place.
disk_folder() {
	for disk_place in "${TMPDIR:-/tmp}" /var/tmp "$HEADSTART_TEST_BUILD"; do
		case $(stat -fc %T "$disk_place") in
		tmpfs | ramfs | overlayfs) ;;
		*) break ;;
		esac
	done
	mktemp -d "$disk_place/headstart-test.XXXXXX"
}

# For tests that make plans: $tmp may lie in memory, and plans name no files in memory.
on_disk() {
	case $(stat -fc %T "$tmp") in
	tmpfs | ramfs)
		rmdir "$tmp"
		tmp=$(disk_folder)
		;;
	esac
}

# Drops the pages of clean files from the page cache.
evict() { # FILE…
	for file; do
		dd of="$file" oflag=nocache conv=notrunc count=0 status=none
	done
}

# Prints the string that a macro of config.h stands for.
defined() { sed -n "s/^#define $1 \"\(.*\)\"/\1/p" "$HEADSTART_TEST_BUILD/config.h"; }

can_trace() { command -v strace >/dev/null && strace -qq -o /dev/null true 2>/dev/null; }

# Runs a command as a process that collects orphans, which then become its children.
collecting() {
	/usr/bin/python3 -c '
import ctypes, os, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}

# Runs a command, and waits for it and for all processes that it leaves behind, detached or not. Exits with the status of the
# command. Commands that change the user or the environment stand behind it: gathering env …
gathering() {
	/usr/bin/python3 -c '
import ctypes, os, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
command = os.fork()
if command == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
ended = {}
try:
    while True:
        ended.update([os.wait()])
except ChildProcessError:
    status = os.waitstatus_to_exitcode(ended[command])
    sys.exit(status if status >= 0 else 128 - status)' "$@"
}

# Prints the children of a process that have this name. pgrep(1) would look at every process of the machine, and wait for those that hang.
children_named() { # PARENT NAME
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" != "$2" ] || echo "$child"
	done
}

# Only one recording at a time can run on a machine: tests take turns, also with those of other clones. A turn ends with the test, or
# with `exec 7<&-`. Programs that the test leaves behind get no descriptor 7.
take_turn() {
	exec 7</sys/kernel
	flock 7
}

# For those that only need that nobody records meanwhile, as daemons that learn: they run beside each other.
share_turn() {
	exec 7</sys/kernel
	flock --shared 7
}

# until_undisturbed COMMAND…: runs a function or a command until it succeeds, at most ten times. It tries again, and says so, only
# if something disturbed the try (disturbances.h); a command that fails undisturbed has failed. The command runs in a subshell with
# set -e, so until_undisturbed must not stand in a condition.
until_undisturbed() {
	for attempt in 1 2 3 4 5 6 7 8 9 10; do
		before_try=$("$disturbed" now)
		set +e
		(
			set -e
			"$@"
		) 2>"$tmp/disturbed-err"
		status=$?
		set -e
		[ "$status" != 0 ] || return 0
		[ "$status" != 77 ] || exit 77 # it was skipped, and has said why
		disturbed_by=$("$disturbed" since "$before_try") || break
		echo "try $attempt of '$*' failed, disturbed ($disturbed_by): $(cat "$tmp/disturbed-err")"
	done
	cat "$tmp/disturbed-err" >&2
	fail "'$*' fails, try $attempt: ${disturbed_by:-undisturbed}"
}

# Runs a command that must succeed in a warm start: make_warm prepares it, and it logs to $log. Somebody else may empty the page
# cache meanwhile, and a resident page counts as cold if another program's turn delays the answer.
when_warm() {
	until_undisturbed warm_start "$@"
}
warm_start() {
	make_warm
	rm -f "$log"
	"$@"
}

# Flips every bit of a byte of a file. A fixed value in its place could be the one that was there, for instance in a checksum.
damage() { # FILE OFFSET
	byte=$(od -An -t u1 -j "$2" -N 1 "$1")
	printf "\\$(printf %o $((byte ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Overwrites bytes. BYTES are given as printf(1) wants them.
poke() { # FILE OFFSET BYTES
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# json FILE EXPRESSION [ARGUMENT…] prints the value of a Python expression over a JSON file; json FILE - [ARGUMENT…] <<END runs
# Python statements that assert something of it.
json() { "$HEADSTART_TEST_SOURCE/tests/lib/ask-json" "$@"; }

# opens_not FILE COMMAND…: runs the command, which must not open that file, not even to see what it is. O_PATH opens nothing.
opens_not() {
	rm -f "$tmp/opened"
	not_to_open=$1
	shift
	"$HEADSTART_TEST_BUILD/tests/attack/opened" "$not_to_open" "$tmp/opened" "$@" >/dev/null 2>"$tmp/err" || :
	[ ! -e "$tmp/opened" ] || fail "'$*' opens '$not_to_open'"
}

# Runs a command that must fail with the given status and print the given words on stderr, in one line.
refuses() {
	want=$1 words=$2
	shift 2
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" = "$want" ] || fail "'$*' exited $status, not $want: $(cat "$tmp/err")"
	grep -qF -- "$words" "$tmp/err" || fail "'$*' did not say '$words': $(cat "$tmp/err")"
	[ "$(wc -l <"$tmp/err")" = 1 ] || fail "'$*' said more than one line: $(cat "$tmp/err")"
}

# Runs a command as root of a user namespace, without a tracefs that is mounted already: that would serve root's own namespaces.
as_root_of_user_namespace() {
	unshare --mount --propagation private sh -c '
		while umount /sys/kernel/tracing || umount -R /sys/kernel/debug; do :; done 2>/dev/null
		exec unshare --user --map-root-user "$@"' sh "$@"
}

# Has a process, $holder, lock the file, or so many of its bytes, until $tmp/locked is removed.
hold_lock() { # FILE [BYTES START]
	/usr/bin/python3 - "$1" "$tmp/locked" "${2:-0}" "${3:-0}" <<'END' &
import fcntl, os, sys, time
file = open(sys.argv[1], "a+b")
fcntl.lockf(file, fcntl.LOCK_EX, int(sys.argv[3]), int(sys.argv[4]))
open(sys.argv[2], "w").close()
while os.path.exists(sys.argv[2]):
    time.sleep(0.02)
END
	holder=$!
	until [ -e "$tmp/locked" ]; do sleep 0.02; done
}

# run_cases [ARGUMENT…]: runs the cases of the test in the order of the file, to the end even if one fails, and prints the outcome
# of each. Each case gets the arguments, and a shell of its own: changes to files stay, changes to variables do not. A case that
# skips counts as untried. A test redefines at_case_exit to clean up after each case.
at_case_exit() { :; }
run_cases() {
	cases_failed= cases_tried=
	cases=$(sed -n 's/^\(case_[a-z0-9_]*\)().*/\1/p' "$this_test")
	[ -n "$cases" ] || fail "no cases"
	for case in $cases; do
		rm -f "$tmp/skipped"
		set +e
		(
			set -e
			fail() {
				case $* in "$case: "*) ;; *) set -- "$case: $*" ;; esac
				echo "FAIL: $*" >&2
				exit 1
			}
			skip() {
				echo "$*" >"$tmp/skipped"
				exit 77
			}
			what=$case
			case_others=$others # the copies that this case makes are removed with it
			trap 'at_case_exit; [ "$others" = "$case_others" ] || rm -rf "$others"' EXIT
			"$case" "$@"
		)
		result=$?
		set -e
		case $result in
		0)
			cases_tried=1
			echo "ok: $case"
			;;
		77) untried "$case$([ ! -e "$tmp/skipped" ] || sed 's/^/: /' "$tmp/skipped")" ;;
		*)
			cases_tried=1 cases_failed="$cases_failed $case"
			echo "failed: $case"
			;;
		esac
	done
	[ -z "$cases_failed" ] || fail "these cases failed:$cases_failed"
	[ -n "$cases_tried" ] || skip "no case could be tried here"
}
