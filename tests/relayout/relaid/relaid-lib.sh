# Shared by the tests of verify and undo: originals, and 'headstart relayout' with a made-up profile of one file. Source it after
# tests/lib/sh-lib.sh. A test gets the originals as its arguments.
[ $# -gt 0 ] || fail "no originals given"

# Makes a relayout of a file in place, by a profile that touches every third page, backwards: relayout FILE [OPTION…]
relayout() {
	relayout_pages=$(($(stat -c %s "$1") / 4096))
	{
		echo "program $1"
		echo "file regular $1"
		seq "$relayout_pages" -3 0 | awk -v pages="$relayout_pages" '{ print "range", $1, 1, pages - $1, 1 }'
	} | sed '/^range 0 /d' | "$make_profile" "$tmp/relayout.profile"
	relayout_file=$1
	shift
	"$headstart" relayout --profile "$tmp/relayout.profile" --in-place --all "$@" "$relayout_file" >"$tmp/relayout.out" ||
		fail "cannot relayout $relayout_file: $(cat "$tmp/relayout.out")"
}
