#!/usr/bin/env python3
"""Copies small files that tests have written to FOLDER/TARGET, as further seeds. Most tests of readers write files that are damaged in one place,
as the files of earlier faults.

Usage: collect_seeds.py FOLDER WRITTEN...
    VOXCC_KEEP_TEST_FILES=1 TMPDIR=/tmp/a build/io_test
    python3 -m pytest --basetemp /tmp/b tests/python
    collect_seeds.py build-fuzz/collected /tmp/a /tmp/b
    tests/fuzz/run --seeds build-fuzz/collected
"""
import hashlib
import sys
from pathlib import Path

MOST_BYTES = 8192
TARGETS = {".nii": "nifti", ".nii.gz": "nifti_gz", ".nii.zst": "zstd", ".tif": "tiff", ".tiff": "tiff", ".h5": "hdf5", ".hdf5": "hdf5", ".nrrd": "nrrd", ".mha": "metaimage",
           ".npy": "npy", ".npz": "npz", ".mgh": "mgh", ".mgz": "mgz", ".vtk": "vtk", ".mrc": "mrc", ".map": "mrc", ".rec": "mrc", ".gipl": "gipl",
           ".dcm": "dicom", ".jp2": "jpeg2000", ".j2k": "jpeg2000", ".csv": "csv", ".tsv": "tsv", ".json": "json_table", ".ozx": "zarr_zip", ".zip": "zarr_zip",
           ".gz": "gzip", ".toml": "config"}


def target_of(name):
    for extension in sorted(TARGETS, key=len, reverse=True):
        if name.lower().endswith(extension):
            return TARGETS[extension]
    return None


def main():
    folder = Path(sys.argv[1])
    for written in sys.argv[2:]:
        for path in Path(written).rglob("*"):
            target = target_of(path.name)
            if target is None or path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
                continue
            content = path.read_bytes()
            seed = folder / target / hashlib.sha1(content).hexdigest()
            seed.parent.mkdir(parents=True, exist_ok=True)
            seed.write_bytes(content)


if __name__ == "__main__":
    main()
