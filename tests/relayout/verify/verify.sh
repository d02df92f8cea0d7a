#!/bin/sh
# headstart verify: what it prints about good and wrong files, as text and as JSON. test-verify tests what it finds.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/relayout/relaid/relaid-lib.sh"

mkdir "$tmp/files"
case_relaid_file_is_good_and_does_what_it_did() {
	for one in "$@"; do
		file=$tmp/files/$(basename "$one")
		cp "$one" "$file"
		relayout "$file"
		"$headstart" verify "$file" >"$tmp/out" || fail "$one"
		grep -q "^$file: good" "$tmp/out" || fail "verify does not say that $one is good: $(cat "$tmp/out")"
		case $one in
		*exec | *pie) [ "$("$file")" = "$("$one")" ] || fail "$one, relaid, does something else" ;;
		esac
	done
}

case_several_files_are_counted() {
	"$headstart" verify "$tmp"/files/* | grep -q "^$# files: $# good, 0 not" || fail "no count of several files"
}

# Compares what each pass changed with what readelf sees.
case_json_says_what_readelf_sees() {
	file=$tmp/files/$(basename "$1")
	"$headstart" verify --json "$file" >"$tmp/json"
	[ "$(json "$tmp/json" 'TOP["good"]')" = 1 ] || fail "--json does not count"
	[ "$(json "$tmp/json" 'TOP["files"][0]["problem"]')" = None ] || fail "--json has a problem"
	[ "$(json "$tmp/json" 'TOP["files"][0]["original_size"]')" = "$(stat -c %s "$1")" ] || fail "--json has another size"
	[ "$(json "$tmp/json" 'TOP["files"][0]["segments"]')" = "$(readelf -lW "$file" | grep -c '^  LOAD ')" ] ||
		fail "--json has another number of segments"
	[ "$(json "$tmp/json" 'TOP["files"][0]["segments_before"]')" = "$(readelf -lW "$1" | grep -c '^  LOAD ')" ] ||
		fail "--json has another number of original segments"
	[ "$(json "$tmp/json" 'TOP["files"][0]["passes"].count("relr")')" = 1 ] ||
		fail "--json does not name the pass"
	[ "$(json "$tmp/json" 'TOP["files"][0]["packed"]')" = "$(readelf -rW "$1" | grep -c 'R_[A-Z0-9_]*RELATIVE ')" ] ||
		fail "not all relative relocations were packed"
}

case_path_that_is_not_utf8_is_json() {
	odd=$tmp/$(printf 'odd\377')
	cp "$tmp/files/$(basename "$1")" "$odd"
	"$headstart" verify --json "$odd" >"$tmp/json"
	[ "$(json "$tmp/json" 'TOP["files"][0]["file"].endswith("/odd\ufffd")')" = True ] || fail "$(cat "$tmp/json")"
}

# Wrong files.
case_wrong_file_is_told() {
	file=$tmp/files/$(basename "$1")
	cp "$file" "$tmp/wrong"
	damage "$tmp/wrong" $(($(stat -c %s "$tmp/wrong") - 1))
	refuses 1 "what was appended is no longer as it was" "$headstart" verify "$tmp/wrong"
	refuses 1 "what was appended is no longer as it was" "$headstart" verify --json "$file" "$tmp/wrong" "$file"
	cp "$tmp/out" "$tmp/json"
	[ "$(json "$tmp/json" 'TOP["good"]') $(json "$tmp/json" 'TOP["wrong"]')" = "2 1" ] || fail "--json counts $(cat "$tmp/json")"
	json "$tmp/json" 'TOP["files"][1]["problem"]' | grep -q appended || fail "--json does not tell the problem"
	refuses 1 "is not a relaid file" "$headstart" verify "$1"
	refuses 1 "is not a relaid file" "$headstart" verify /etc/passwd
	refuses 1 "is not a regular file" "$headstart" verify /dev/null
	refuses 1 "cannot read" "$headstart" verify "$tmp/missing"
	refuses 2 "no file given" "$headstart" verify
}

case_quiet_says_nothing_of_a_good_file() {
	[ -z "$("$headstart" verify -q "$tmp/files/$(basename "$1")")" ] || fail "-q says something of a good file"
}

run_cases "$@"
