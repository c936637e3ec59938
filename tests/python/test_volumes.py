"""--masked-output, --size-output and --mask-output, compared with numpy: every format and type, streamed, in batches."""

import json
import subprocess

import h5py
import nibabel
import numpy as np
import pytest
import SimpleITK
import tifffile
from helpers import blobs, label_equal_values, label_scipy, noise, read_nifti, read_table, sha256, streaming_limits, voronoi, write_nifti

TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
KINDS = ("labels", "values", "sizes", "mask")
OPTIONS = {"labels": "-o", "values": "--masked-output", "sizes": "--size-output", "mask": "--mask-output"}
DATASETS = {"labels": "/labels", "values": "/values", "sizes": "/sizes", "mask": "/mask"}
SLICES = {"labels": "label", "values": "value", "sizes": "size", "mask": "mask"}


def read(path, kind):
    """The stored values of a volume, [z, y, x]."""
    name = str(path)
    if name.endswith((".nii", ".nii.gz")):
        return np.asarray(nibabel.load(path).dataobj.get_unscaled()).T
    if name.endswith(".tif"):
        return tifffile.imread(path)
    if name.endswith(".h5"):
        with h5py.File(path) as file:
            return file[DATASETS[kind]][()]
    if name.endswith(".npy"):
        return np.load(path).T
    return SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(name))


def expected(labels, values):
    """All four volumes of a labelling. @param values of the input, with 0 as background"""
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    return {"labels": labels, "values": np.where(labels > 0, values, 0).astype(values.dtype), "sizes": sizes[labels],
            "mask": (labels > 0).astype(np.uint8)}


def smallest_unsigned(most):
    return next(np.dtype(name) for name in ("uint8", "uint16", "uint32", "uint64") if most <= np.iinfo(name).max)


def outputs(folder, extension, kinds=KINDS):
    return [text for kind in kinds for text in (OPTIONS[kind], folder / (kind + extension) if extension != "/" else f"{folder / kind}/")]


def check(folder, wanted, extension, kinds=KINDS):
    for kind in kinds:
        path = folder / (kind + extension) if extension != "/" else None
        found = read(path, kind) if path else read_slices(folder / kind, kind)
        np.testing.assert_array_equal(found, wanted[kind], err_msg=kind)
        if kind == "values":
            assert found.dtype == wanted[kind].dtype
        if kind == "mask":
            assert found.dtype == np.uint8
        if kind == "sizes":
            assert found.dtype == smallest_unsigned(wanted[kind].max())


def read_slices(folder, kind):
    return np.stack([tifffile.imread(file) for file in sorted(folder.glob(f"{SLICES[kind]}_*.tif"))])


