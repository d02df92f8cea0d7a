#!/usr/bin/python3
"""hanging-fuse PATH [USER [SECONDS]]: mounts a FUSE file system that everybody may use at PATH, a folder or an empty file, as one of that user's (0 if
none is given), and prints a line when it is there. It takes each request, and never answers: whoever asks it anything waits, and cannot be killed (linux/fuse.h). A file can be opened,
but not closed; or
with SECONDS, only that late."""
import ctypes
import os
import stat
import struct
import sys
import time

GETATTR, OPEN, FLUSH, INIT = 3, 14, 25, 26
FORGET, INTERRUPT, BATCH_FORGET = 2, 36, 42     # nobody waits for an answer to these
ANSWERS = {
    # struct fuse_init_out: version 7.23, of 64 bytes
    INIT: struct.pack("=IIIIHHI", 7, 23, 0, 0, 1, 1, 4096) + bytes(40),
}
if os.path.isfile(sys.argv[1]):
    # struct fuse_attr_out, of inode 1; struct fuse_open_out
    attributes = struct.pack("=6Q10I", 1, 0, 0, 0, 0, 0, 0, 0, 0, stat.S_IFREG | 0o666, 1, 0, 0, 0, 4096, 0)
    ANSWERS |= {GETATTR: struct.pack("=QII", 3600, 0, 0) + attributes, OPEN: bytes(16)}
server = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
mode = "100666" if os.path.isfile(sys.argv[1]) else "40000"
user = sys.argv[2] if len(sys.argv) > 2 else 0
options = f"fd={server},rootmode={mode},user_id={user},group_id=0,allow_other"
if libc.mount(b"hanging", sys.argv[1].encode(), b"fuse.hanging", 0, options.encode()) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
print("mounted", flush=True)
while True:
    request = os.read(server, 1 << 20)
    opcode, unique = struct.unpack_from("=4xIQ", request)
    if opcode in ANSWERS or (len(sys.argv) > 3 and opcode not in (FORGET, INTERRUPT, BATCH_FORGET)):
        if opcode == FLUSH:
            time.sleep(float(sys.argv[3]))
        answer = ANSWERS.get(opcode, b"")
        os.write(server, struct.pack("=IiQ", 16 + len(answer), 0, unique) + answer)
