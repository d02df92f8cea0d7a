#!/bin/sh
# Whole mode, with libraries that are in memory: a large executable that is cold starts the prefetcher, and a small one does not, because
# read-ahead brings it in with a read or two.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
make_disk
cp "$(command -v ls)" "$disk/small"
[ "$(stat -c %s "$disk/small")" -lt 262144 ] || skip "ls is no small program here"
cp "$(command -v bash)" "$disk/large" 2>/dev/null && [ "$(stat -c %s "$disk/large")" -ge 262144 ] || skip "bash is no large program here"

starts_cold() { # NAME
	"$disk/$1" --help >/dev/null 2>&1 # its libraries
	make_disk_cold
	echo 16 >"/sys/class/bdi/$(mountpoint -d "$disk")/read_ahead_kb" 2>/dev/null || skip "read-ahead cannot be set here"
	: >"$log"
	shimmed HEADSTART=whole "$disk/$1" --help >/dev/null 2>&1 || true
}
starts_nothing() {
	starts_cold small
	! grep -q whole= "$log" || fail "a prefetcher is started: $(cat "$log")"
}
starts_one() {
	starts_cold large
	[ "$(grep -c whole=started "$log")" = 1 ] || fail "no prefetcher is started: $(cat "$log")"
}

case_small_executable() { until_undisturbed starts_nothing; }
case_large_executable() { until_undisturbed starts_one; }
run_cases
