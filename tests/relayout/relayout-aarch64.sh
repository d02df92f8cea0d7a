#!/bin/sh
# Files for aarch64, where kernels may have pages of 64 KiB: they are laid out in such pages, and the program headers agree with
# that.
. "$HEADSTART_TEST_SOURCE/tests/relayout/subject-lib.sh"
command -v aarch64-linux-gnu-gcc >/dev/null || skip 'needs aarch64-linux-gnu-gcc'
write_bulk
cat >"$tmp/lib.c" <<'EOF'
#include <stdint.h>
#include "bulk.inc"
static const char padding[1 << 20] = {1};
const char *const names[] = {"a", "b", padding};
uint64_t sum(int x)
{
	return bulk_table[x](x) + padding[x];
}
int main(void)
{
	return (int)sum(3);
}
EOF
cd "$tmp"

check() {
	file=$1 granule=$2
	random_profile profile 7 10 "$file"
	relayout_files "$file"
	readelf -lW "new/$file" >headers || fail "$file: readelf"
	awk -v granule=$granule '
		function number(hex,   value, i) {
			value = 0
			for (i = 3; i <= length(hex); i++)
				value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return value
		}
		$1 == "LOAD" {
			n++
			if ((number($3) - number($2)) % granule != 0) { print "address and offset disagree: " $0; bad = 1 }
			if (number($3) - number($3) % granule < end) { print "shares a page: " $0; bad = 1 }
			end = number($3) + number($6)
		}
		END { if (n < 6) { print "only " n " PT_LOADs"; bad = 1 } exit bad }' headers || fail "$file: $(cat headers)"
	echo "ok $file: $(grep -c LOAD headers) PT_LOADs"
}

aarch64-linux-gnu-gcc -O1 -shared -fPIC -I. lib.c -o lib64k.so
aarch64-linux-gnu-gcc -O1 -shared -fPIC -I. lib.c -Wl,-z,max-page-size=4096 -o lib4k.so
aarch64-linux-gnu-gcc -O1 -fPIE -pie -I. lib.c -o pie64k
aarch64-linux-gnu-gcc -O1 -no-pie -I. lib.c -o nopie64k
check lib64k.so 65536
check lib4k.so 4096
check pie64k 65536
check nopie64k 65536

# --compact leaves a small file alone whose segments would each take pages of their own. --all takes it.
echo 'int small[2] = {1}; int *at = small + 1; int get(void) { return *at; }' >small.c
aarch64-linux-gnu-gcc -O1 -shared -fPIC small.c -Wl,--build-id -o small64k.so
random_profile profile 7 100 small64k.so
"$headstart" relayout --profile profile --compact -o small.new small64k.so >out 2>err || fail "a small file: $(cat err)"
grep -q 'would become half as large again, or more' err && cmp small64k.so small.new || fail "a small file grew to $(stat -c %s small.new): $(cat err)"
"$headstart" relayout --profile profile --compact --all -o small.new small64k.so >out || fail 'a small file, with --all'
"$headstart" verify --original small64k.so small.new >out || fail "verify of a small file: $(cat out)"
[ "$(stat -c %s small.new)" -gt $((2 * $(stat -c %s small64k.so))) ] || fail 'the sample is not one that grows'
