#!/bin/sh
# headstart relayout --compact, and what verify and undo say of its result.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/relayout/relaid/relaid-lib.sh"

case_compacted_file_is_good_and_does_what_it_did() {
	for one in "$@"; do
		file=$tmp/$(basename "$one")
		cp "$one" "$file"
		relayout "$file" --compact --force
		cmp -s "$one" "$file" && fail "$one was not changed"
		"$headstart" verify --original "$one" "$file" >"$tmp/out" || fail "$one"
		grep -q "^$file: good" "$tmp/out" && grep -q 'passes.* compact' "$tmp/out" ||
			fail "verify does not say that $one is good: $(cat "$tmp/out")"
		case $one in
		*exec | *pie) [ "$("$file")" = "$("$one")" ] || fail "$one, compacted, does something else" ;;
		esac
		refuses 1 "was relaid with --compact" "$headstart" undo "$file"
		refuses 1 "was relaid with --compact" "$headstart" verify "$file"
		refuses 1 "was relaid with --compact" "$headstart" relayout --profile "$tmp/relayout.profile" --compact --force \
			--in-place "$file"
	done
}

# Into another file, and from a file that was relaid before.
case_overlay_can_be_compacted() {
	cp "$1" "$tmp/again"
	relayout "$tmp/again"
	"$headstart" relayout --profile "$tmp/relayout.profile" --compact -o "$tmp/other" "$tmp/again" >/dev/null ||
		fail "an overlay cannot be compacted"
	"$headstart" verify -q --original "$1" "$tmp/other" || fail "a compacted overlay is not good"
	[ -z "$("$headstart" verify -q --original "$1" "$tmp/other")" ] || fail "-q says something of a good file"
}

# It cannot be undone, so the user must ask for it explicitly.
case_no_original_is_left_without_being_asked_to() {
	refuses 2 "cannot be undone" "$headstart" relayout --profile "$tmp/relayout.profile" --compact --in-place "$tmp/again"
	refuses 2 "cannot be undone" "$headstart" relayout --profile "$tmp/relayout.profile" --compact --shadow "$tmp/s" "$tmp/again"
}

# Damaged files.
case_wrong_original_is_refused() {
	refuses 1 "was not made from that original" "$headstart" verify --original "$tmp/again" "$tmp/other"
	refuses 1 "contains its original" "$headstart" verify --original "$1" "$tmp/again"
	refuses 1 "is not a relaid file" "$headstart" verify --original "$1" "$1"
	refuses 1 "cannot read" "$headstart" verify --original "$tmp/missing" "$tmp/other"
	refuses 2 "--original takes only one FILE" "$headstart" verify --original "$1" "$tmp/other" "$tmp/other"
	damage "$tmp/other" $(($(stat -c %s "$tmp/other") / 2))
	refuses 1 "has been changed since" "$headstart" verify --original "$1" "$tmp/other"
}

# Without a profile of the file.
case_file_without_sections_is_refused() {
	cp "$1" "$tmp/bare"
	python3 - "$tmp/bare" <<-'PYTHON'
		import struct, sys
		with open(sys.argv[1], "r+b") as file:
		    data = bytearray(file.read())
		    phoff, phnum = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
		    segments = [struct.unpack_from("<6Q", data, phoff + 56 * i) for i in range(phnum)]
		    struct.pack_into("<Q", data, 40, 0)       # e_shoff
		    struct.pack_into("<HH", data, 60, 0, 0)   # e_shnum, e_shstrndx
		    file.seek(0)
		    file.write(data)
		    file.truncate(max(offset + size for _, offset, _, _, size, _ in segments))
	PYTHON
	{
		echo "program $tmp/bare"
		echo "file regular $tmp/bare"
		echo "range 1 1 1 1"
	} | "$make_profile" "$tmp/bare.profile"
	refuses 1 "no section headers" "$headstart" relayout --profile "$tmp/bare.profile" --compact -o "$tmp/other" "$tmp/bare"
}

run_cases "$@"
