"""Compares the columns of --shape with numpy and scikit-image, and between ways to process a volume."""

import nibabel
import numpy as np
import pytest
import SimpleITK
import skimage.measure
from helpers import blobs, label_scipy, noise, read_table, streaming_limit, voronoi, write_nifti

SHEARED = np.array([[2.0, 0.25, -0.5, 10.0], [-0.125, 1.5, 0.75, -20.5], [0.0, 0.5, 3.0, 1000.25], [0, 0, 0, 1]])
IN_SPACE = ("equivalent_diameter_mm sphericity feret_mm axis1_x axis1_y axis1_z axis2_x axis2_y axis2_z axis3_x axis3_y axis3_z "
            "axis1_length_mm axis2_length_mm axis3_length_mm").split()
OF_VOLUMES = ["surface_mm2", "surface_faces_mm2"]
OF_PLANES = ["perimeter_mm", "perimeter_sides_mm"]


def shapes(voxcc, folder, array, *options, affine=None, name="in.nii"):
    write_nifti(folder / name, array, affine)
    voxcc("label", folder / name, "--stats", folder / "out.csv", "--shape", "-f", *options)
    return read_table(folder / "out.csv")


def text_of(voxcc, folder, array, *options, affine=None):
    shapes(voxcc, folder, array, *options, affine=affine)
    return (folder / "out.csv").read_text()


def faces(mask, spacing):
    """The area of all exposed faces of the voxels of an array [z, y, x]."""
    padded = np.pad(mask, 1)
    x, y, z = spacing
    return sum(np.count_nonzero(np.diff(padded.astype(np.int8), axis=axis)) * area for axis, area in enumerate((x * y, x * z, y * z)))


def corners(mask):
    """The corners (x, y, z) of all voxels."""
    at = np.argwhere(mask)[:, ::-1]
    return np.unique((at[:, None, :] + np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, 8).T[None]).reshape(-1, 3), axis=0)


def feret(mask, affine):
    points = corners(mask) @ affine[:3, :3].T
    return max(np.sqrt(((points - point) ** 2).sum(1)).max() for point in points)


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("affine", [np.diag([0.5, 2, 3, 1]), SHEARED], ids=["straight", "sheared"])
def test_third_axis_is_perpendicular_to_the_slice(voxcc, tmp_path, axis, affine):
    """Also for single pixels and lines, whose other axes have no direction of their own."""
    rows = shapes(voxcc, tmp_path, noise((9, 10, 11), 0.1, seed=4), "--per-slice", axis, affine=affine)
    steps = np.delete(affine[:3, :3], "xyz".index(axis), axis=1)
    normal = np.cross(*steps.T) / np.linalg.norm(np.cross(*steps.T))
    assert min(row["voxels"] for row in rows) == 1 and max(row["voxels"] for row in rows) > 2
    for row in rows:
        axes = np.array([[row[f"axis{n}_{d}"] for d in "xyz"] for n in (1, 2, 3)])
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-9)
        assert abs(axes[2] @ normal) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("volume", [noise((13, 12, 70), 0.2, seed=1), noise((9, 8, 9), 0.6, seed=2), blobs((30, 31, 40), seed=3)],
                         ids=["noise", "dense", "blobs"])
@pytest.mark.parametrize("connectivity", [6, 26])
def test_euler_faces_and_extent(voxcc, tmp_path, volume, connectivity):
    rows = shapes(voxcc, tmp_path, volume, "-c", connectivity, affine=np.diag([0.5, 2, 3, 1]))
    labels = label_scipy(volume, connectivity)
    assert len(rows) == labels.max()
    for row, region in zip(rows, skimage.measure.regionprops(labels)):
        mask = region.image
        assert row["euler_number"] == skimage.measure.euler_number(mask, connectivity=1 if connectivity == 6 else 3)
        assert row["surface_faces_mm2"] == pytest.approx(faces(mask, (0.5, 2, 3)), rel=1e-12)
        assert row["extent"] == pytest.approx(region.extent, rel=1e-15)
        assert row["equivalent_diameter_mm"] == pytest.approx((6 * region.area * 3 / np.pi) ** (1 / 3), rel=1e-12)


