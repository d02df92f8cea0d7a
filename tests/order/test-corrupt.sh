#!/bin/sh
# headstart order on ELF files that are cut short or have one field changed: it prints an order or one sentence, and never crashes
# or hangs.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/order/order-lib.sh"
cd "$real"
cat >small.c <<'EOF'
__attribute__((noinline)) static int add(int x) { return x + 1; }
void _start(void) { while (add(1)) ; }
EOF
gcc -O1 -nostdlib -static -ffunction-sections -Wl,--build-id -o small small.c || fail "does not compile"
python3 - "$headstart" "$make_profile" "$real" <<'EOF'
import random, struct, subprocess, sys
headstart, make_profile, folder = sys.argv[1:]
good = open(f"{folder}/small", "rb").read()
chance = random.Random(5)
shoff, shnum = struct.unpack_from("<Q", good, 40)[0], struct.unpack_from("<H", good, 60)[0]
phoff, phnum = struct.unpack_from("<Q", good, 32)[0], struct.unpack_from("<H", good, 56)[0]
fields = [(at, size) for at, size in [(4, 1), (5, 1), (16, 2), (18, 2), (20, 4), (24, 8), (32, 8), (40, 8), (52, 2),
                                      (54, 2), (56, 2), (58, 2), (60, 2), (62, 2)]]
for i in range(phnum):
    fields += [(phoff + 56 * i + at, size) for at, size in [(0, 4), (4, 4), (8, 8), (16, 8), (32, 8), (40, 8), (48, 8)]]
for i in range(shnum):
    fields += [(shoff + 64 * i + at, size) for at, size in
               [(0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8)]]
    if struct.unpack_from("<I", good, shoff + 64 * i + 4)[0] == 2:  # SHT_SYMTAB
        offset, size = struct.unpack_from("<QQ", good, shoff + 64 * i + 24)
        for symbol in range(offset, offset + size, 24):
            fields += [(symbol + at, length) for at, length in [(0, 4), (4, 1), (6, 2), (8, 8), (16, 8)]]
values = [0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, 0xfffffffffffff000]
cases = [good, b"", good[:4]] + [good[:chance.randrange(len(good))] for _ in range(40)]
for at, size in fields:
    value = chance.choice(values) & ((1 << 8 * size) - 1)
    cases.append(good[:at] + value.to_bytes(size, "little") + good[at + size:])
path, profile = f"{folder}/poked", f"{folder}/poked.profile"
done = refused = 0
for number, case in enumerate(cases):
    open(path, "wb").write(case)
    described = f"program {path}\nfile regular {path}\nrange 0 16 0 1\n"
    subprocess.run([make_profile, profile], input=described, text=True, check=True)
    run = subprocess.run([headstart, "order", "--for", "ld", profile], capture_output=True, timeout=60)
    if run.returncode == 0 and run.stdout:
        done += 1
    elif run.returncode == 1 and not run.stdout and run.stderr.count(b"\n") == 1:
        refused += 1
    else:
        sys.exit(f"FAIL: case {number}: {run}")
    assert number > 0 or (done == 1 and b'".text.add"' in run.stdout), run
print(f"{done} ordered, {refused} refused")
assert done > 50 and refused > 50
EOF
