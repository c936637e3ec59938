"""Label volumes have exactly the labels of scipy.ndimage.label and cc3d, and do not depend on the number of threads."""

import itertools

import numpy as np
import pytest
from helpers import blobs, label_cc3d, label_equal_values, label_scipy, nifti_type, noise, read_nifti, sha256, voronoi, write_nifti


def label(voxcc, folder, array, *options):
    write_nifti(folder / "in.nii", array)
    voxcc("label", folder / "in.nii", "-o", folder / "out.nii", "-f", *options)
    return read_nifti(folder / "out.nii")


def assert_same(ours, expected):
    assert ours.shape == expected.shape
    assert ours.dtype == nifti_type(expected.max(initial=0))
    np.testing.assert_array_equal(ours, expected)


VOLUMES = {
    **{f"noise-{density}-g{grain}": noise((37, 41, 67), density, grain, seed=grain)
       for density, grain in itertools.product((0.02, 0.1, 0.31, 0.5, 0.9), (1, 4))},
    "wide": noise((9, 10, 700), 0.35),
    "blobs-50": blobs((60, 50, 130)),
    "blobs-10": blobs((60, 50, 130), 0.1),
    "many": noise((64, 64, 64), 0.2),
    "checkerboard": (np.indices((20, 21, 66)).sum(0) % 2).astype(np.uint8),
    "lattice": (np.indices((20, 21, 66)) % 2 == 0).all(0).astype(np.uint8),
}


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("name", VOLUMES)
def test_binary(voxcc, tmp_path, name, connectivity):
    volume = VOLUMES[name]
    ours = label(voxcc, tmp_path, volume, "-c", connectivity)
    assert_same(ours, label_scipy(volume, connectivity))
    assert_same(ours, label_cc3d(volume, connectivity, binary=True))


