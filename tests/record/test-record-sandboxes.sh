#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings, made from outside, of programs in mount namespaces of their own: in a sandbox on overlayfs, and in a squashfs image
# that only they mount. Does the next cold start have what it needs, started from outside and from inside? And does a sandbox that
# lies deceive nobody?
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk
merged=$disk/merged
mkdir -p "$disk/lower" "$disk/upper" "$disk/work" "$merged"
has_overlay=
mount_overlay() { mount -t overlay overlay -o "lowerdir=$disk/lower,upperdir=$disk/upper,workdir=$disk/work" "$merged"; }
if mount_overlay 2>/dev/null; then
	has_overlay=1
	(
		disk=$merged
		make_programs "\$ORIGIN"
	)
fi

at_exit() { umount "$merged" "$disk" 2>/dev/null || :; }

# What is recorded ends when the recorder has seen all of it: until then something is left in the namespace. Others can run this.
for_others "$tool"
mkfifo "$tmp/never"
cat >"$others/stay" <<END
#!/bin/sh
"\$@" || exit
[ -z "\${HEADSTART_RECORDING-}" ] || { $others/headstart-tool mark; exec cat $tmp/never; }
END
chmod 755 "$others/stay" "$tmp"
record() { "$tool" record --until mark --timeout 60 --kill "$@"; }

names() { # PROFILE FILE
	"$tool" show --json "$1" >"$tmp/shown"
	[ "$(json "$tmp/shown" 'ARGS[0] in [file["path"] for file in TOP["files"]]' "$2")" = True ]
}

# The disk is mounted anew, so nothing of it is in memory: neither pages nor names.
make_cold() {
	[ -z "$has_overlay" ] || umount "$merged"
	make_disk_cold
	echo 0 >"/sys/class/bdi/$(mountpoint -d "$disk")/read_ahead_kb" # so that each page shows
	[ -z "$has_overlay" ] || mount_overlay
}

# Major faults of a cold start, and of all that it starts.
faults() { # COMMAND…
	make_cold
	cat "$headstart" >/dev/null # it lies on another disk, and each recording has emptied the caches
	python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_majflt)' "$@"
}

a_tenth_of_the_faults_are_left() { # WITHOUT WITH
	echo "major faults: $1 without, $2 with"
	[ "$1" -ge 10 ] || fail "the start without headstart had $1 major faults: it was not cold"
	[ "$(($2 * 10))" -le "$1" ] || fail "$2 of $1 major faults are left"
}

# sandbox [OPTION…]: $sandboxed runs a command in a sandbox where the overlay lies at /mnt.
sandbox() {
	[ -n "$has_overlay" ] || skip "overlayfs cannot be mounted here"
	have bwrap || skip "no bwrap"
	bwrap --ro-bind / / true 2>/dev/null || skip "bwrap does not work here"
	set -- bwrap --ro-bind / / --dev /dev --proc /proc --bind "$merged" /mnt "$@"
	sandboxed=$*
}

record_sandbox() {
	sandbox
	rm -rf "$HEADSTART_STATE"
	record --json -- $sandboxed "$others/stay" /mnt/start /mnt/data /mnt/libthree.so.1 >"$tmp/json" 2>"$tmp/err" ||
		fail "$(cat "$tmp/err")"
}

case_files_of_a_sandbox_are_named_as_they_are_here() {
	record_sandbox
	"$tool" show --json "$HEADSTART_STATE"/bwrap-*.profile >"$tmp/shown"
	json "$tmp/shown" - "$merged" "$tmp/json" <<'END' || fail "the profile does not name the files: $(cat "$tmp/json" "$tmp/err")"
merged, said = ARGS[0], json.loads(open(ARGS[1]).readlines()[-1])
files = {file["path"] for file in TOP["files"]}
wanted = {merged + "/" + name for name in ("start", "data", "libone.so.1.0", "libtwo.so.1.0", "libthree.so.1.0")}
assert wanted <= files, wanted - files
assert not any(path.startswith("/mnt/") for path in files), files
assert said["files_unnamed"] == 0 and "unnamed" not in said["bias"], said
assert merged + "/start" in [point["path"] for point in TOP["execs"]], TOP["execs"]
END
}

start_from_outside() {
	set -- $sandboxed "$others/stay" /mnt/start /mnt/data /mnt/libthree.so.1
	without=$(faults "$@")
	with=$(faults "$headstart" run --wait done -- "$@")
	a_tenth_of_the_faults_are_left "$without" "$with"
}

case_sandbox_starts_from_outside() {
	record_sandbox
	until_undisturbed start_from_outside
}

