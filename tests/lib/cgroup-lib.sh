# Shared by tests of what runs in control groups. Source it after sh-lib.sh, and call remove_cgroups at the end of each case.

# Makes $cgroup, the folder of a new cgroup, which is removed at the end of the case: cgroup2 NAME, or cgroup1 CONTROLLER NAME.
# These fail where there is no such hierarchy, or where it cannot be written to.
cgroups=
cgroup2() { new_cgroup "$(sed -n 's/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p' /proc/mounts | head -1)" "$1"; }
cgroup1() { new_cgroup "$(sed -n "s/^[^ ]* \([^ ]*\) cgroup [^ ]*[,=]$1[, ].*/\1/p" /proc/mounts | head -1)" "$2"; }
new_cgroup() { # MOUNT NAME
	[ -n "$1" ] || return 1
	cgroup=$1/headstart-test-$$.slice/$2
	mkdir -p "$cgroup" 2>/dev/null || return 1
	cgroups="$cgroups $1/headstart-test-$$.slice"
}
remove_cgroups() {
	for folder in $cgroups; do
		[ ! -d "$folder" ] || find "$folder" -depth -type d -exec rmdir {} ";"
	done
}

# in_cgroups FOLDER…: prints what must stand in front of a command to run it in those cgroups.
in_cgroups() { echo sh "$tmp/enter" $# "$@"; }
cat >"$tmp/enter" <<'INSIDE'
count=$1
shift
while [ "$count" -gt 0 ]; do
	echo $$ >"$1/cgroup.procs" || exit 76
	shift
	count=$((count - 1))
done
exec "$@"
INSIDE
