"""Volumes, oracles and files for the tests. Arrays are [z, y, x] (2D: [y, x]) in C order, x fastest, the raster order of voxcc."""

import csv
import ctypes
import hashlib
import json
import subprocess
import time

import cc3d
import nibabel
import numpy as np
import scipy.ndimage

# Connectivity -> maximum number of unit steps along axes between two neighbours.
STEPS = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}

# A node of the chunk B-tree: signature, type 1 (chunks), level 0, one entry, addresses of two siblings. The first chunk size follows.
NODE = b"TREE\x01\x00\x01\x00"
SIZE_IN_NODE = 24


def structure(connectivity, dimensions=None):
    dimensions = dimensions or (2 if connectivity in (4, 8) else 3)
    return scipy.ndimage.generate_binary_structure(dimensions, STEPS[connectivity])


def label_scipy(foreground, connectivity):
    return scipy.ndimage.label(foreground, structure(connectivity, foreground.ndim))[0]


def label_cc3d(array, connectivity, binary=False):
    return cc3d.connected_components(np.ascontiguousarray(array), connectivity=connectivity, binary_image=binary)


def label_equal_values(array, connectivity):
    """Labels by equal values of any type; 0 is background."""
    distinct = np.unique(array, return_inverse=True)[1].reshape(array.shape).astype(np.uint32)
    return label_cc3d(np.where(array == 0, 0, distinct + 1), connectivity)


def nifti_type(count):
    """The voxel type that voxcc chooses for a NIfTI label volume with `count` components."""
    return np.dtype(np.uint8 if count <= 255 else np.int16 if count <= 32767 else np.int32)


def write_nifti(path, array, affine=None, cls=nibabel.Nifti1Image, dtype=None):
    image = cls(array.T, np.eye(4) if affine is None else affine, dtype=dtype or array.dtype)
    nibabel.save(image, path)
    return path


def read_nifti(path):
    return np.asarray(nibabel.load(path).dataobj).T


def read_table(path):
    """The rows as dictionaries. Values that are numbers are converted to numbers."""
    with open(path, newline="") as file:
        return [{name: number(value) for name, value in row.items()} for row in csv.DictReader(file, delimiter=delimiter(path))]


def delimiter(path):
    return "\t" if str(path).endswith(".tsv") else ","


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def columns(rows, *names):
    return np.array([[float(row[name]) for name in names] for row in rows]).reshape(len(rows), len(names))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def noise(shape, density, granularity=1, seed=1):
    """Random cubes with edge length `granularity`; `density` is the probability of foreground."""
    coarse = [-(-extent // granularity) for extent in shape]
    volume = np.random.default_rng(seed).random(coarse) < density
    for axis in range(len(shape)):
        volume = volume.repeat(granularity, axis)
    return volume[tuple(slice(extent) for extent in shape)].astype(np.uint8)


def blobs(shape, share=0.5, scale=2.0, seed=1):
    """Smoothed noise with a threshold that gives this share of foreground."""
    field = scipy.ndimage.gaussian_filter(np.random.default_rng(seed).standard_normal(shape), scale)
    return (field > np.quantile(field, 1 - share)).astype(np.uint8)


def voronoi(shape, cells=40, background=0.2, seed=1, dtype=np.uint16):
    """Touching cells whose values are not sorted and have gaps."""
    random = np.random.default_rng(seed)
    seeds = np.zeros(shape, np.int32)
    at = random.choice(seeds.size, min(cells, seeds.size), replace=False)
    seeds.flat[at] = random.permutation(len(at)) * 7 % 40 + 1
    nearest = scipy.ndimage.distance_transform_edt(seeds == 0, return_distances=False, return_indices=True)
    volume = seeds[tuple(nearest)]
    return np.where(blobs(shape, 1 - background, 1.5, seed), volume, 0).astype(dtype)


def streaming_limit(voxcc, *arguments, cwd):
    """The option --max-memory with which a run of `voxcc label` is streamed in several slabs."""
    plan = lambda *limit: json.loads(voxcc(*arguments, *limit, "--dry-run", cwd=cwd).stdout)["volumes"][0]  # noqa: E731
    needs = plan()["bytes"]
    least = plan()["memory_bytes"] - (needs["bits"] + needs["index"] + needs["runs_smooth"]) // 2
    limit = ["--max-memory", str(least)]
    assert plan(*limit)["slabs"] > 1
    return limit


def streaming_limits(voxcc, command, folder):
    """Memory limits with which a run is streamed: the largest, and the smallest that suffices."""
    def plan(*limit):
        done = subprocess.run([voxcc.program, *map(str, command), *limit, "--dry-run"], capture_output=True, text=True, cwd=folder, check=False)
        return json.loads(done.stdout)["volumes"][0]

    whole = plan()["memory_bytes"]
    assert plan()["slabs"] == 1
    fitting = [limit for limit in range(whole - 1, whole // 2, -whole // 200) if plan("--max-memory", str(limit))["fits"]]
    slabs = [plan("--max-memory", str(limit))["slabs"] for limit in (fitting[0], fitting[-1])]
    assert slabs[1] > slabs[0] > 1
    return [["--max-memory", str(limit)] for limit in (fitting[0], fitting[-1])]


def peak_of(program, *arguments):
    """Peak resident memory of a run in bytes, from VmHWM. (ru_maxrss would include the memory of Python before exec.)"""
    process = subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                peak = max([peak] + [int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM")])
        except ProcessLookupError:
            pass
        time.sleep(0.005)
    assert process.returncode == 0
    return peak


def spacing_in_mm(about):
    """The spacing of `voxcc info --json` in mm, or None if the file states no spacing with a unit of length."""
    mm = {"km": 1e6, "m": 1e3, "dm": 100, "cm": 10, "mm": 1, "um": 1e-3, "nm": 1e-6, "angstrom": 1e-7, "pm": 1e-9, "inch": 25.4}
    return next(([step * mm[unit] for step in about[f"spacing_{unit}"]] for unit in mm if f"spacing_{unit}" in about), None)


def landlock_version():
    """The version of Landlock in the kernel; 0 without it."""
    create_ruleset, version_question = 444, 1
    return max(0, ctypes.CDLL(None).syscall(create_ruleset, None, 0, version_question))