def image_of(dtype, shape=(11, 13, 65), seed=1):
    """Values over the range of the type, and many zeros."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        values = random.standard_normal(shape) * 1e30
    else:
        limits = np.iinfo(kind)
        values = random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    return np.where(blobs(shape, 0.4, 1.0, seed), values, 0).astype(kind)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("extension", (".nii", ".nii.gz", ".tif", ".h5", ".nrrd", ".mha", ".mhd", ".npy", "/"))
def test_every_type_in_every_format(voxcc, tmp_path, dtype, extension):
    image = image_of(dtype)
    np.save(tmp_path / "in.npy", image)
    voxcc("label", tmp_path / "in.npy", "-c", 6, *outputs(tmp_path, extension))
    wanted = expected(label_scipy(image != 0, 6), image)
    assert wanted["sizes"].max() > 255
    if extension == ".npy":  # a NumPy input in C order gives arrays in C order
        for kind in KINDS:
            np.testing.assert_array_equal(np.load(tmp_path / f"{kind}.npy"), wanted[kind])
        return
    check(tmp_path, wanted, extension)


@pytest.mark.parametrize("shape", ((1, 1, 1), (1, 1, 64), (2, 3, 63), (5, 1, 65), (7, 40)))
@pytest.mark.parametrize("extension", (".nii.gz", ".tif", ".h5", ".nrrd"))
def test_small_shapes(voxcc, tmp_path, shape, extension):
    image = noise(shape, 0.5).astype(np.int16) * 300
    image.flat[0] = -5
    np.save(tmp_path / "in.npy", image)
    voxcc("label", tmp_path / "in.npy", *outputs(tmp_path, extension))
    volume = image.reshape((1,) * (3 - image.ndim) + image.shape)
    wanted = expected(label_scipy(volume != 0, 26), volume)
    for kind in KINDS:
        np.testing.assert_array_equal(np.squeeze(read(tmp_path / (kind + extension), kind)), np.squeeze(wanted[kind]))


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("compress", ("0", "6"))
def test_alone_and_together_have_the_same_bytes(voxcc, tmp_path, kind, compress):
    write_nifti(tmp_path / "in.nii.gz", image_of("int16"))
    common = ["label", tmp_path / "in.nii.gz", "--compress", compress, "-f"]
    for extension in (".nii.gz", ".tif", ".h5", ".mha"):
        for threads in ("1", "3"):
            voxcc(*common, "-t", threads, *outputs(tmp_path, extension))
            together = sha256(tmp_path / (kind + extension))
            voxcc(*common, "-t", threads, OPTIONS[kind], tmp_path / ("alone" + extension))
            assert sha256(tmp_path / ("alone" + extension)) == together


SELECTIONS = {"size": ["--min-size", "4", "--max-size", "300"], "largest": ["--keep-largest", "3", "--sort", "size"], "border": ["--clear-border"],
              "wide": ["--dtype", "uint32"], "threshold": ["--threshold", "<=-40"], "invert": ["--threshold", ">20", "--invert"],
              "nothing": ["--min-size", "1000000"]}


@pytest.mark.parametrize("name", SELECTIONS)
def test_selected_components(voxcc, tmp_path, name):
    """Only kept components are in the volumes. --dtype applies to the labels only."""
    image = image_of("int8")
    write_nifti(tmp_path / "in.nii", image)
    voxcc("label", tmp_path / "in.nii", *SELECTIONS[name], *outputs(tmp_path, ".nii"), "--stats", tmp_path / "t.csv")
    labels = read_nifti(tmp_path / "labels.nii").astype(int)
    assert labels.any() == (name != "nothing")
    check(tmp_path, expected(labels, image), ".nii")
    sizes = read(tmp_path / "sizes.nii", "sizes")
    for row in read_table(tmp_path / "t.csv"):
        assert (sizes[labels == row["label"]] == row["voxels"]).all()
    if name == "wide":
        assert read(tmp_path / "labels.nii", "labels").dtype == np.uint32


RULES = {"multilabel": ["--multilabel"], "slices-x": ["--per-slice", "x"], "slices-y": ["--per-slice", "y", "-c", "4"],
         "slices-z": ["--per-slice", "z"], "periodic": ["--periodic", "xy", "-c", "6"], "holes": ["--fill-holes"],
         "signs": ["--split-signs"], "gradient": ["--gradient", "3"], "published": ["--algorithm", "buf"]}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("threads", ("1", "3"))
def test_every_rule(voxcc, tmp_path, name, threads):
    image = voronoi((9, 22, 66), 60, dtype=np.int16)
    image[image % 3 == 1] *= -1
    write_nifti(tmp_path / "in.nii", image)
    voxcc("label", tmp_path / "in.nii", "--device", "cpu", "-t", threads, *RULES[name], *outputs(tmp_path, ".nii"))
    labels = read_nifti(tmp_path / "labels.nii").astype(int)
    if name == "multilabel":
        np.testing.assert_array_equal(labels, label_equal_values(image, 26))
    check(tmp_path, expected(labels, image), ".nii")


def test_filled_voxels_have_the_values_of_the_input(voxcc, tmp_path):
    image = np.full((7, 7, 9), 5, np.float32)
    image[3, 3, 3:6] = (-2, np.nan, 0)
    write_nifti(tmp_path / "in.nii", image)
    voxcc("label", tmp_path / "in.nii", "--threshold", ">1", "--fill-holes", *outputs(tmp_path, ".nii"))
    np.testing.assert_array_equal(read(tmp_path / "values.nii", "values"), image)
    assert (read(tmp_path / "mask.nii", "mask") == 1).all() and (read(tmp_path / "sizes.nii", "sizes") == image.size).all()


def test_nan_is_background(voxcc, tmp_path):
    image = np.where(noise((5, 6, 70), 0.5), np.nan, 3).astype(np.float32)
    write_nifti(tmp_path / "in.nii", image)
    voxcc("label", tmp_path / "in.nii", "--threshold", ">5", "--invert", *outputs(tmp_path, ".nii"))
    np.testing.assert_array_equal(read(tmp_path / "values.nii", "values"), np.nan_to_num(image))


# Stored type, slope, intercept -> whether the stored values are kept, and the stored value of the background.
SCALINGS = {("int16", 2, 0): 0, ("int16", 1, -1024): 1024, ("uint8", 0.5, -10): 20, ("uint16", 0.25, 3): None, ("int16", 0.25, 3): -12,
            ("uint8", 1, -256): None, ("uint8", -1, 255): 255, ("int16", 0.1, -1): None, ("float32", 0.5, 1.5): -3, ("float32", 3, 1): None,
            ("int16", -3, 7): None, ("float64", 2, 5): -2.5}


@pytest.mark.parametrize("dtype, slope, intercept", SCALINGS)
@pytest.mark.parametrize("extension", (".nii", ".nii.gz", ".tif"))
def test_scaled_values(voxcc, tmp_path, dtype, slope, intercept, extension):
    stored = np.random.default_rng(4).integers(0, 100, (6, 7, 66)).astype(dtype)
    image = nibabel.Nifti1Image(stored.T, np.eye(4))
    image.header.set_slope_inter(slope, intercept)
    image.header["cal_max"] = 50
    nibabel.save(image, tmp_path / "in.nii")
    kept = np.float32(slope), np.float32(intercept)
    header = bytearray((tmp_path / "in.nii").read_bytes())
    header[112:120] = np.array(kept, "<f4").tobytes()  # nibabel rescales when it saves
    header[352:] = stored.tobytes()
    (tmp_path / "in.nii").write_bytes(bytes(header))
    scaled = stored.astype(float) * float(kept[0]) + float(kept[1])
    level = float(np.median(scaled))
    voxcc("label", tmp_path / "in.nii", "--threshold", f">{level}", "-c", 6, *outputs(tmp_path, extension))
    labels = label_scipy(scaled > level, 6)
    assert 0 < (labels > 0).sum() < labels.size
    path = tmp_path / f"values{extension}"
    background = SCALINGS[dtype, slope, intercept]
    if extension == ".tif":
        np.testing.assert_array_equal(tifffile.imread(path), np.where(labels > 0, scaled, 0.0))
        assert tifffile.imread(path).dtype == np.float64
        return
    written = nibabel.load(path)
    np.testing.assert_array_equal(written.get_fdata().T, np.where(labels > 0, scaled, 0.0))
    if background is None:
        assert written.get_data_dtype() == np.float64 and written.dataobj.slope == 1 and written.dataobj.inter == 0
    else:
        np.testing.assert_array_equal(read(path, "values"), np.where(labels > 0, stored, np.array(background, dtype)))
        assert written.get_data_dtype() == np.dtype(dtype)
        assert (written.dataobj.slope, written.dataobj.inter) == kept
    assert written.header["cal_max"] == 50


def test_scaling_of_metaimage_is_kept(voxcc, tmp_path):
    stored = np.random.default_rng(4).integers(0, 100, (6, 7, 30)).astype(np.int16)
    (tmp_path / "in.mha").write_bytes(b"ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = 30 7 6\nElementType = MET_SHORT\n"
                                      b"ElementToIntensityFunctionSlope = 0.1\nElementToIntensityFunctionOffset = -0.5\n"
                                      b"ElementDataFile = LOCAL\n" + stored.tobytes())
    voxcc("label", tmp_path / "in.mha", "--threshold", ">4", "--masked-output", tmp_path / "values.mha", "--compress", "0")
    data = (tmp_path / "values.mha").read_bytes()
    assert b"ElementToIntensityFunctionSlope = 0.1\nElementToIntensityFunctionOffset = -0.5\n" in data
    scaled = stored * 0.1 - 0.5
    assert data.endswith(np.where(scaled > 4, stored, 5).astype(np.int16).tobytes())
    voxcc("label", tmp_path / "in.mha", "--threshold", ">4", "--masked-output", tmp_path / "values.nii")  # 0.1 is not a float32
    written = nibabel.load(tmp_path / "values.nii")
    assert written.get_data_dtype() == np.float64
    np.testing.assert_array_equal(written.get_fdata().T, np.where(scaled > 4, scaled, 0))


def test_headers_of_nifti(voxcc, tmp_path):
    affine = np.array([[-2, 0, 0, 90], [0, 2.5, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1.0]])
    image = nibabel.Nifti1Image(image_of("float32").T, affine)
    image.header.set_intent("z score", name="z")
    nibabel.save(image, tmp_path / "in.nii.gz")
    voxcc("label", tmp_path / "in.nii.gz", *outputs(tmp_path, ".nii.gz"))
    for kind, intent in (("labels", "label"), ("values", "z score"), ("sizes", "none"), ("mask", "none")):
        written = nibabel.load(tmp_path / f"{kind}.nii.gz")
        np.testing.assert_array_equal(written.affine, affine)
        assert written.header.get_intent()[0] == intent and bytes(written.header["descrip"]).startswith(b"voxcc ")


MIXED = {"labels": ".nii.gz", "values": ".h5", "sizes": ".tif", "mask": ".nrrd"}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A volume of 24 million voxels, in three formats."""
    folder = tmp_path_factory.mktemp("large")
    part = voronoi((40, 64, 64), 200, dtype=np.int16)
    image = np.tile(part, (24, 3, 2))
    image[::7, 40:60] = 90
    write_nifti(folder / "in.nii", image)
    write_nifti(folder / "in.nii.gz", image)
    with h5py.File(folder / "in.h5", "w") as file:
        file.create_dataset("v", data=image, chunks=(20, 64, 64), compression="gzip", compression_opts=1)
    return folder, image


