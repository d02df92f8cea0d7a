# Shared by the tests of verify and undo: originals, and 'headstart relayout' with a profile made up for one file.
# After tests/lib/sh-lib.sh. A test is given the originals as its arguments.
[ $# -gt 0 ] || fail "no originals given"

# Relays a file in place by a profile that touches every third page, backwards. relay FILE [OPTION…]
relay() {
	relay_pages=$(($(stat -c %s "$1") / 4096))
	{
		echo "program $1"
		echo "file regular $1"
		seq "$relay_pages" -3 0 | awk -v pages="$relay_pages" '{ print "range", $1, 1, pages - $1, 1 }'
	} | sed '/^range 0 /d' | "$make_profile" "$tmp/relay.profile"
	relay_file=$1
	shift
	"$headstart" relayout --profile "$tmp/relay.profile" --in-place "$@" "$relay_file" >"$tmp/relay.out" ||
		fail "cannot relay $relay_file: $(cat "$tmp/relay.out")"
}

# Changes one byte of a file. flip FILE OFFSET
flip() {
	python3 - "$1" "$2" <<-'PYTHON'
		import sys
		with open(sys.argv[1], "r+b") as file:
		    file.seek(int(sys.argv[2]))
		    byte = file.read(1)[0]
		    file.seek(int(sys.argv[2]))
		    file.write(bytes([byte ^ 1]))
	PYTHON
}
