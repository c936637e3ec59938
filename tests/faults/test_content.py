"""Rows 24 to 29 and 56 to 59: shapes, contents, scale, exact statistics and relations between transformed volumes."""

import itertools
import json
from fractions import Fraction

import nibabel
import numpy as np
import pytest
import tifffile
from cases import labels_of, need_disk, need_memory
from helpers import blobs, label_scipy, noise, read_nifti, read_table, write_nifti

CONNECTIVITIES = (6, 18, 26)


def check_shape(voxcc, folder, shape, connectivity, algorithm):
    array = noise(shape, 0.4, seed=sum(shape))
    path = write_nifti(folder / "in.nii", array)
    found = labels_of(voxcc, folder, path, "--algorithm", algorithm, connectivity=connectivity).reshape(shape)
    np.testing.assert_array_equal(found, label_scipy(array, connectivity), err_msg=f"{shape} {connectivity} {algorithm}")


def algorithms(voxcc, connectivity):
    listed = json.loads(voxcc("algorithms", "--json").stdout)
    return [row["name"] for row in listed if connectivity in row["connectivities"]]


SHAPES = ((2, 3, 2), (3, 2, 5), (9, 9, 9), (2, 9, 2), (7, 3, 9))


@pytest.mark.parametrize("connectivity", CONNECTIVITIES)
def test_row24_some_odd_shapes(voxcc, tmp_path, connectivity):
    """tests/kernels/algorithms_test.cpp compares more shapes in memory."""
    for number, algorithm in enumerate(algorithms(voxcc, connectivity)):
        check_shape(voxcc, tmp_path, SHAPES[number % len(SHAPES)], connectivity, algorithm)


@pytest.mark.long
@pytest.mark.parametrize("connectivity", CONNECTIVITIES)
def test_row24_all_shapes_up_to_9(voxcc, tmp_path, connectivity):
    expected = {}
    for shape in itertools.product(range(2, 10), repeat=3):
        array = noise(shape, 0.4, seed=sum(shape))
        path = write_nifti(tmp_path / f"{shape[0]}-{shape[1]}-{shape[2]}.nii", array)
        expected[path] = label_scipy(array, connectivity)
    for algorithm in algorithms(voxcc, connectivity):
        voxcc("label", *expected, "-c", connectivity, "--algorithm", algorithm, "-o", tmp_path / "out" / "{stem}.nii", "--mkdir", "-f", "-q",
              timeout=600)
        for path, labels in expected.items():
            found = read_nifti(tmp_path / "out" / path.name).reshape(labels.shape)
            np.testing.assert_array_equal(found, labels, err_msg=f"{path.stem} {connectivity} {algorithm}")


@pytest.mark.parametrize("shape", ((1, 1, 1), (1, 9, 1), (1, 1, 9), (9, 1, 1), (1, 5, 7)))
def test_row24_flat_shapes(voxcc, tmp_path, shape):
    """A volume of one slice is an image, whose neighbours are 4 or 8."""
    array = noise(shape, 0.6)
    path = write_nifti(tmp_path / "in.nii", array)
    connectivities = {4: 6, 8: 26} if shape[0] == 1 else {6: 6, 18: 18, 26: 26}
    for connectivity, in_3d in connectivities.items():
        found = labels_of(voxcc, tmp_path, path, connectivity=connectivity).reshape(shape)
        np.testing.assert_array_equal(found, label_scipy(array, in_3d))


def test_row25_dimensions(voxcc, tmp_path):
    image = noise((7, 9), 0.5)
    for array in (image, image[0]):
        write_nifti(tmp_path / "in.nii", array)
        found = labels_of(voxcc, tmp_path, tmp_path / "in.nii", connectivity=8).squeeze()
        np.testing.assert_array_equal(found, label_scipy(np.atleast_2d(array), 8).squeeze())
    series = noise((3, 4, 5, 6), 0.4)
    write_nifti(tmp_path / "one.nii", series[:1])
    np.testing.assert_array_equal(labels_of(voxcc, tmp_path, tmp_path / "one.nii"), label_scipy(series[0], 6))
    write_nifti(tmp_path / "in.nii", series)
    assert "--volume" in voxcc.fails(64, "label", tmp_path / "in.nii", "-o", tmp_path / "no.nii")
    for volume in range(3):
        np.testing.assert_array_equal(labels_of(voxcc, tmp_path, tmp_path / "in.nii", "--volume", volume), label_scipy(series[volume], 6))
    for volume in (3, -1, "x", "1.5"):
        voxcc.fails(64, "label", tmp_path / "in.nii", f"--volume={volume}", "-o", tmp_path / "no.nii")
    write_nifti(tmp_path / "vector.nii", noise((2, 1, 4, 5, 6), 0.4))
    voxcc("label", tmp_path / "vector.nii", "-o", tmp_path / "no.nii", expect=64)
    assert not (tmp_path / "no.nii").exists()


