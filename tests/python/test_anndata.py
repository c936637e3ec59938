"""AnnData tables (.h5ad), read by anndata and compared with the table in CSV."""

import json

import anndata
import h5py
import nibabel
import numpy as np
import pandas as pd
import pytest
import tifffile
from helpers import noise, voronoi, write_nifti

SHAPE = (6, 30, 40)  # z, y, x
TEXTS = {"sub", "ses"}
WHOLE = {"label", "voxels", "touches_border", "bbox_i_min", "bbox_k_max"}


def read_csv(path):
    """n/a is NaN in columns of numbers, and stays a text in columns of texts."""
    return pd.read_csv(path, na_values=["n/a"], keep_default_na=False, dtype={"file": str})


def check(h5ad, csv, images=(), unit="mm", axes=3):
    """Compares all cells exactly. Returns both tables."""
    data, table = anndata.read_h5ad(h5ad), read_csv(csv)
    assert list(data.obs.columns) == list(table.columns) and data.n_obs == len(table)
    for name in table.columns:
        if pd.api.types.is_numeric_dtype(table[name]) and name not in TEXTS:
            if data.n_obs and name in WHOLE:
                assert data.obs[name].dtype == np.int64, name
            np.testing.assert_array_equal(data.obs[name].to_numpy(), table[name].to_numpy(), err_msg=name)
        elif data.n_obs:
            assert list(data.obs[name]) == list(table[name].fillna("n/a").astype(str)), name
    assert data.X.dtype == np.float64 and data.X.shape == (len(table), len(images))
    assert list(data.var_names) == [name or "intensity" for name in images]
    for column, name in enumerate(images):
        np.testing.assert_array_equal(data.X[:, column], table[f"{name or 'intensity'}_mean"])
    letters, end = ("ijk", "") if unit == "voxel" else ("xyz", f"_{unit}")
    if data.n_obs:
        np.testing.assert_array_equal(data.obsm["spatial"], table[[f"centroid_{axis}{end}" for axis in letters[:axes]]])
    assert data.obsm["spatial"].shape == (len(table), axes) and data.uns["voxcc"]["spatial_unit"] == unit
    return data, table


