# Shared by the tests of headstart order. Source it after sh-lib.sh.
command -v g++ >/dev/null || skip "no g++"
command -v python3 >/dev/null || skip "no python3"
here=$HEADSTART_TEST_SOURCE/tests/order
real=$(realpath "$tmp")

# Makes the profile $2 of a start of $1 that touched the pages of the make-profile lines in $3.
profile_of() {
	{ echo "program $1" && echo "file regular $1" && cat "$3"; } | "$make_profile" "$2" || fail "no profile of $1"
}

order() {
	"$headstart" order "$@" || fail "'headstart order $*' failed"
}