SHAPES = [(2, 1, 1), (2, 2, 1), (2, 2, 2), (3, 3, 3), (70, 1, 1), (5, 1, 64), (5, 65, 1), (2, 3, 63), (3, 2, 64), (3, 5, 65), (7, 1, 129),
          (2, 127, 3), (200, 2, 2)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_odd_shapes(voxcc, tmp_path, shape):
    for connectivity, density in itertools.product((6, 18, 26), (0.3, 0.6)):
        volume = noise(shape, density, seed=connectivity)
        assert_same(label(voxcc, tmp_path, volume, "-c", connectivity), label_scipy(volume, connectivity))


@pytest.mark.parametrize("shape", [(5, 9, 17), (4, 1, 1), (3, 64, 64)], ids=str)
@pytest.mark.parametrize("value", (0, 1))
def test_all_one_value(voxcc, tmp_path, shape, value):
    volume = np.full(shape, value, np.uint8)
    for connectivity in (6, 18, 26):
        assert_same(label(voxcc, tmp_path, volume, "-c", connectivity), volume)


def test_default_connectivity_is_26_and_8(voxcc, tmp_path):
    volume = noise((11, 12, 13), 0.2)
    assert_same(label(voxcc, tmp_path, volume), label_scipy(volume, 26))
    assert_same(label(voxcc, tmp_path, volume[:1])[0], label_scipy(volume[0], 8))


@pytest.mark.parametrize("connectivity", (4, 8))
@pytest.mark.parametrize("shape", [(1, 1), (1, 70), (70, 1), (33, 65), (64, 128), (127, 190)], ids=str)
def test_two_dimensions(voxcc, tmp_path, shape, connectivity):
    for image in (noise(shape, 0.4), noise(shape, 0.6, 3), blobs(shape, 0.4)):
        ours = label(voxcc, tmp_path, image[None], "-c", connectivity)
        assert_same(ours.reshape(shape), label_scipy(image, connectivity))


@pytest.mark.parametrize("connectivity", (4, 8))
@pytest.mark.parametrize("axis", "zyx")
def test_per_slice(voxcc, tmp_path, axis, connectivity):
    volume = noise((9, 14, 70), 0.45)
    expected, count = np.zeros(volume.shape, np.int64), 0
    for index in range(volume.shape["zyx".index(axis)]):
        at = tuple(index if name == axis else slice(None) for name in "zyx")
        here = label_scipy(volume[at], connectivity)
        expected[at] = np.where(here, here + count, 0)
        count += here.max(initial=0)
    assert_same(label(voxcc, tmp_path, volume, "--per-slice", axis, "-c", connectivity), expected)


MULTI = {
    "cells": voronoi((40, 38, 70)),
    "no-background": voronoi((21, 33, 65), background=0),
    "two-values": noise((19, 30, 66), 0.5) + np.uint8(1),
    "noise": np.random.default_rng(3).integers(0, 4, (20, 21, 67)).astype(np.uint8),
    "signed": voronoi((20, 21, 30)).astype(np.int16) - 20,
    "large-values": voronoi((20, 21, 30), dtype=np.uint32) * np.uint32(90_000_001),
    "64-bit": voronoi((20, 21, 30)).astype(np.uint64) + np.uint64(2**53) * (voronoi((20, 21, 30)) > 0).astype(np.uint64),
}


@pytest.mark.parametrize("connectivity", (6, 18, 26))
@pytest.mark.parametrize("name", MULTI)
def test_multilabel(voxcc, tmp_path, name, connectivity):
    volume = MULTI[name]
    assert_same(label(voxcc, tmp_path, volume, "--multilabel", "-c", connectivity), label_equal_values(volume, connectivity))


@pytest.mark.parametrize("connectivity", (4, 8))
def test_multilabel_two_dimensions(voxcc, tmp_path, connectivity):
    image = voronoi((61, 130), cells=30)
    assert_same(label(voxcc, tmp_path, image[None], "--multilabel", "-c", connectivity)[0], label_equal_values(image, connectivity))


@pytest.mark.parametrize("options", [("-c", "6"), ("-c", "18"), ("-c", "26"), ("--per-slice", "z"), ("--multilabel",), ("--multilabel", "-c", "6"),
                                     ("--sort", "size"), ("--fill-holes",), ("--periodic", "xyz"), ("--min-size", "5")], ids=" ".join)
def test_threads_do_not_change_a_byte(voxcc, tmp_path, options):
    volume = voronoi((90, 64, 66), cells=300) if "--multilabel" in options else noise((90, 64, 66), 0.3)
    write_nifti(tmp_path / "in.nii.gz", volume)
    seen = set()
    for threads in (1, 2, 3):
        voxcc("label", tmp_path / "in.nii.gz", "-o", tmp_path / "out.nii.gz", "--stats", tmp_path / "out.csv", "-t", threads, "-f", *options)
        seen.add((sha256(tmp_path / "out.nii.gz"), sha256(tmp_path / "out.csv")))
    assert len(seen) == 1


def test_compare_agrees(voxcc, tmp_path):
    """`compare` distinguishes equal partitions from different ones, and equal label numbers from different ones."""
    volume = noise((12, 13, 40), 0.3)
    labels = label_scipy(volume, 26).astype(np.int32)
    renamed = np.where(labels, labels.max() + 1 - labels, 0).astype(np.int32)
    split = labels.copy()
    split[labels == 1] = labels.max() + 1
    split.flat[np.flatnonzero(labels == 1)[:1]] = 1
    for name, array in (("a", labels), ("renamed", renamed), ("split", split)):
        write_nifti(tmp_path / f"{name}.nii.gz", array)
    voxcc("compare", tmp_path / "a.nii.gz", tmp_path / "renamed.nii.gz")
    voxcc("compare", tmp_path / "a.nii.gz", tmp_path / "a.nii.gz", "--exact")
    voxcc("compare", tmp_path / "a.nii.gz", tmp_path / "renamed.nii.gz", "--exact", expect=1)
    if (labels == 1).sum() > 1:
        voxcc("compare", tmp_path / "a.nii.gz", tmp_path / "split.nii.gz", expect=1)
