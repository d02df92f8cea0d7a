#!/bin/sh
# Whole mode starts no prefetcher where one has found within the last hour that nothing is gained on that disk.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
make_disk

mark_disk() {
	rm -f "$state"/*.fast
	HEADSTART_STATE="$state" "$built/mark-fast" "$look" || fail "the disk cannot be marked"
	mark=$(ls "$state"/*.fast)
}

# expect EXPECTED: what the log has of a cold start.
expect() {
	until_undisturbed cold_start "$1"
}
cold_start() {
	rm -f "$log"
	make_cold
	shimmed HEADSTART=whole "$look" >/dev/null || true
	[ "$(grep -o 'whole=.*' "$log")" = "whole=$1" ] || fail "not '$1', but: $(cat "$log" 2>&1)"
}

case_fast_disk() {
	expect started
	mark_disk
	expect fast-disk
}

case_mark_that_does_not_count() {
	mark_disk
	touch -d '59 minutes ago' "$mark"
	expect fast-disk
	touch -d '61 minutes ago' "$mark"
	expect started
	touch -d '10 minutes' "$mark" # the clock was turned back
	expect started
	touch "$mark"
	chmod 666 "$mark"
	expect started
	chmod 600 "$mark"
	expect fast-disk
	chown 65534 "$mark"
	expect started
	rm "$mark"
	mkfifo "$mark"
	expect started
}

# Of a relaid library little has to be read, which is worth it everywhere. A large read-ahead would read its hot region with its tables.
relaid_start() {
	make_disk_cold
	echo 16 >"/sys/class/bdi/$(mountpoint -d "$disk")/read_ahead_kb" 2>/dev/null || skip "read-ahead cannot be set here"
	mark_disk # it may have another number now
	rm -f "$log"
	shimmed HEADSTART=whole "$look" >/dev/null || true
	[ "$(grep -o 'whole=.*' "$log" | tail -n 1)" = "whole=$1" ] || fail "not '$1', but: $(cat "$log" 2>&1)"
}
case_relaid_library() {
	cp "$look" $libraries "$disk"
	look=$disk/look
	until_undisturbed relaid_start fast-disk
	{
		echo "program $disk/libone.so"
		echo "file regular $disk/libone.so"
		echo "range 3100 230 1 1"
	} | "$make_profile" "$tmp/profile"
	"$headstart" relayout --all --profile "$tmp/profile" -o "$tmp/relaid" "$disk/libone.so" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
	cp "$tmp/relaid" "$disk/libone.so"
	until_undisturbed relaid_start started
}

# The prefetcher has no environment. A user's marks lie in the user's folder, root's only in that of the machine.
marked_by() { # FOLDER [COMMAND…]
	where=$1
	shift
	make_disk_cold
	echo 16 >"/sys/class/bdi/$(mountpoint -d "$disk")/read_ahead_kb" 2>/dev/null || skip "read-ahead cannot be set here"
	echo 0 >"/sys/dev/block/$(mountpoint -d "$disk")/queue/rotational" || skip "a loop device cannot be made solid here"
	HEADSTART_STATE=/var/lib/headstart "$built/mark-fast" --measured "$disk/bash" || fail "nothing can be written of the disk"
	rm -f "$where"/*.fast
	# A prefetcher does nothing for a program that has ended.
	"$@" env -i PATH="$PATH" HOME="$home" LD_AUDIT="$shim_for_all" HEADSTART=whole HEADSTART_PREFETCH="$others/headstart-prefetch" \
		"$disk/bash" -c "sleep 1; exit" >/dev/null 2>&1 || true
	for try in $(seq 200); do
		[ ! -e "$(echo "$where"/*.fast)" ] || return 0
		sleep 0.02
	done
	fail "the disk is not marked in $where"
}
case_prefetcher_marks_the_disk() {
	for_others "$HEADSTART_TEST_BUILD/tools/headstart-prefetch" "$audit"
	shim_for_all=$others/$(basename "$audit") home=$others/home
	mkdir -m 777 "$home"
	mount -t tmpfs -o mode=755 none /var/lib # root's state folder
	cp "$(command -v bash)" "$disk/bash" || skip "there is no bash"
	chmod -R a+rX "$tmp" "$disk"
	until_undisturbed marked_by "$home/.local/state/headstart" $as_nobody
	until_undisturbed marked_by /var/lib/headstart
	[ "$(stat -c '%u %a' /var/lib/headstart/*.fast)" = "0 644" ] || fail "others cannot see root's mark"
	umount /var/lib
}

# What the program writes into the list is no reason for root to write anywhere else. The same list is good in a user's hands.
carry_out_list() { # FOLDER [COMMAND…]
	says=$1
	shift
	python3 -c 'import struct, sys
path, folder, pid = sys.argv[1].encode(), sys.argv[2].encode(), int(sys.argv[3])
sys.stdout.buffer.write(struct.pack("=II512sI252s", pid, 1 | 1 << 31, folder, 2, path).ljust(8 + 512 + 512 * 256, b"\0"))' \
		"${listed:-$disk/bash}" "$says" $$ >"$tmp/list-of-objects"
	chmod 644 "$tmp/list-of-objects"
	"$@" "$others/headstart-prefetch" --objects --fd 9 9<"$tmp/list-of-objects" >"$tmp/out" 2>&1 || fail "it exits $?: $(cat "$tmp/out")"
}
# The folders in which there is a mark now; they are removed.
marks() {
	for where in /var/lib/headstart "$tmp/elsewhere" "$home/own"; do
		[ ! -e "$(echo "$where"/*.fast)" ] || echo "$where"
		rm -f "$where"/*.fast
	done
}
# A program that has given up root's rights still has the list: root reads for it only what only root can change.
case_root_believes_no_path_of_a_list() {
	for_others "$HEADSTART_TEST_BUILD/tools/headstart-prefetch"
	cp "$(command -v bash)" "$disk/bash" || skip "there is no bash"
	chmod -R a+rX "$tmp" "$disk"
	mkdir "$disk/of-nobody"
	cp "$disk/bash" "$disk/of-nobody/bash"
	chown nobody "$disk/of-nobody"
	sync -f "$disk"
	for object in "$disk/bash" "$disk/of-nobody/bash"; do
		"$page" out "$object" || fail "it stays in the page cache"
		listed=$object
		carry_out_list ""
		came=$("$page" came "$object") || : # its status says whether there are any
		case $object in
		*of-nobody*) [ "$came" = 0 ] || fail "root has read $came bytes of what others can change" ;;
		*) [ "$came" -gt 0 ] || fail "root reads nothing: the test looks at the wrong thing" ;;
		esac
	done
	listed=
}
case_root_believes_no_folder_of_a_list() {
	for_others "$HEADSTART_TEST_BUILD/tools/headstart-prefetch"
	home=$others/home
	mkdir -p "$home" "$tmp/elsewhere"
	chmod 777 "$home"
	mount -t tmpfs -o mode=755 none /var/lib
	cp "$(command -v bash)" "$disk/bash" || skip "there is no bash"
	chmod -R a+rX "$tmp" "$disk"
	echo 0 >"/sys/dev/block/$(mountpoint -d "$disk")/queue/rotational" || skip "a loop device cannot be made solid here"
	HEADSTART_STATE=/var/lib/headstart "$built/mark-fast" --measured "$disk/bash" || fail "nothing can be written of the disk"
	unset HEADSTART_STATE
	export HOME="$home"
	carry_out_list /var/lib/headstart
	[ "$(marks)" = /var/lib/headstart ] || fail "root has left no mark"
	for folder in "$tmp/elsewhere" "$home/own" relative "" /var/lib/headstart/../../../tmp; do
		carry_out_list "$folder"
		[ -z "$(marks)" ] || fail "root has left a mark because of '$folder'"
	done
	carry_out_list "$home/own" $as_nobody
	[ "$(marks)" = "$home/own" ] || fail "a user has left no mark"
	for folder in "$tmp/elsewhere" relative ""; do
		carry_out_list "$folder" $as_nobody
		[ -z "$(marks)" ] || fail "a user has left a mark because of '$folder'"
	done
	umount /var/lib
}

run_cases
