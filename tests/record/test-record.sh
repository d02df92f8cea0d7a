#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording of a script that starts helpers and a program with libraries, dlopen, mapped and read data. It must contain what
# really becomes resident, name everything, and leave the machine as it was.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk
make_programs
machine_state >"$tmp/before"

case_recording_is_what_became_resident() {
	for option in '' --page-cache-events; do
		"$HEADSTART_TEST_SOURCE/bench/check-record" --headstart "$tool" --filesystem "$disk" \
			${option:+--record-option=$option} -- "$disk/link" >"$tmp/check" ||
			fail "the recording ($option) is not what became resident: $(cat "$tmp/check")"
		cat "$tmp/check"
	done
}

case_profile_says_what_happened() {
	"$tool" record --json -o "$tmp/profile" -- "$disk/link" >"$tmp/json" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	"$tool" show --json "$tmp/profile" >"$tmp/shown"
	json "$tmp/shown" - "$tmp/json" "$disk" "$tmp/profile" <<'END' || fail "the profile does not say what happened"
shown, said, disk, profile = TOP, json.loads(open(ARGS[0]).readlines()[-1]), *ARGS[1:]
files = {file["path"]: file for file in shown["files"]}
execs = [point["path"] for point in shown["execs"]]
assert shown["program"] == disk + "/script", shown["program"]
assert execs[0] == disk + "/script" and shown["execs"][0]["order"] == 0, execs
assert {disk + "/helper", disk + "/start"} <= set(execs), execs
for name, kind in {"link": "symlink", "script": "regular", "start": "regular", "helper": "regular", "data": "regular",
                   "empty": "regular", "folder": "directory", "libone.so.1": "symlink", "libone.so.1.0": "regular",
                   "libthree.so.1": "symlink", "libthree.so.1.0": "regular"}.items():
    assert files.get(disk + "/" + name, {}).get("kind") == kind, (name, kind, files.get(disk + "/" + name))
assert disk + "/libthree.so" not in files, "a link that nobody followed"
assert not any(path.startswith(("/proc/", "/sys/", "/dev/")) for path in files), sorted(files)
order = lambda name: files[disk + "/" + name]["order"]
assert order("link") < order("script") < order("helper") < order("start") < order("libone.so.1.0") < order("data")
assert next(p["order"] for p in shown["execs"] if p["path"] == disk + "/start") <= order("start")
assert said["milestone"] == "exit" and said["profile"] == profile, said
END
}

case_pages_in_memory_are_told_once() {
	"$disk/link" >/dev/null || fail "the program does not run"
	"$tool" record --no-drop -o "$tmp/profile" -- "$disk/link" 2>"$tmp/err" >"$tmp/out" || fail "$(cat "$tmp/err")"
	grep -Eq "^headstart: [0-9,]+ pages were already in memory and are recorded less precisely$" "$tmp/err" || fail "$(cat "$tmp/err")"
	[ "$(grep -c 'in memory' "$tmp/err")" = 1 ] || fail "$(cat "$tmp/err")"
}

case_machine_is_left_as_it_was() {
	machine_state | diff "$tmp/before" - >&2 || fail "the machine is not as it was"
}

run_cases