def test_random_volumes(voxcc, tmp_path):
    random = np.random.default_rng(5)
    for _ in range(25):
        size = random.integers(1, 12, 3)
        volume = (random.random(size) < random.random()).astype(np.uint8)
        if size[0] == 1:
            continue
        for connectivity, number in ((6, 1), (26, 3)):
            labels = label_scipy(volume, connectivity)
            rows = shapes(voxcc, tmp_path, volume, "-c", connectivity)
            assert [row["euler_number"] for row in rows] == [
                skimage.measure.euler_number(np.pad(labels == k, 1), connectivity=number) for k in range(1, labels.max() + 1)]
            assert [row["surface_faces_mm2"] for row in rows] == [faces(labels == k, (1, 1, 1)) for k in range(1, labels.max() + 1)]


@pytest.mark.parametrize("affine", [np.eye(4), np.diag([0.5, 2, 3, 1.0]), SHEARED], ids=["cubes", "boxes", "sheared"])
def test_feret_and_axes(voxcc, tmp_path, affine):
    volume = noise((8, 9, 10), 0.15, seed=6)
    rows = shapes(voxcc, tmp_path, volume, affine=affine)
    labels = label_scipy(volume, 26)
    for label, row in enumerate(rows, 1):
        assert row["feret_mm"] == pytest.approx(feret(labels == label, affine), rel=1e-13)
        at = np.argwhere(labels == label)[:, ::-1] @ affine[:3, :3].T
        values, vectors = np.linalg.eigh(np.cov(at.T, bias=True).reshape(3, 3) if len(at) > 1 else np.zeros((3, 3)))
        ours = np.array([[row[f"axis{n}_{axis}"] for axis in "xyz"] for n in (1, 2, 3)], float)
        np.testing.assert_allclose(ours @ ours.T, np.eye(3), atol=1e-9)
        for n in range(3):
            length = row[f"axis{n + 1}_length_mm"]
            assert length == pytest.approx(4 * np.sqrt(max(values[2 - n], 0)), abs=1e-6)
            assert length == 4 * row[f"axis{n + 1}_mm"]
            others = np.delete(values, 2 - n)
            if abs(others - values[2 - n]).min() > 1e-6 * values[2]:
                assert abs(ours[n] @ vectors[:, 2 - n]) == pytest.approx(1, abs=1e-8)
            assert ours[n][np.argmax(abs(ours[n]) > abs(ours[n]).max() * (1 - 1e-6))] > 0


def test_surface_and_feret_of_scikit_image(voxcc, tmp_path):
    volume = blobs((60, 60, 60), 0.3, seed=7, scale=5)
    rows = shapes(voxcc, tmp_path, volume)
    labels = label_scipy(volume, 26)
    for row, region in zip(rows, skimage.measure.regionprops(labels)):
        if region.area < 200:
            continue
        vertices, triangles, _, _ = skimage.measure.marching_cubes(np.pad(region.image, 1).astype(float), 0.5)
        mesh = skimage.measure.mesh_surface_area(vertices, triangles)
        # The mesh of a binary volume has steps, so its surface is about 9 % too large.
        assert 0.8 * mesh < row["surface_mm2"] < mesh
        # Its points lie in the middle of the faces of voxels, and not in the corners of voxels.
        assert 0 <= row["feret_mm"] - region.feret_diameter_max < np.sqrt(3)


def test_surface_of_itk(voxcc, tmp_path):
    """ITK uses the same formula. Its weights for cubic voxels are the same; for other voxels it has no Voronoi areas."""
    volume = noise((13, 14, 15), 0.15, seed=19)
    rows = shapes(voxcc, tmp_path, volume, affine=np.diag([0.5, 0.5, 0.5, 1.0]))
    image = SimpleITK.GetImageFromArray(label_scipy(volume, 26).astype(np.uint16))
    image.SetSpacing((0.5, 0.5, 0.5))
    measured = SimpleITK.LabelShapeStatisticsImageFilter()
    measured.ComputePerimeterOn()
    measured.Execute(image)
    for row in rows:
        assert row["surface_mm2"] == pytest.approx(measured.GetPerimeter(row["label"]), rel=1e-11)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_images_of_one_slice(voxcc, tmp_path, connectivity):
    image = blobs((1, 60, 70), seed=8)
    rows = shapes(voxcc, tmp_path, image, "-c", connectivity, affine=np.diag([0.5, 0.5, 4, 1.0]))
    assert all(name in rows[0] for name in OF_PLANES + IN_SPACE) and not any(name in rows[0] for name in OF_VOLUMES)
    labels = label_scipy(image[0], connectivity)
    for row, region in zip(rows, skimage.measure.regionprops(labels)):
        assert row["euler_number"] == skimage.measure.euler_number(region.image, connectivity=1 if connectivity == 4 else 2)
        sides = sum(np.count_nonzero(np.diff(np.pad(region.image, 1).astype(np.int8), axis=axis)) for axis in (0, 1))
        assert row["perimeter_sides_mm"] == sides * 0.5
        # scikit-image has weights for square pixels only, and rounds them.
        assert row["perimeter_mm"] == pytest.approx(0.5 * skimage.measure.perimeter_crofton(np.pad(region.image, 1), directions=4),
                                                    rel=1e-9)


