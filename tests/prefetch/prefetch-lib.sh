# For tests of headstart-prefetch: cold files on a disk. Source it after sh-lib.sh.
plan_of=$HEADSTART_TEST_BUILD/tests/prefetch/plan-of
refuse=$HEADSTART_TEST_BUILD/tests/prefetch/refuse
[ -x "$prefetch" ] || fail "headstart-prefetch is not built"

# A folder on a disk, removed at the end: the page cache of a tmpfs cannot be emptied.
disk=$(disk_folder)
more_at_exit() { :; }
at_exit() {
	more_at_exit
	rm -rf "$disk"
}
case $(stat -fc %T "$disk") in
tmpfs | ramfs | overlayfs) skip "'$disk' lies on $(stat -fc %T "$disk"), whose page cache cannot be emptied" ;;
esac

# make_files N: $disk/f1 … of about half a megabyte.
make_files() {
	for i in $(seq "$1"); do
		head -c $((500000 + i)) /dev/urandom >"$disk/f$i"
	done
	sync -f "$disk"
}

# value KEY JSON: prints a number or a string of the output of headstart-prefetch --json.
value() {
	printf '%s\n' "$2" | sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"
}

# found BYTES JSON FILE…: --verify found all of these bytes of the files resident, except for those that the kernel has taken
# again by itself.
found() {
	wanted=$1 after=$(value bytes_resident_after "$2")
	shift 2
	[ "$after" -le "$wanted" ] && [ $((after + $("$page" taken "$@"))) -ge "$wanted" ]
}

# arrives ENGINE COMMAND…: the command, which prefetches $disk/f* by a plan with --verify --json, must say that it used that
# engine, that the files were cold, and that every byte is resident now.
arrives() {
	until_undisturbed arrives_once "$@"
}
arrives_once() {
	engine=$1
	shift
	evict "$disk"/f*
	out=$("$@") || fail "'$*' failed"
	[ "$(value engine "$out")" = "$engine" ] || fail "'$*' did not use $engine: $out"
	[ "$(value bytes_resident_before "$out")" = 0 ] || fail "the files were not cold: $out"
	[ "$(value bytes_asked "$out")" = "$(cat "$disk"/f* | wc -c)" ] || fail "'$*' did not ask for all: $out"
	found "$(value bytes_asked "$out")" "$out" "$disk"/f* || fail "not all has arrived: $out"
}