@pytest.mark.parametrize("options, extension", (([], ".nii.gz"), ([], ".h5"), ([], ".nii"), (["--multilabel"], ".nii.gz"),
                                                (["--fill-holes", "--threshold", "90"], ".nii"), (["--per-slice", "z"], ".nii")))
def test_streamed_outputs_have_the_same_bytes(voxcc, tmp_path, large, options, extension):
    """Blocks of the four files have different numbers of rows, and their ends are not ends of slabs."""
    folder, image = large
    names = [kind + ending for kind, ending in MIXED.items()]
    command = ["label", folder / f"in{extension}", "--device", "cpu", "-f", *options,
               *[text for kind, ending in MIXED.items() for text in (OPTIONS[kind], kind + ending)]]
    contents = set()
    streamed = streaming_limits(voxcc, [*command, "-t", "1"], tmp_path)
    for limit in ([], *(streamed[:1] if options else streamed)):  # the smallest limit has no room for the components of other rules
        for threads in ("1", "3") if not limit else ("1",):
            voxcc(*command, "-t", threads, *limit, cwd=tmp_path)
            contents.add(tuple(sha256(tmp_path / name) for name in names))
    assert len(contents) == 1
    labels = read(tmp_path / names[0], "labels")
    if options == ["--multilabel"]:
        np.testing.assert_array_equal(labels, label_equal_values(image, 26))
    wanted = expected(labels, image)
    for kind in KINDS[1:]:
        np.testing.assert_array_equal(read(tmp_path / (kind + MIXED[kind]), kind), wanted[kind])


