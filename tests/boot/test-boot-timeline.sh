#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart boot report and timeline: a recording says what each unit waited for, also one with a hostile name; a browser draws it.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/boot/boot-lib.sh"
timeline=$HEADSTART_STATE/boot/timeline
hostile='x<script>document.title="harmed"<!--&amp;.service'
for name in one two; do
	head -c 2000000 /dev/urandom >"$disk/$name"
done
# A control group of version 2 for what stands for systemd's units.
find_groups() {
	groups=
	while read -r _ folder type _; do
		[ "$type" != cgroup2 ] || groups=$folder/headstart-test.$$
	done </proc/mounts
	[ -n "$groups" ] || skip "no control groups of version 2 are mounted"
	mkdir "$groups" 2>/dev/null || skip "no control group can be made here"
}
at_exit() {
	at_case_exit
	umount "$disk" 2>/dev/null || :
	rmdir "${groups:-/none}"/* "${groups:-/none}" 2>/dev/null || :
	rm -rf "$tmp/browser" 2>/dev/null || :
}

# in_unit NAME COMMAND…: runs it in the control group of a unit of this name.
in_unit() {
	unit=$1
	shift
	mkdir -p "$groups/$unit"
	sh -c 'echo $$ >"$0" && exec "$@"' "$groups/$unit/cgroup.procs" "$@"
}

# systemd is played by a program that says when units were started: it was active at the time in $tmp/active.
play_systemd() {
	mkdir -p /run/systemd/system
	mount -t tmpfs tmpfs /usr/local/sbin
	cat >/usr/local/sbin/systemctl <<-END
		#!/bin/sh
		[ "\$1" = show ] || exit 1
		active=\$(cat "$tmp/active")
		printf 'Id=one.service\nInactiveExitTimestampMonotonic=1\nActiveEnterTimestampMonotonic=%s\n\n' "\$active"
		printf 'Id=test.target\nInactiveExitTimestampMonotonic=%s\nActiveEnterTimestampMonotonic=%s\n' "\$active" "\$active"
	END
	chmod 755 /usr/local/sbin/systemctl
}

record() {
	begin
	in_unit one.service cat "$disk/one" >/dev/null
	in_unit "$hostile" cat "$disk/two" >/dev/null
	echo "$(cut -d ' ' -f 1 /proc/uptime | tr -d .)0000" >"$tmp/active"
	"$headstart" boot stop || fail "cannot stop"
	await_recorder
	! grep -q "there is no timeline" "$tmp/log" || skip "$(cat "$tmp/log")"
	[ -e "$timeline" ] || fail "no timeline: $(cat "$tmp/log")"
	cp "$timeline" "$tmp/kept"
}
# Whether the kernel dropped events, as it does on a busy machine: reads are missing then.
lost() { "$tool" boot report --json "$tmp/kept" | grep -q '"lost": *true'; }

find_groups
play_systemd
for try in 1 2 3; do # once for all cases, unless something is missing
	make_disk_cold
	record
	lost || break
done

case_each_unit_has_what_it_read() {
	[ "$(stat -c %a "$timeline")" = 600 ] || fail "others may read what boots read"
	! lost || { untried "the kernel dropped events" && return 0; }
	"$tool" boot report --json >"$tmp/report"
	/usr/bin/python3 - "$tmp/report" "$disk" "$hostile" <<'END' || fail "the report is not what was read: $(cat "$tmp/report")"
import json, sys
report, disk, hostile = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
units = {unit["unit"]: unit for unit in report["units"]}
for name, file in (("one.service", "one"), (hostile, "two")):
    unit = units[name]
    assert 1900000 <= unit["bytes"] < 4000000, unit    # not all of it in the first moment after the file was opened
    assert unit["waited"] >= 0 and unit["reads"] > 0 and unit["files"] >= 1, unit
    assert any(read["path"] == f"{disk}/{file}" for read in report["files"]), report["files"]
assert units["one.service"]["started"] == 0 and units["one.service"]["active"] > 0, units["one.service"]
assert "started" not in units[hostile]
END
}

case_report_for_people() {
	COLUMNS=200 "$headstart" boot report >"$tmp/out"
	grep -q "^boot of $(uname -n)\$" "$tmp/out" || fail "no title: $(cat "$tmp/out")"
	grep -q ' one\.service$' "$tmp/out" || fail "a unit is missing: $(cat "$tmp/out")"
	lost || grep -qF " $disk/one" "$tmp/out" || fail "a file is missing: $(cat "$tmp/out")"
	"$tool" boot report -n 1 "$tmp/kept" >"$tmp/out"
	grep -q 'and [0-9]* more' "$tmp/out" || fail "more than one row: $(cat "$tmp/out")"
	"$tool" report "$tmp/kept" >"$tmp/other"
	head -n 1 "$tmp/out" | cmp -s - "$tmp/other" || grep -q '^boot of' "$tmp/other" || fail "'headstart report' does not know boots"
}

case_browser_draws_the_boot() {
	for browser in chromium google-chrome none; do
		! command -v $browser >/dev/null || break
	done
	[ $browser != none ] || { untried "no chromium" && return 0; }
	"$tool" boot timeline -o "$tmp/page.html"
	[ "$(stat -c %a "$tmp/page.html")" = 600 ] || fail "others may read the page"
	HOME=$tmp "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --virtual-time-budget=5000 \
		--dump-dom "file://$tmp/page.html" >"$tmp/dom" 2>"$tmp/err" || fail "the browser failed: $(tail -n 3 "$tmp/err")"
	grep -q "<title>Timeline of the boot of $(uname -n)</title>" "$tmp/dom" || fail "another title: $(grep '<title' "$tmp/dom")"
	grep -q 'data-drawn="[0-9]* rows' "$tmp/dom" || fail "nothing was drawn"
	grep -qF '>one.service</td>' "$tmp/dom" || fail "no unit in the table"
	grep -qF '>x&lt;script&gt;document.title="harmed"&lt;!--&amp;amp;.service</td>' "$tmp/dom" || fail "no hostile unit in the table, whole"
	grep -qF '>test.target reached</td>' "$tmp/dom" || fail "no milestone"
}

case_pictures() {
	"$tool" boot timeline -o "$tmp/boot.svg" "$tmp/kept"
	/usr/bin/python3 -c '
import sys, xml.etree.ElementTree as tree
texts = [e.text or "" for e in tree.parse(sys.argv[1]).iter()]
assert any("one.service" in text for text in texts), texts
assert any(text.startswith("Boot of") for text in texts), texts' "$tmp/boot.svg" || fail "the picture is not what was recorded"
	"$tool" boot timeline -f perfetto -o "$tmp/perfetto" "$tmp/kept"
	/usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))["traceEvents"]' "$tmp/perfetto" || fail "no trace"
	"$tool" boot timeline -o "$tmp/two.html" "$tmp/kept" "$tmp/kept"
}

case_damaged_and_foreign_files() {
	refuses 1 "is not a headstart timeline" "$tool" boot report "$disk/one"
	for offset in 8 30 100 400; do
		cp "$tmp/kept" "$tmp/damaged"
		damage "$tmp/damaged" "$offset"
		refuses 1 "'$tmp/damaged'" "$tool" boot report "$tmp/damaged"
	done
	head -c 300 "$tmp/kept" >"$tmp/damaged"
	refuses 1 "is truncated" "$tool" boot timeline -o "$tmp/page.html" "$tmp/damaged"
	refuses 1 "No such file" "$tool" boot report "$tmp/none"
}

case_a_recording_without_times() {
	rm "$timeline"
	refuses 1 "recorded without times, by an older headstart" "$tool" boot report
	refuses 1 "recorded without times, by an older headstart" "$tool" boot timeline -o "$tmp/page.html"
	mv "$profile" "$tmp/profile"
	refuses 1 "no boot has been recorded yet" "$tool" boot report
	mv "$tmp/profile" "$profile"
	cp "$tmp/kept" "$timeline"
	chmod 606 "$timeline"
	refuses 1 "others than root could have written it" "$tool" boot report
	chmod 600 "$timeline"
}

case_wrong_command_lines() {
	refuses 2 "use -o OUTPUT" "$tool" boot timeline
	refuses 2 "does not say which format" "$tool" boot timeline -o "$tmp/page.txt"
	refuses 2 "unexpected argument 'b'" "$tool" boot report a b
	refuses 2 "unexpected argument 'c'" "$tool" boot timeline -o "$tmp/page.html" a b c
	refuses 2 "--json, --rows and --all are for 'report'" "$tool" boot timeline --json -o "$tmp/page.html"
	refuses 2 "--output and --format are for 'timeline'" "$tool" boot report -o "$tmp/page.html"
	refuses 2 "--timeout is for 'record'" "$tool" boot report --timeout 3
}

case_only_root_reads_it() {
	for_others "$tool"
	! $as_nobody "$others/headstart-tool" boot report 2>"$tmp/err" || fail "nobody read a boot"
	says "only root"
}
run_cases
