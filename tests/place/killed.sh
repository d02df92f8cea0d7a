#!/bin/sh
# 'headstart place' is killed at random moments while it moves files, and while it takes them back: each time all bytes are there,
# the file system is whole, and the next run does the rest. HEADSTART_TEST_KILLS says how often, 20 times by default, and
# HEADSTART_TEST_SEED repeats the moments of a run.
#   killed.sh [ext4|xfs]
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/place/place-lib.sh"
kills=${HEADSTART_TEST_KILLS:-20} seed=${HEADSTART_TEST_SEED:-$(date +%s)}
echo "seed $seed, $kills kills"
case ${1-ext4} in
ext4) make_ext4 ;;
*) make_other "$1" ;;
esac
make_files
picture >"$tmp/before"
same() { picture | diff "$tmp/before" - || fail "$1: files have changed"; }

# How long a whole run takes: the kills are spread over that.
started=$(date +%s%N)
place --profile "$tmp/start.profile" >"$tmp/out"
duration=$((($(date +%s%N) - started) / 1000000 + 1))
"$headstart" place --undo >"$tmp/out"
same "without a kill"
check_file_system
free=$(stat -f -c %f "$disk")

killed=0
for turn in $(seq "$kills"); do
	after=$(awk -v seed="$((seed + turn))" -v most="$duration" 'BEGIN {srand(seed); printf "%.3f", rand() * most / 1000 + 0.001}')
	case $((turn % 2)) in
	1) set -- "$headstart" place --device rotational --profile "$tmp/start.profile" ;;
	0) set -- "$headstart" place --undo ;;
	esac
	"$@" >"$tmp/out" 2>&1 &
	victim=$!
	sleep "$after" # a random moment
	kill -KILL "$victim" 2>/dev/null || :
	status=0
	wait "$victim" 2>/dev/null || status=$?
	[ "$status" != 137 ] || killed=$((killed + 1))
	# If the machine was busy while the first run was timed, later ones end before they are killed.
	[ "$killed" -gt 0 ] || duration=$((duration / 2 + 1))
	same "kill $turn, after $after s"
	check_file_system
	same "kill $turn, after $after s, mounted again"
done
[ "$killed" -gt 0 ] || fail "no run was killed"
echo "$killed of $kills runs were killed"
place --profile "$tmp/start.profile" >"$tmp/out"
"$headstart" place --undo >"$tmp/out"
same "the last run"
for file in "$disk"/lib/*; do
	[ "$(pieces "$file")" = 1 ] || fail "$file lies in pieces"
done
check_file_system
# No donor is left over.
[ -z "$(find "$disk" -newer "$tmp/before" -type f ! -path '*/lost+found/*')" ] || fail "there are new files"
[ "$free" = "$(stat -f -c %f "$disk")" ] || fail "$(stat -f -c %f "$disk") blocks are free, and $free were before the kills"
