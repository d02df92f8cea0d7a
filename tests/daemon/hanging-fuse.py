#!/usr/bin/python3
"""hanging-fuse FOLDER: mounts a FUSE file system that everybody may use at FOLDER, and prints a line when it is there. It takes each
request, and never answers: whoever asks it anything waits, and cannot be killed (linux/fuse.h)."""
import ctypes
import os
import struct
import sys

INIT = 26
server = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f"fd={server},rootmode=40000,user_id=0,group_id=0,allow_other"
if libc.mount(b"hanging", sys.argv[1].encode(), b"fuse.hanging", 0, options.encode()) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
print("mounted", flush=True)
while True:
    request = os.read(server, 1 << 20)
    opcode, unique = struct.unpack_from("=4xIQ", request)
    if opcode == INIT:
        # struct fuse_init_out: version 7.23, of 64 bytes
        answer = struct.pack("=IIIIHHI", 7, 23, 0, 0, 1, 1, 4096) + bytes(40)
        os.write(server, struct.pack("=IiQ", 16 + len(answer), 0, unique) + answer)