@pytest.mark.parametrize("axis", "xyz")
def test_slices_equal_images(voxcc, tmp_path, axis):
    volume = noise((6, 7, 8), 0.5, seed=9)
    affine = SHEARED
    rows = shapes(voxcc, tmp_path, volume, "--per-slice", axis, affine=affine)
    order = {"x": (2, 0, 1), "y": (1, 0, 2), "z": (0, 1, 2)}[axis]
    columns_of = {"x": (1, 2, 0), "y": (0, 2, 1), "z": (0, 1, 2)}[axis]
    turned = np.eye(4)
    turned[:3, :3] = affine[:3, columns_of]
    same = 0
    for number, image in enumerate(np.transpose(volume, order)):
        of_slice = [row for row in rows if row["slice"] == number]
        alone = shapes(voxcc, tmp_path, image[None].copy(), affine=turned)
        assert len(of_slice) == len(alone)
        for row, other in zip(of_slice, alone):
            for name in [*OF_PLANES, *IN_SPACE, "euler_number", "extent"]:
                assert row[name] == pytest.approx(other[name], abs=1e-7), name
            same += 1
    assert same == len(rows)


@pytest.mark.parametrize("connectivity", [6, 18, 26])
@pytest.mark.parametrize("options", [(), ("--multilabel",), ("--delta", "1"), ("--periodic", "xyz")], ids=lambda o: " ".join(o))
def test_same_bytes(voxcc, tmp_path, connectivity, options):
    volume = voronoi((40, 41, 70)).astype(np.uint8) * blobs((40, 41, 70), seed=10)
    args = ("-c", connectivity, *options)
    first = text_of(voxcc, tmp_path, volume, *args, "-t", 1, affine=SHEARED)
    for more in (("-t", 3), ("--isa", "portable"), ("--isa", "avx2"), ("-t", 2, "-o", tmp_path / "o.nii")):
        assert text_of(voxcc, tmp_path, volume, *args, *more, affine=SHEARED) == first, more
    if not options:
        assert text_of(voxcc, tmp_path, volume, *args, "--algorithm", "uf", affine=SHEARED) == first


@pytest.mark.parametrize("options", [(), ("-c", 18), ("--multilabel",), ("--periodic", "z"), ("--per-slice", "z")], ids=lambda o: " ".join(map(str, o)))
def test_streaming_gives_the_same_bytes(voxcc, tmp_path, options):
    volume = blobs((200, 60, 70), seed=11)
    first = text_of(voxcc, tmp_path, volume, *options, "-t", 1)
    limit = streaming_limit(voxcc, "label", "in.nii", "--stats", "out.csv", "--shape", "-f", "-t", 1, *map(str, options), cwd=tmp_path)
    assert text_of(voxcc, tmp_path, volume, *options, "-t", 1, *limit) == first


def test_selection_keeps_the_values(voxcc, tmp_path):
    volume = noise((12, 13, 14), 0.2, seed=12)
    all_rows = shapes(voxcc, tmp_path, volume)
    largest = sorted(all_rows, key=lambda row: (-row["voxels"], row["label"]))[:3]
    kept = shapes(voxcc, tmp_path, volume, "--keep-largest", 3, "--sort", "size")
    assert [{**row, "label": 0} for row in kept] == [{**row, "label": 0} for row in largest]


def test_holes_are_filled_first(voxcc, tmp_path):
    shell = np.zeros((9, 9, 9), np.uint8)
    shell[1:8, 1:8, 1:8] = 1
    shell[3:6, 3:6, 3:6] = 0
    assert shapes(voxcc, tmp_path, shell)[0]["euler_number"] == 2
    row = shapes(voxcc, tmp_path, shell, "--fill-holes")[0]
    assert row["euler_number"] == 1 and row["surface_faces_mm2"] == 6 * 49