def test_threads_of_streamed_outputs(voxcc, tmp_path, large):
    folder, _ = large
    command = ["label", folder / "in.nii", "--device", "cpu", "-t", "3", "-f", *outputs(tmp_path, ".nii.gz")]
    contents = set()
    for limit in ([], *streaming_limits(voxcc, command, tmp_path)):
        voxcc(*command, *limit)
        contents.add(tuple(sha256(tmp_path / f"{kind}.nii.gz") for kind in KINDS))
    assert len(contents) == 1


def test_passes_of_a_plan(voxcc, tmp_path, large):
    """All volumes are written in one pass. --masked-output reads the values of the image once more."""
    passes = {}
    for kinds in (KINDS[:1], KINDS[1:2], KINDS[2:], KINDS):
        command = ["label", large[0] / "in.nii", "--device", "cpu", "-t", "1", *outputs(tmp_path, ".nii", kinds)]
        plans = [json.loads(voxcc(*command, *limit, "--dry-run").stdout)["volumes"][0] for limit in ([], streaming_limits(voxcc, command, tmp_path)[0])]
        passes[kinds] = [plan["passes"] for plan in plans]
    assert passes == {KINDS[:1]: [1, 2], KINDS[1:2]: [2, 3], KINDS[2:]: [1, 2], KINDS: [2, 3]}