def patterns():
    grid = np.indices((6, 7, 8))
    yield "empty", np.zeros((6, 7, 8), np.uint8), {6: 0, 18: 0, 26: 0}
    yield "full", np.ones((6, 7, 8), np.uint8), {6: 1, 18: 1, 26: 1}
    yield "checkerboard", (grid.sum(0) % 2 == 0).astype(np.uint8), {6: 168, 18: 1, 26: 1}
    yield "isolated", (grid % 2 == 0).all(0).astype(np.uint8), {6: 48, 18: 48, 26: 48}
    for corner in itertools.product((0, -1), repeat=3):
        array = np.zeros((6, 7, 8), np.uint8)
        array[corner] = 1
        yield f"corner {corner}", array, {6: 1, 18: 1, 26: 1}


@pytest.mark.parametrize("name, array, counts", list(patterns()), ids=lambda value: value if isinstance(value, str) else "")
def test_row26_extreme_contents(voxcc, tmp_path, name, array, counts):
    path = write_nifti(tmp_path / "in.nii", array)
    for connectivity, count in counts.items():
        voxcc("label", path, "-c", connectivity, "--stats", tmp_path / "t.csv", "-o", tmp_path / "labels.nii", "-f", "-q")
        rows = read_table(tmp_path / "t.csv")
        assert len(rows) == count and sum(row["voxels"] for row in rows) == array.sum(), name
        np.testing.assert_array_equal(read_nifti(tmp_path / "labels.nii"), label_scipy(array, connectivity))


@pytest.mark.parametrize("length", (32767, 32768, 70000))
@pytest.mark.parametrize("axis", (0, 2))
def test_row27_long_axes(voxcc, tmp_path, axis, length):
    """NIfTI-1 has axes of at most 32767 voxels."""
    shape = [2, 3, 2]
    shape[axis] = length
    array = noise(shape, 0.2)
    if length > 32767:
        nibabel.save(nibabel.Nifti2Image(array.T, np.eye(4)), tmp_path / "in.nii")
    else:
        write_nifti(tmp_path / "in.nii", array)
    for name in ("out.nii", "out.tif"):
        voxcc("label", tmp_path / "in.nii", "-c", 6, "-o", tmp_path / name)
    expected = label_scipy(array, 6)
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), expected)
    np.testing.assert_array_equal(tifffile.imread(tmp_path / "out.tif"), expected)
    assert isinstance(nibabel.load(tmp_path / "out.nii"), nibabel.Nifti2Image) == (length > 32767)


def sparse_volume(path, shape, voxels):
    """A sparse NIfTI-2 file of zeros with some voxels (x, y, z) of value 1."""
    header = nibabel.Nifti2Header()
    header.set_data_dtype(np.uint8)
    header.set_data_shape(shape)
    header["vox_offset"], header["magic"] = 544, b"n+2\0\r\n\032\n"
    with open(path, "wb") as file:
        file.write(header.binaryblock + bytes(4))
        file.truncate(544 + shape[0] * shape[1] * shape[2])
        for x, y, z in voxels:
            file.seek(544 + (z * shape[1] + y) * shape[0] + x)
            file.write(b"\1")