@pytest.mark.parametrize("connectivity", [6, 18, 26])
def test_stats_of_labels(voxcc, tmp_path, connectivity):
    volume = noise((11, 12, 70), 0.25, seed=13)
    write_nifti(tmp_path / "in.nii", volume, SHEARED)
    voxcc("label", tmp_path / "in.nii", "-c", connectivity, "-o", tmp_path / "labels.nii", "--stats", tmp_path / "a.csv", "--shape")
    voxcc("stats", tmp_path / "labels.nii", "-o", tmp_path / "b.csv", "--shape", "-c", connectivity)
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    assert "--shape" in voxcc.fails(64, "stats", tmp_path / "labels.nii", "-o", tmp_path / "c.csv", "-c", 6)


def test_stats_of_parts_that_do_not_touch(voxcc, tmp_path):
    labels = np.zeros((5, 6, 7), np.int16)
    labels[0, 0, 0] = labels[4, 5, 6] = 300
    labels[2] = -7
    write_nifti(tmp_path / "labels.nii", labels)
    voxcc("stats", tmp_path / "labels.nii", "-o", tmp_path / "t.csv", "--shape")
    rows = {row["label"]: row for row in read_table(tmp_path / "t.csv")}
    assert rows[300]["euler_number"] == 2 and rows[300]["surface_faces_mm2"] == 12
    assert rows[300]["feret_mm"] == pytest.approx(np.sqrt(25 + 36 + 49))
    assert rows[-7]["surface_faces_mm2"] == 2 * (42 + 6 + 7)


def test_four_dimensions(voxcc, tmp_path):
    volumes = np.stack([noise((8, 9, 10), 0.3, seed=seed) for seed in (14, 15)])
    nibabel.save(nibabel.Nifti1Image(volumes.T, np.eye(4)), tmp_path / "in.nii")
    voxcc("label", tmp_path / "in.nii", "--volume", "all", "--stats", tmp_path / "out.csv", "--shape")
    rows = read_table(tmp_path / "out.csv")
    for number, volume in enumerate(volumes):
        alone = shapes(voxcc, tmp_path, volume, name="one.nii")
        of_volume = [{**row} for row in rows if row["volume"] == number]
        for row in of_volume:
            del row["volume"]
        assert of_volume == alone
        (tmp_path / "out.csv").unlink()


def test_a_table_of_images_and_volumes(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", noise((1, 9, 10), 0.3, seed=16))
    write_nifti(tmp_path / "b.nii", noise((4, 9, 10), 0.3, seed=17))
    voxcc("label", tmp_path / "a.nii", tmp_path / "b.nii", "--stats", tmp_path / "t.csv", "--shape")
    rows = read_table(tmp_path / "t.csv")
    assert {row["surface_mm2"] == "n/a" for row in rows if row["file"].endswith("a.nii")} == {True}
    assert {row["surface_mm2"] == "n/a" for row in rows if row["file"].endswith("b.nii")} == {False}
    assert "n/a" not in {row["feret_mm"] for row in rows}


def test_without_a_usable_affine(voxcc, tmp_path):
    image = nibabel.Nifti1Image(noise((4, 5, 6), 0.4, seed=18).T, None)
    image.set_sform(np.diag([1, 1, 0, 1]), 2)
    image.header["qform_code"] = 0
    nibabel.save(image, tmp_path / "in.nii")
    voxcc("label", tmp_path / "in.nii", "--stats", tmp_path / "t.csv", "--shape")
    for row in read_table(tmp_path / "t.csv"):
        assert {row[name] for name in OF_VOLUMES + IN_SPACE} == {"n/a"}
        assert row["extent"] != "n/a" and row["euler_number"] != "n/a"


def test_shape_needs_a_table(voxcc, tmp_path):
    write_nifti(tmp_path / "in.nii", noise((4, 5, 6), 0.4))
    error = voxcc.fails(64, "label", tmp_path / "in.nii", "--shape", "-o", tmp_path / "o.nii")
    assert "--shape" in error and "--stats" in error
    assert not (tmp_path / "o.nii").exists()


def test_empty_volume_has_a_header(voxcc, tmp_path):
    assert shapes(voxcc, tmp_path, np.zeros((4, 5, 6), np.uint8)) == []
    assert set(OF_VOLUMES + IN_SPACE) <= set((tmp_path / "out.csv").read_text().strip().split(","))
