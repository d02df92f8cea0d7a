#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Images of the OCI's format, as the tests of headstart export need them.

    oci.py pack FOLDER IMAGE        makes an archive of an image that has the folder as its only layer
    oci.py layer IMAGE              prints the names in the first layer of an archive, in their order, one in a line, as Python has them
    oci.py blob IMAGE MEDIA-TYPE    prints the first blob of that type that a manifest of an archive names
"""
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile

VENDOR = "application/vnd.oci.image."
NAME = "docker.io/library/app:1"


def tar_of(folder):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as tar:
        for root, folders, files in os.walk(folder):
            for name in sorted(folders + files):
                path = os.path.join(root, name)
                tar.add(path, arcname=os.path.relpath(path, folder), recursive=False)
    return data.getvalue()


def pack(folder, image):
    blobs = {}

    def add(data, kind):
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": VENDOR + kind, "digest": digest, "size": len(data)}

    tar = tar_of(folder)
    layer = add(gzip.compress(tar, mtime=0), "layer.v1.tar+gzip")
    config = {"architecture": "amd64", "os": "linux", "config": {},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest()]}}
    manifest = {"schemaVersion": 2, "mediaType": VENDOR + "manifest.v1+json", "config": add(json.dumps(config).encode(), "config.v1+json"),
                "layers": [layer]}
    entry = {**add(json.dumps(manifest).encode(), "manifest.v1+json"), "platform": {"architecture": "amd64", "os": "linux"},
             "annotations": {"io.containerd.image.name": NAME, "org.opencontainers.image.ref.name": "1"}}
    files = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}', "index.json": json.dumps({"schemaVersion": 2, "manifests": [entry]}).encode(),
             **{"blobs/" + digest.replace(":", "/"): data for digest, data in blobs.items()}}
    with tarfile.open(image, "w") as out:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            out.addfile(member, io.BytesIO(data))


class Archive:
    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.files = {os.path.normpath(member.name): tar.extractfile(member).read() for member in tar if member.isfile()}

    def blob(self, digest):
        return self.files["blobs/" + digest.replace(":", "/")]

    def manifests(self, index=None):
        """All manifests of images and artifacts, also those of an index in the index."""
        for entry in (index or json.loads(self.files["index.json"]))["manifests"]:
            found = json.loads(self.blob(entry["digest"]))
            if "manifests" in found:
                yield from self.manifests(found)
            else:
                yield found

    def blobs(self):
        for manifest in self.manifests():
            for part in manifest["layers"]:
                yield part["mediaType"], self.blob(part["digest"])


def layer(image):
    data = next(data for kind, data in Archive(image).blobs() if kind == VENDOR + "layer.v1.tar+gzip")
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
        for member in tar:
            print(repr(os.path.normpath(member.name)))


def blob(image, media_type):
    sys.stdout.buffer.write(next(data for kind, data in Archive(image).blobs() if kind == media_type))


{"pack": pack, "layer": layer, "blob": blob}[sys.argv[1]](*sys.argv[2:])