start_from_inside() {
	without=$(faults $sandboxed /mnt/start /mnt/data /mnt/libthree.so.1)
	with=$(faults $sandboxed "$headstart" run --wait done -- /mnt/start /mnt/data /mnt/libthree.so.1)
	a_tenth_of_the_faults_are_left "$without" "$with"
}

case_sandbox_starts_from_inside() {
	record_sandbox
	grep -q "is for a start of '/mnt/start' inside" "$tmp/err" || fail "did not tell of the second plan: $(cat "$tmp/err")"
	until_undisturbed start_from_inside
}

# What runs inside has the path of a program here: the plan of that one stays as it is.
case_a_plan_of_a_program_here_is_not_replaced() {
	sandbox --ro-bind "$merged/helper" /usr/bin/env
	rm -rf "$HEADSTART_STATE"
	record -- $sandboxed "$others/stay" /usr/bin/env s/a/b/ /etc/passwd >/dev/null 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	grep -q "no plan was made for a start of '/usr/bin/env' inside: another program has this path here" "$tmp/err" ||
		fail "did not tell of the clash: $(cat "$tmp/err")"
	! ls "$HEADSTART_STATE" | grep '^env-' || fail "a plan was made under the name of another program"
}

# Under a name that is trusted here lies something else there: what was opened is named, not what its name leads to here.
case_sandbox_that_lies_about_names() {
	sandbox --ro-bind "$merged/data" /etc/passwd
	record -q -o "$tmp/profile" -- $sandboxed "$others/stay" cat /etc/passwd >/dev/null
	"$tool" show --json "$tmp/profile" >"$tmp/shown"
	json "$tmp/shown" - "$merged" <<'END' || fail "a name from the sandbox was believed"
files = {file["path"]: file["bytes"] if "bytes" in file else len(file["ranges"]) for file in TOP["files"]}
assert files.get(ARGS[0] + "/data"), files
assert not files.get("/etc/passwd"), files
END
}

# A sandbox that an ordinary user makes belongs to a user namespace of theirs: names here count, names there do not.
case_sandbox_of_another_user() {
	sandbox
	$as_nobody bwrap --ro-bind / / true 2>/dev/null || skip "an ordinary user cannot make a sandbox here"
	rm -rf "$HEADSTART_STATE"
	record --user nobody -- $sandboxed "$others/stay" /mnt/start /mnt/data /mnt/libthree.so.1 >/dev/null 2>"$tmp/err" ||
		fail "$(cat "$tmp/err")"
	! grep "inside" "$tmp/err" || fail "a plan was made of what a stranger's sandbox shows"
	names "$HEADSTART_STATE"/bwrap-*.profile "$merged/libthree.so.1.0" || fail "the files have no names here"
}

