#!/bin/sh
# headstart relayout under valgrind's memcheck: whatever the file, nothing uninitialised is used or written, and nothing leaks.
. "$HEADSTART_TEST_SOURCE/tests/relayout/subject-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/valgrind-lib.sh"
cd "$tmp"
write_bulk
cat >lib.c <<'EOF'
#include <stdint.h>
#include "bulk.inc"
const char *const names[] = {"a", "b", "c"};
uint64_t sum(int i)
{
	return bulk_table[i](i);
}
int main(void)
{
	return 0;
}
EOF
gcc -shared -fPIC -I. lib.c -Wl,--build-id -o lib.so
gcc -fPIE -pie -I. lib.c -o program
random_profile profile 1 20 lib.so program

# clean STATUS ARGUMENT…: the verb must exit with STATUS, and valgrind must report nothing.
clean() {
	want=$1
	shift
	memchecked "$want" "$tool" relayout --profile profile "$@"
}

mkdir folder
clean 0 -o folder --jobs 2 lib.so program
clean 0 -o again --json folder/lib.so
cmp again folder/lib.so
clean 0 --dry-run
clean 0 --dry-run --all
clean 0 --shadow shadow program
mkdir place
cp lib.so place
clean 0 --in-place --force --max-segments 5 place/lib.so
head -c 10000 lib.so >bad
clean 1 --dry-run bad
cp folder/lib.so bad
poke bad 9000 x
clean 1 -o none bad program lib.so
clean 2 -o none
echo ok