def test_batch_and_volumes(voxcc, tmp_path):
    images = [image_of("int16", seed=seed) for seed in (1, 2)]
    nibabel.save(nibabel.Nifti1Image(np.stack([image.T for image in images], 3), np.eye(4)), tmp_path / "four.nii.gz")
    for name, image in zip("ab", images):
        write_nifti(tmp_path / f"{name}.nii", image)
    voxcc("label", "a.nii", "b.nii", "-j", 2, "--masked-output", "m/{stem}.nii", "--size-output", "s/{stem}.nii", "--mkdir", "--json", "{stem}.json",
          cwd=tmp_path)
    voxcc("label", "four.nii.gz", "--volume", "all", "--masked-output", "m/{volume}.nii", "--mask-output", "k/{volume}.nii", "--mkdir", cwd=tmp_path)
    for number, (name, image) in enumerate(zip("ab", images)):
        wanted = expected(label_scipy(image != 0, 26), image)
        for path, kind in ((f"m/{name}.nii", "values"), (f"s/{name}.nii", "sizes"), (f"m/{number}.nii", "values"), (f"k/{number}.nii", "mask")):
            np.testing.assert_array_equal(read(tmp_path / path, kind), wanted[kind])
        summary = json.loads((tmp_path / f"{name}.json").read_text())
        assert {record["path"]: record["sha256"] for record in summary["outputs"]} == {
            path: sha256(tmp_path / path) for path in (f"m/{name}.nii", f"s/{name}.nii")}
        volume = summary["volumes"][0]
        assert volume["output"] is None and volume["other_volumes"]["masked-output"] == {"path": f"m/{name}.nii", "dtype": "int16"}


def test_skipping(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", image_of("int16"))
    command = ["label", "a.nii", "--size-output", "s.nii", "--masked-output", "m/", "--json", "a.json", "--skip-existing"]
    voxcc(*command, cwd=tmp_path)
    assert "is skipped" in voxcc(*command, cwd=tmp_path).stderr
    (tmp_path / "m" / "value_0003.tif").unlink()
    voxcc(*command, cwd=tmp_path)
    assert "is skipped" in voxcc(*command, cwd=tmp_path).stderr
    assert "is skipped" not in voxcc(*command, "--mask-output", "k.nii", cwd=tmp_path).stderr


def test_wrong_options(voxcc, tmp_path):
    write_nifti(tmp_path / "a.nii", image_of("int16"))
    write_nifti(tmp_path / "b.nii", image_of("int16"))
    for option in list(OPTIONS.values())[1:]:
        assert "{stem}" in voxcc.fails(64, "label", "a.nii", "b.nii", option, "c.nii", cwd=tmp_path)
        assert "also the file" in voxcc.fails(64, "label", "a.nii", "-o", "c.nii", option, "./c.nii", cwd=tmp_path)
        assert "extension" in voxcc.fails(64, "label", "a.nii", option, "c.doc", cwd=tmp_path)
        assert "is an input" in voxcc.fails(73, "label", "a.nii", option, "a.nii", "-f", cwd=tmp_path)
        voxcc("label", "a.nii", option, "c.nii", cwd=tmp_path)
        assert "--force" in voxcc.fails(73, "label", "a.nii", option, "c.nii", cwd=tmp_path)
        (tmp_path / "c.nii").unlink()
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(np.eye(16, dtype=np.uint8)[..., None].repeat(3, 2), isVector=True), tmp_path / "c.png")
    assert "--colour" in voxcc.fails(64, "label", "c.png", "--colour", "3", "--masked-output", "m.nii", cwd=tmp_path)