# Root's rights make this sandbox, so names there count. What its user has started there is for root alone, as outside.
case_recording_in_a_sandbox_of_root_for_a_user() {
	sandbox
	rm -rf "$HEADSTART_STATE"
	cp "$(command -v bwrap)" "$others/bwrap-of-root"
	chmod 4755 "$others/bwrap-of-root"
	set -- "$others/bwrap-of-root" ${sandboxed#bwrap }
	$as_nobody "$@" true 2>/dev/null || skip "this bwrap cannot be set-user-ID"
	record --user nobody -- "$@" "$others/stay" /mnt/start /mnt/data /mnt/libthree.so.1 >/dev/null 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	grep -q "is for a start of '/mnt/start' inside" "$tmp/err" || fail "no plan for inside: $(cat "$tmp/err")"
	for profile in "$HEADSTART_STATE"/*.profile; do
		[ "$(stat -c %a "$profile")" = 600 ] || fail "others may read '$profile': $(stat -c %a "$profile")"
	done
}

# $in_image runs a command in a mount namespace of its own where the image is mounted at /mnt.
image() {
	[ -n "$has_overlay" ] || skip "overlayfs cannot be mounted here"
	have mksquashfs || skip "no mksquashfs"
	[ -e "$disk/image" ] || mksquashfs "$merged" "$disk/image" -quiet -no-progress >/dev/null
	unshare --mount sh -c "mount -o loop,ro $disk/image /mnt" 2>/dev/null || skip "no squashfs here"
	cat >"$tmp/in-image" <<-END
		#!/bin/sh
		mount -o loop,ro $disk/image /mnt || exit
		echo 0 >"/sys/class/bdi/\$(mountpoint -d /mnt)/read_ahead_kb"
		"\$@"
	END
	chmod +x "$tmp/in-image"
	in_image="unshare --mount $tmp/in-image"
}

record_image() {
	image
	rm -rf "$HEADSTART_STATE"
	make_cold
	record --json -- $in_image "$others/stay" /mnt/start /mnt/data /mnt/libthree.so.1 >"$tmp/json" 2>"$tmp/err" ||
		fail "$(cat "$tmp/err")"
}

# Both recordings are of cold files: what is in memory already is not seen, and so not missed.
tells_of_files_of_an_image() {
	record_image
	tail -n 1 "$tmp/json" >"$tmp/said"
	json "$tmp/said" - <<'END' || fail "nothing is said of the files without a name: $(cat "$tmp/said" "$tmp/err")"
assert TOP["files_unnamed"] >= 5 and "unnamed" in TOP["bias"], TOP
END
	make_cold
	record -o "$tmp/profile" -- $in_image "$others/stay" /mnt/start /mnt/data /mnt/libthree.so.1 >/dev/null 2>"$tmp/err"
	grep -q "touched files of other mount namespaces have no name here" "$tmp/err" || fail "$(cat "$tmp/err")"
}

case_files_of_an_image_are_told_to_be_missing() {
	until_undisturbed tells_of_files_of_an_image
}

# Each try records anew: what is taken from memory while a start is recorded may be missing in its profile.
start_image_from_inside() {
	record_image
	without=$(faults $in_image /mnt/start /mnt/data /mnt/libthree.so.1)
	with=$(faults $in_image "$headstart" run --wait done -- /mnt/start /mnt/data /mnt/libthree.so.1)
	a_tenth_of_the_faults_are_left "$without" "$with"
}

case_image_starts_from_inside() {
	until_undisturbed start_image_from_inside
}

# How often a cold start itself, after its prefetcher, reads from the disk on which the image lies.
reads() { # OPTION…
	make_cold
	device=$(findmnt -no SOURCE "$disk")
	cat >"$tmp/counted" <<-END
		#!/bin/sh
		cat /sys/block/${device#/dev/}/stat >$tmp/stat
		exec $in_image /mnt/start /mnt/data /mnt/libthree.so.1
	END
	chmod +x "$tmp/counted"
	"$@" "$tmp/counted" >/dev/null
	cat "$tmp/stat" "/sys/block/${device#/dev/}/stat" | awk '{ reads[NR] = $1 } END { print reads[2] - reads[1] }'
}

start_image_from_outside() {
	record_image
	names "$HEADSTART_STATE"/unshare-*.profile "$disk/image" || fail "the image is not in the profile"
	without=$(reads env)
	profile=$(echo "$HEADSTART_STATE"/unshare-*.profile)
	with=$(reads "$headstart" run --plan "${profile%.profile}.plan" --wait done --)
	echo "reads of the disk: $without without, $with with"
	[ "$without" -ge 10 ] || fail "the start without headstart read $without times: it was not cold"
	[ "$((with * 10))" -le "$without" ] || fail "$with of $without reads are left"
}

# Each mount of the image has pages of its own, in which every first touch is a major fault; but what it is made of is in memory.
case_image_starts_from_outside() {
	until_undisturbed start_image_from_outside
}

case_root_of_a_user_namespace_is_told_what_is_missing() {
	as_root_of_user_namespace true 2>/dev/null || skip "no user namespaces here"
	for verb in "record --backend trace" trace; do
		refuses 1 "type 'sudo headstart ${verb%% *}' outside of it" as_root_of_user_namespace "$tool" $verb -o "$tmp/none" -- true
	done
	refuses 1 "type 'sudo headstart watch' outside of it" as_root_of_user_namespace "$tool" watch
}

# A namespace that has no part in the recording goes when its last process ends: its disk can be removed at once.
case_namespaces_of_others_are_not_kept() {
	truncate -s 16M "$tmp/theirs"
	mkfs.ext4 -q -F "$tmp/theirs"
	mkdir -p "$tmp/there"
	mkfifo "$tmp/begun"
	"$tool" record --quiet --no-drop --keep-read-ahead --until mark --timeout 300 --kill -o "$tmp/profile" -- \
		sh -c "echo >$tmp/begun; exec cat $tmp/never" 2>"$tmp/err" &
	recorder=$!
	at_case_exit() { kill "$recorder" 2>/dev/null || :; wait "$recorder" || :; }
	read -r _ <"$tmp/begun"
	unshare --mount --propagation private sh -c 'mount -o loop "$1/theirs" "$1/there" && echo >"$1/there/file" &&
		cat "$1/there/file" /etc/passwd && ls -lR "$1/there"' sh "$tmp" >"$tmp/out" || skip "no loop device here"
	# Others on the machine may look at it, too.
	tries=0
	while [ -n "$(losetup -j "$tmp/theirs")" ]; do
		kill -0 "$recorder" || fail "the recording has ended: $(cat "$tmp/err")"
		[ $((tries += 1)) -lt 1200 ] || fail "the recorder keeps it: $(losetup -j "$tmp/theirs")"
		sleep 0.05 # it tells in no other way
	done
}

run_cases