@pytest.fixture(name="folder", scope="module")
def make_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("anndata")
    affine = np.diag([0.5, 0.25, 2, 1])
    write_nifti(folder / "mask.nii", noise(SHAPE, 0.3, 2), affine)
    write_nifti(folder / "labels.nii", voronoi(SHAPE, 30), affine)
    write_nifti(folder / "ct.nii", np.random.default_rng(1).normal(size=SHAPE).astype(np.float32), affine)
    write_nifti(folder / "pet.nii", np.random.default_rng(2).integers(0, 999, SHAPE).astype(np.int16), affine)
    write_nifti(folder / "empty.nii", np.zeros(SHAPE, np.uint8), affine)
    tifffile.imwrite(folder / "flat.ome.tif", np.random.default_rng(3).integers(0, 9, (3, 50, 60)).astype(np.uint16), photometric="minisblack",
                     metadata={"axes": "CYX", "Channel": {"Name": ["DAPI", "CD3", "CD45"]}, "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5})
    tifffile.imwrite(folder / "cells.ome.tif", voronoi((1, 50, 60), 40)[0], metadata={"axes": "YX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5})
    return folder


def both(voxcc, folder, *command, option="--stats", expect=0):
    for name in ("t.h5ad", "t.csv"):
        voxcc(*command, option, name, "-f", cwd=folder, expect=expect)
    return folder / "t.h5ad", folder / "t.csv"


@pytest.mark.parametrize("command", (("label", "mask.nii"), ("stats", "labels.nii")))
@pytest.mark.parametrize("images", ((), ("",), ("ct", "pet")))
def test_tables(voxcc, folder, command, images):
    files = {"": "ct.nii", "ct": "ct=ct.nii", "pet": "pet=pet.nii"}
    more = [word for image in images for word in ("--intensity", files[image])]
    option = "--stats" if command[0] == "label" else "-o"
    data, _ = check(*both(voxcc, folder, *command, *more, "--shape", "--inside", option=option), images)
    assert data.n_obs > 4 and list(data.obs_names) == [str(label) for label in data.obs["label"]]


def test_channels_of_a_2d_image(voxcc, folder):
    check(*both(voxcc, folder, "stats", "cells.ome.tif", "--intensity", "flat.ome.tif[c=*]", option="-o"), ("DAPI", "CD3", "CD45"), "um", 2)


def test_no_component(voxcc, folder):
    data, _ = check(*both(voxcc, folder, "label", "empty.nii", "--intensity", "ct=ct.nii"), ("ct",))
    assert data.n_obs == 0


def test_positions_in_voxels(voxcc, folder, tmp_path):
    """A file without a size of voxels has the unit voxel; an affine that is not usable gives indices."""
    np.save(tmp_path / "a.npy", noise(SHAPE, 0.3, 2))
    data, table = read_pair(voxcc, tmp_path, "label", "a.npy")
    np.testing.assert_array_equal(data.obsm["spatial"], table[["centroid_i", "centroid_j", "centroid_k"]])
    assert data.uns["voxcc"]["spatial_unit"] == "voxel"
    header = nibabel.Nifti1Header()
    header.set_sform(np.diag([1, 1, 0, 1]), code=1)  # not invertible
    nibabel.save(nibabel.Nifti1Image(noise(SHAPE, 0.3, 2).T, None, header), tmp_path / "flat.nii")
    data, table = read_pair(voxcc, tmp_path, "label", "flat.nii")
    assert table["centroid_x_mm"].isna().all() and data.uns["voxcc"]["spatial_unit"] == "voxel"
    np.testing.assert_array_equal(data.obsm["spatial"], table[["centroid_i", "centroid_j", "centroid_k"]])


def read_pair(voxcc, folder, *command):
    h5ad, csv = both(voxcc, folder, *command)
    return anndata.read_h5ad(h5ad), read_csv(csv)


def test_columns_and_digits(voxcc, folder):
    """--columns and --digits concern obs. X and the positions stay complete."""
    data, table = read_pair(voxcc, folder, "label", "mask.nii", "--intensity", "ct=ct.nii", "--columns", "label,volume", "--digits", "3")
    assert list(data.obs.columns) == ["label", "volume_mm3"] and list(data.obs["volume_mm3"]) == list(table["volume_mm3"])
    voxcc("label", "mask.nii", "--intensity", "ct=ct.nii", "--stats", "full.csv", "-f", cwd=folder)
    full = read_csv(folder / "full.csv")
    np.testing.assert_array_equal(data.X[:, 0], full["ct_mean"])
    np.testing.assert_array_equal(data.obsm["spatial"], full[["centroid_x_mm", "centroid_y_mm", "centroid_z_mm"]])


def test_several_inputs(voxcc, folder):
    """Names of rows tell the inputs apart. A column of whole numbers with a missing cell has real numbers."""
    data, table = check(*both(voxcc, folder, "label", "mask.nii", "labels.nii", "--sidecar"))
    assert list(data.obs_names) == [f"{file}:{label}" for file, label in zip(table["file"], table["label"])] and data.obs_names.is_unique
    assert "volume_mm3" in json.loads((folder / "t.json").read_text())
    write_nifti(folder / "two.nii", np.stack([noise(SHAPE, 0.3, 2)] * 2), np.diag([0.5, 0.25, 2, 1]))
    data, table = check(*both(voxcc, folder, "label", "mask.nii", "two.nii", "--volume", "all"))
    data, table = check(*both(voxcc, folder, "label", "mask.nii", "two.nii[0..1]"))
    assert data.obs["volume"].isna().sum() > 0 and data.obs_names.is_unique


def test_more_rows_than_are_kept_in_memory(voxcc, tmp_path):
    """Rows are written 4096 at a time. Columns change their type when a later row needs it."""
    mask = np.zeros((1, 160, 160), np.uint8)
    mask[0, ::2, ::2] = 1  # 6400 components
    write_nifti(tmp_path / "sub-1_a.nii", mask)
    write_nifti(tmp_path / "sub-2_ses-x_a.nii", mask)
    image = np.arange(mask.size, dtype=np.float32).reshape(mask.shape)
    image[0, 120:] = np.nan  # the last components have no value
    write_nifti(tmp_path / "image.nii", image)
    files = both(voxcc, tmp_path, "label", "sub-1_a.nii", "sub-2_ses-x_a.nii", "--intensity", "v=image.nii", "--shared")
    data, table = check(*files, ("v",), axes=2)
    assert len(table) == 12800 and data.obs["v_peak_i"].dtype == np.float64 and data.obs["voxels"].dtype == np.int64
    assert data.obs["v_peak_i"].isna().sum() == 2 * 20 * 80 and list(data.obs["ses"].unique()) == ["n/a", "x"]


def test_large_labels(voxcc, tmp_path):
    """Labels from 2^63 on are unsigned; negative labels are signed."""
    labels = np.array([[[1, 0, 2**64 - 1, 0, 2**63]]], np.uint64)
    np.save(tmp_path / "a.npy", labels)
    voxcc("stats", "a.npy", "-o", "a.h5ad", cwd=tmp_path)
    data = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert data.obs["label"].dtype == np.uint64 and list(data.obs["label"]) == [1, 2**63, 2**64 - 1] and list(data.obs_names)[-1] == str(2**64 - 1)
    np.save(tmp_path / "b.npy", np.array([[[-5, 0, 7]]], np.int16))
    voxcc("stats", "b.npy", "-o", "b.h5ad", cwd=tmp_path)
    assert list(anndata.read_h5ad(tmp_path / "b.h5ad").obs["label"]) == [-5, 7]


def test_the_same_bytes(voxcc, folder, tmp_path, monkeypatch):
    """No times and no bytes of memory are in the file."""
    contents = set()
    for n, fill in enumerate(("", "85", "170")):
        monkeypatch.setenv("MALLOC_PERTURB_", fill)
        voxcc("label", "mask.nii", "labels.nii", "--intensity", "ct=ct.nii", "--shared", "--stats", tmp_path / f"{n}.h5ad", cwd=folder)
        contents.add((tmp_path / f"{n}.h5ad").read_bytes())
    assert len(contents) == 1


def test_encodings(voxcc, folder):
    """Each object states its kind, as the format requires."""
    voxcc("label", "mask.nii", "--stats", "e.h5ad", "-f", cwd=folder)
    with h5py.File(folder / "e.h5ad") as file:
        assert dict(file.attrs) == {"encoding-type": "anndata", "encoding-version": "0.1.0"}
        kinds = {"obs": "dataframe", "var": "dataframe", "X": "array", "obsm": "dict", "uns": "dict", "layers": "dict", "obsp": "dict", "varm": "dict",
                 "varp": "dict", "obs/_index": "string-array", "obs/label": "array", "uns/voxcc/version": "string"}
        assert {name: file[name].attrs["encoding-type"] for name in kinds} == kinds
        assert file["obs/label"].dtype == np.dtype("<i8") and file["X"].dtype == np.dtype("<f8")


def test_errors(voxcc, folder):
    for command in (["--summary", "s.h5ad"], ["--contacts", "s.h5ad", "-c", "6"]):
        error = voxcc.fails(64, "label", "mask.nii", *command, cwd=folder)
        assert "an AnnData file can hold only the table of components; use .csv, .tsv or .json" in error
    voxcc("label", "mask.nii", "--stats", "e.h5ad", "-f", cwd=folder)
    for command in (["join", "e.h5ad", "-o", "j.csv"], ["report", "e.h5ad", "-o", "r.html"]):
        assert "is an AnnData file, which is not read as a table; use a table in .csv, .tsv or .json" in voxcc.fails(64, *command, cwd=folder)
    voxcc("label", "mask.nii", "--stats", "e.csv", "-f", cwd=folder)
    assert "can hold only" in voxcc.fails(64, "join", "e.csv", "-o", "j.h5ad", cwd=folder)
    assert "exists" in voxcc.fails(73, "label", "mask.nii", "--stats", "e.h5ad", cwd=folder)
    many = [word for n in range(240) for word in ("--intensity", f"n{n}=ct.nii")]
    assert "can list at most 4000; choose fewer columns" in voxcc.fails(73, "label", "mask.nii", *many, "--stats", "m.h5ad", cwd=folder)
    voxcc("label", "mask.nii", *many[:20], "--columns", "label", "--stats", "m.h5ad", cwd=folder)


def test_parts(voxcc, folder, tmp_path):
    voxcc("split", "mask.nii", "--part-size", 16, "--intensity", "ct=ct.nii", "-o", tmp_path / "plan.json", cwd=folder)
    for step in (["label", "-o", "state"], ["merge", "state", "-o", "merged"], ["relabel", "state", "merged"],
                 ["relabel", "state", "merged", "--finish", "--stats", "parts.h5ad"]):
        voxcc(step[0], "--plan", "plan.json", *step[1:], cwd=tmp_path)
    voxcc("label", "mask.nii", "--intensity", "ct=ct.nii", "--stats", tmp_path / "one.h5ad", cwd=folder)
    assert (tmp_path / "parts.h5ad").read_bytes() == (tmp_path / "one.h5ad").read_bytes()


@pytest.mark.parametrize("column", ("age/years", ".", "_index"))
@pytest.mark.parametrize("stats", ("all.h5ad", "{stem}.h5ad"))
def test_names_that_a_column_cannot_have(voxcc, folder, tmp_path, column, stats):
    (tmp_path / "list.csv").write_text(f"input,{column}\n{folder / 'mask.nii'},3\n")
    voxcc.fails(64, "label", "--list", tmp_path / "list.csv", "--stats", tmp_path / stats, "-o", tmp_path / "{stem}_labels.nii")
    assert [path.name for path in tmp_path.iterdir()] == ["list.csv"]
    voxcc("label", "--list", tmp_path / "list.csv", "--stats", tmp_path / stats, "--columns", "label,voxels")


def test_a_file_whose_name_is_not_utf8(voxcc, folder, tmp_path):
    odd = tmp_path / b"caf\xe9.nii".decode(errors="surrogateescape")
    odd.write_bytes((folder / "mask.nii").read_bytes())
    voxcc("label", odd, folder / "mask.nii", "--stats", tmp_path / "all.h5ad", cwd=tmp_path)
    data = anndata.read_h5ad(tmp_path / "all.h5ad")
    assert data.obs_names[0].endswith("caf\ufffd.nii:1") and data.obs_names.is_unique