@pytest.mark.long
@pytest.mark.parametrize("shape", ((2**16, 2**15, 1), (2**11, 2**10 + 1, 2**10), (1291, 1291, 1291), (1626, 1626, 1626)), ids=str)
@pytest.mark.parametrize("limit", (None, "400MB"))
def test_row27_many_voxels(voxcc, tmp_path, shape, limit):
    """2^31 and 2^32 voxels: first, last and inner voxels are separate components at their positions. A slab has at least one slice."""
    need_disk(tmp_path, 1)
    last = [extent - 1 for extent in shape]
    voxels = [(0, 0, 0), (shape[0] // 2, shape[1] // 2, shape[2] // 2), tuple(last)]
    sparse_volume(tmp_path / "in.nii", shape, voxels)
    command = ["label", tmp_path / "in.nii", "--stats", tmp_path / "t.csv", "-q", *(["--max-memory", limit] if limit else [])]
    if limit and shape[2] == 1:
        voxcc.fails(71, *command)
        return
    voxcc(*command, timeout=600)
    assert [tuple(int(row[f"centroid_{axis}"]) for axis in "ijk") for row in read_table(tmp_path / "t.csv")] == voxels


def isolated(count):
    points = np.argwhere((np.indices((82, 82, 84)) % 2 == 0).all(0))
    array = np.zeros((82, 82, 84), np.uint8)
    array[tuple(points[:count].T)] = 1
    return array


@pytest.mark.parametrize("suffix, limits, types", [("nii", (255, 32767), ("uint8", "int16", "int32")), ("tif", (255, 65535), ("uint8", "uint16", "uint32"))])
def test_row28_label_type_at_its_limits(voxcc, tmp_path, suffix, limits, types):
    for step, limit in enumerate(limits):
        for count in (limit, limit + 1):
            path, out = write_nifti(tmp_path / "in.nii", isolated(count)), tmp_path / f"out.{suffix}"
            voxcc("label", path, "-c", 6, "-o", out, "-f", "-q")
            found = read_nifti(out) if suffix == "nii" else tifffile.imread(out)
            assert found.dtype == types[step + (count > limit)] and found.max() == count
            out.unlink()
            if count > limit:
                voxcc.fails(65, "label", path, "-c", 6, "-o", out, "--dtype", types[step])
                assert not out.exists()


def checkerboard(voxcc, folder, side):
    path = folder / "in.nii"
    voxcc("generate", "checkerboard", "--size", side, "-o", path, "-q", timeout=600)
    plan = json.loads(voxcc("label", path, "-c", 6, "-o", folder / "out.h5", "--dry-run").stdout)["volumes"][0]
    done = voxcc("label", path, "-c", 6, "--stats", "-", "--keep-largest", 1, "-v", timeout=600)
    summary = json.loads(voxcc("label", path, "-c", 6, "--json", "-", timeout=600).stdout)
    assert str((side**3 + 1) // 2) in json.dumps(summary) and done.stdout.count("\n") == 2
    return plan


def test_row29_checkerboard(voxcc, tmp_path):
    assert checkerboard(voxcc, tmp_path, 101)["memory_bytes"] > 0


@pytest.mark.long
def test_row29_checkerboard_of_1291(voxcc, tmp_path):
    need_memory(100)
    need_disk(tmp_path, 5)
    checkerboard(voxcc, tmp_path, 1291)


def exact(labels, label):
    """Mean and population covariance of the indices i, j, k of a component, as fractions."""
    points = np.argwhere(labels == label)[:, ::-1].tolist()
    n = len(points)
    sums = [sum(point[axis] for point in points) for axis in range(3)]
    mean = [Fraction(total, n) for total in sums]
    pairs = itertools.combinations_with_replacement(range(3), 2)
    return mean, [Fraction(n * sum(p[a] * p[b] for p in points) - sums[a] * sums[b], n * n) for a, b in pairs]


def test_row56_exact_statistics(voxcc, tmp_path):
    """The components are 60,000 voxels away from the first voxel, where sums of squares in doubles lose digits."""
    array = np.zeros((6, 7, 60_300), np.uint8)
    array[:, :, 60_000:] = blobs((6, 7, 300), 0.4, 1.0)
    nibabel.save(nibabel.Nifti2Image(array.T, np.eye(4)), tmp_path / "in.nii")
    voxcc("label", tmp_path / "in.nii", "-c", 6, "--stats", tmp_path / "t.csv", "-q")
    labels, rows = label_scipy(array, 6), read_table(tmp_path / "t.csv")
    assert len(rows) > 10
    for row in rows:
        mean, covariance = exact(labels, row["label"])
        for name, value in zip([f"centroid_{a}" for a in "ijk"] + [f"cov_{a}" for a in ("ii", "ij", "ik", "jj", "jk", "kk")], mean + covariance):
            assert abs(Fraction(row[name]) - value) <= abs(value) * Fraction(4, 10**16), (row["label"], name)


@pytest.mark.parametrize("box", ((1, 1, 9), (1, 9, 1), (9, 1, 1), (1, 5, 9), (5, 1, 9), (5, 9, 1), (1, 1, 1), (3, 3, 3)))
def test_row57_flat_and_thin_components(voxcc, tmp_path, box):
    """The variance of n points in a row is (n^2 - 1) / 12. Axes without extent are exactly 0."""
    array = np.zeros((11, 11, 11), np.uint8)
    array[tuple(slice(1, 1 + extent) for extent in box)] = 1
    voxcc("label", write_nifti(tmp_path / "in.nii", array), "--stats", tmp_path / "t.csv")
    (row,) = read_table(tmp_path / "t.csv")
    expected = sorted((((extent**2 - 1) / 12) ** 0.5 for extent in box), reverse=True)
    found = [row[f"axis{n}_mm"] for n in (1, 2, 3)]
    assert found == pytest.approx(expected, rel=1e-15) and [value == 0 for value in found] == [value == 0 for value in expected]
    assert "nan" not in (tmp_path / "t.csv").read_text()


def test_row58_random_volumes(voxcc, tmp_path):
    """300 volumes: densities 0 to 1, granularities 1 to 16, every connectivity and every algorithm in turn."""
    names = {connectivity: algorithms(voxcc, connectivity) for connectivity in CONNECTIVITIES}
    random = np.random.default_rng(58)
    for number in range(300):
        shape = tuple(random.integers(2, 40, 3))
        array = noise(shape, random.random(), int(random.integers(1, 17)), number)
        connectivity = CONNECTIVITIES[number % 3]
        path = write_nifti(tmp_path / "in.nii", array)
        algorithm = names[connectivity][number // 3 % len(names[connectivity])]
        found = labels_of(voxcc, tmp_path, path, "--algorithm", algorithm, connectivity=connectivity)
        np.testing.assert_array_equal(found, label_scipy(array, connectivity), err_msg=f"{number} {shape} {connectivity} {algorithm}")


def same_partition(a, b):
    pairs = np.unique(np.stack([a.ravel(), b.ravel()]), axis=1)
    return len(np.unique(pairs[0])) == len(np.unique(pairs[1])) == pairs.shape[1]


@pytest.mark.parametrize("connectivity", CONNECTIVITIES)
def test_row59_transformed_volumes(voxcc, tmp_path, connectivity):
    array = blobs((9, 10, 11), 0.4, 1.0)

    def label(volume):
        return labels_of(voxcc, tmp_path, write_nifti(tmp_path / "in.nii", np.ascontiguousarray(volume)), connectivity=connectivity)

    labels = label(array)
    for axes in itertools.permutations(range(3)):
        assert same_partition(label(array.transpose(axes)), labels.transpose(axes))
    for axis in range(3):
        assert same_partition(label(np.flip(array, axis)), np.flip(labels, axis))
    np.testing.assert_array_equal(label(np.pad(array, 2))[2:-2, 2:-2, 2:-2], labels)
    double = label(np.concatenate([array, np.zeros_like(array[:1]), array]))
    np.testing.assert_array_equal(double[10:], np.where(labels, labels + labels.max(), 0))


def euler(array):
    """Euler number with 26 neighbours: vertices - edges + faces - cubes of the union of closed voxels."""
    padded = np.pad(array.astype(bool), 1)
    total = 0
    for steps in itertools.product((0, 1), repeat=3):  # 1: the cell has no extent along this axis
        cells = padded
        for axis, flat in enumerate(steps):
            if flat:
                cells = np.take(cells, range(cells.shape[axis] - 1), axis) | np.take(cells, range(1, cells.shape[axis]), axis)
        total += (-1) ** (3 - sum(steps)) * int(cells.sum())
    return total


def test_row59_cavities_by_the_complement(voxcc, tmp_path):
    """Components - tunnels + cavities is the Euler number. Boxes with cavities have no tunnels; cavities are 6-connected background."""
    array = np.zeros((20, 20, 20), np.uint8)
    for corner in ((1, 1, 1), (11, 11, 11), (1, 11, 11)):
        array[tuple(slice(start, start + 7) for start in corner)] = 1
        array[tuple(slice(start + 2, start + 4) for start in corner)] = 0
    path = write_nifti(tmp_path / "in.nii", array)
    components = labels_of(voxcc, tmp_path, path, connectivity=26).max()
    cavities = labels_of(voxcc, tmp_path, path, "--invert", connectivity=6).max() - 1
    assert components + cavities == euler(array) == 6
