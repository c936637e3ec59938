"""Multi-frame DICOM objects: frames are read by their positions, transforms and dimensions. Against pydicom and numpy."""


import numpy as np
import pytest
from dicom_files import AXIAL, dataset, enhanced, groups_of, info, items, save, set_pixels, values
from helpers import read_nifti, read_table
from pydicom.uid import (
    EnhancedCTImageStorage,
    MultiFrameGrayscaleByteSecondaryCaptureImageStorage,
    NuclearMedicineImageStorage,
    RTDoseStorage,
    SegmentationStorage,
)

SHAPE = (6, 17, 20)
STEP = 3


def volume(dtype="u2", shape=SHAPE, most=300, seed=1):
    return np.random.default_rng(seed).integers(0, most, shape).astype(dtype)


def position(k, step=STEP):
    return (10, 20, step * k)


def check_affine(found, spacing=(0.25, 0.5, 3), first=(10, 20, 0)):
    """The affine is RAS+, DICOM is LPS."""
    expected = np.diag([-spacing[0], -spacing[1], spacing[2], 1])[:3]
    expected[:, 3] = np.multiply(first, (-1, -1, 1))
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("sop_class", ("1.2.840.10008.5.1.4.1.1.4.1", EnhancedCTImageStorage, "1.2.840.10008.5.1.4.1.1.130"))
def test_frames_are_sorted_by_position(voxcc, tmp_path, sop_class):
    array = volume()
    order = np.random.default_rng(2).permutation(len(array))
    path = save(enhanced(array[order], [groups_of(position(k)) for k in order], sop_class=sop_class), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    found = info(voxcc, path)
    assert found["shape"] == [20, 17, 6] and found["volumes"] == 1 and found["read_as"] == "uint16" and "warnings" not in found
    check_affine(found["affine"])


def test_oblique_frames(voxcc, tmp_path):
    """The normal is not an axis. Frames are at descending positions."""
    array = volume()
    row, column = np.array([0.6, 0.8, 0]), np.array([0, 0, -1])
    normal = np.cross(row, column)
    shared = groups_of(orientation=[*row, *column], PixelMeasuresSequence={"PixelSpacing": [2, 1], "SliceThickness": 9})
    frames = [groups_of(np.round(np.array([5, 6, 7]) + 2.5 * k * normal, 6)) for k in range(6)]
    path = save(enhanced(array[::-1], frames[::-1], shared), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    expected = np.column_stack([row, 2 * column, 2.5 * normal, [5, 6, 7]]) * [[-1], [-1], [1]]
    np.testing.assert_allclose(info(voxcc, path)["affine"], expected, atol=1e-6)


@pytest.mark.parametrize("slopes, intercepts, dtype", (
    ([1, 2, 0.5, 3, 1, 4], [0] * 6, "float64"),
    ([1, 2, 3, 4, 5, 16], [-1024, 0, 1, 2, 3, 4], "int32"),
    ([1] * 6, [0, 0, 0, -1024, 0, 0], "int16"),
    ([0.1] * 6, [0.5] * 6, "float64"),
))
def test_transform_of_each_frame(voxcc, tmp_path, slopes, intercepts, dtype):
    array = volume(most=4096)
    frames = [groups_of(position(k), slope=slopes[k], intercept=intercepts[k]) for k in range(6)]
    path = save(enhanced(array, frames, bits=12), tmp_path / "a.dcm")
    found = values(voxcc, path, tmp_path)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, array * np.array(slopes)[:, None, None] + np.array(intercepts)[:, None, None])


def dimension(kind, value):
    """The groups that state a value of a dimension, and what voxcc writes about it."""
    if kind == "T":
        return {"content": {"TemporalPositionIndex": value}}, f"time point {value}"
    if kind == "E":
        return {"MREchoSequence": {"EffectiveEchoTime": 2.3 * value}}, f"echo time {2.3 * value:.15g} ms"
    if kind == "S":
        return {"content": {"StackID": str(value)}}, f"stack {value}"
    if kind == "B":
        return {"MRDiffusionSequence": {"DiffusionBValue": 500.0 * value}}, f"b-value {500 * value} s/mm2"
    return {"CardiacSynchronizationSequence": {"NominalCardiacTriggerDelayTime": 40.0 * value}}, f"trigger delay {40 * value} ms"


@pytest.mark.parametrize("kind", "TESBD")
def test_several_volumes(voxcc, tmp_path, kind):
    array = volume(shape=(3, 4, 17, 20))
    of = [(v, k) for k in range(4) for v in range(3)]  # the volumes are interleaved
    frames = [groups_of(position(k), **dimension(kind, v + 1)[0]) for v, k in of]
    path = save(enhanced(np.stack([array[v, k] for v, k in of]), frames), tmp_path / "a.dcm")
    found = info(voxcc, path, "--no-range")
    assert found["volumes"] == 3 and found["shape"] == [20, 17, 4]
    assert found["volume_list"] == [f"{v}: {dimension(kind, v + 1)[1]}" for v in range(3)]
    check_affine(found["affine"])
    for v in range(3):
        np.testing.assert_array_equal(values(voxcc, f"{path}[{v}]", tmp_path), array[v])
    error = voxcc.fails(64, "label", path, "--stats", "-")
    assert f"holds 3 volumes: {dimension(kind, 1)[1]}, " in error and "--volume 0..2" in error
    voxcc("label", path, "--volume", "all", "--threshold=-inf:inf", "--masked-output", tmp_path / "all.nii", "-q")
    np.testing.assert_array_equal(read_nifti(tmp_path / "all.nii"), array)


def test_two_dimensions(voxcc, tmp_path):
    array = volume(shape=(2, 3, 4, 17, 20))
    of = [(e, t, k) for k in range(4) for t in range(3) for e in range(2)]
    frames = [groups_of(position(k), **dimension("T", t + 1)[0], **dimension("E", e + 1)[0]) for e, t, k in of]
    path = save(enhanced(np.stack([array[i] for i in of]), frames), tmp_path / "a.dcm")
    found = info(voxcc, path, "--no-range")
    assert found["volume_order"] == "N = e * 3 + t" and found["volumes"] == 6
    assert found["volume_list"][4] == "4: echo time 4.6 ms, time point 2"
    for e in range(2):
        for t in range(3):
            np.testing.assert_array_equal(values(voxcc, f"{path}[e={e},t={t}]", tmp_path), array[e, t])


def test_dimensions_that_differ_per_slice_do_not_divide(voxcc, tmp_path):
    """The time of each frame differs, and so does the index of an unknown dimension. Only the echo explains equal positions."""
    array = volume(shape=(2, 4, 17, 20))
    of = [(e, k) for e in range(2) for k in range(4)]
    frames = [groups_of(position(k), content={"TemporalPositionIndex": i + 1, "DimensionIndexValues": [i + 1, k + 1]}, **dimension("E", e)[0])
              for i, (e, k) in enumerate(of)]
    made = enhanced(np.concatenate(array), frames)
    made.DimensionIndexSequence = items({"DimensionIndexPointer": 0x00209157}, {"DimensionIndexPointer": 0x00200032})
    path = save(made, tmp_path / "a.dcm")
    assert info(voxcc, path, "--no-range")["volumes"] == 2
    np.testing.assert_array_equal(values(voxcc, f"{path}[1]", tmp_path), array[1])


def test_dimension_index(voxcc, tmp_path):
    """A dimension that only its index values state."""
    array = volume(shape=(2, 4, 17, 20))
    of = [(d, k) for d in range(2) for k in range(4)]
    frames = [groups_of(position(k), content={"DimensionIndexValues": [k + 1, d + 1]}) for d, k in of]
    made = enhanced(np.concatenate(array), frames)
    made.DimensionIndexSequence = items({"DimensionIndexPointer": 0x00200032}, {"DimensionIndexPointer": 0x00189327})
    path = save(made, tmp_path / "a.dcm")
    assert info(voxcc, path, "--no-range")["volume_list"] == ["0: dimension (0018,9327) 1", "1: dimension (0018,9327) 2"]
    np.testing.assert_array_equal(values(voxcc, f"{path}[1]", tmp_path), array[1])


def test_stacks_of_different_size(voxcc, tmp_path):
    """Two orientations: a volume must be chosen, also for info."""
    array = volume()
    frames = [groups_of(position(k), AXIAL, content={"StackID": "A"}) for k in range(4)]
    frames += [groups_of((7 * k, 0, 0), [0, 1, 0, 0, 0, -1], content={"StackID": "B"}) for k in range(2)]
    shared = groups_of(PixelMeasuresSequence={"PixelSpacing": [0.5, 0.25], "SliceThickness": 3})
    path = save(enhanced(array, frames, shared), tmp_path / "a.dcm")
    found = info(voxcc, path)
    assert found["volume_list"] == ["0: stack A", "1: stack B"] and "shape" not in found and "affine" not in found
    assert "holds 2 volumes: stack A, stack B; choose one with --volume 0..1" in voxcc.fails(64, "label", path, "--stats", "-")
    voxcc("verify", path)
    np.testing.assert_array_equal(values(voxcc, f"{path}[0]", tmp_path), array[:4])
    np.testing.assert_array_equal(values(voxcc, f"{path}[1]", tmp_path), array[:3:-1])  # the normal points to -x
    assert info(voxcc, f"{path}[1]")["spacing_mm"] == [0.25, 0.5, 7]
    voxcc("label", path, "--volume", "all", "-o", tmp_path / "{volume}.nii", "--stats", tmp_path / "t.csv")
    assert {row["volume"] for row in read_table(tmp_path / "t.csv")} == {0, 1} and read_nifti(tmp_path / "1.nii").shape == (2, 17, 20)
    error = voxcc.fails(64, "label", path, "--volume", "all", "-o", tmp_path / "all.nii")
    assert "different sizes or positions; write one file per volume, with {volume} in its name" in error


REFUSED = {
    "gap": ([0, 1, 2, 5, 6, 7], {}, "a slice is missing between frame 3 and frame 4: 9 mm instead of 3 mm"),
    "repeats": ([0, 1, 2, 0, 1, 2], {}, "frame 1 and frame 4 lie at the same position, and no time, echo, segment or other dimension"),
    "one_repeat": ([0, 1, 2, 3, 4, 2], {}, "frame 3 and frame 6 lie at the same position"),
    "orientation": ([0, 1, 2, 3, 4, 5], {3: groups_of(position(3), [0, 1, 0, 1, 0, 0])}, "frame 4 is oriented or scaled otherwise than frame 1"),
    "spacing": ([0, 1, 2, 3, 4, 5], {5: groups_of(position(5), PixelMeasuresSequence={"PixelSpacing": [0.5, 0.3]})},
                "frame 6 is oriented or scaled otherwise than frame 1"),
    "no_position": ([0, 1, 2, 3, 4, 5], {1: {}}, "frame 2 states no position and orientation, but other frames do"),
    "no_orientation": ([0, 1, 2, 3, 4, 5], {1: groups_of(position(1), [0, 0, 0, 0, 0, 0])}, "frame 2 states a position, but no orientation"),
    "no_transform": ([0, 1, 2, 3, 4, 5], {1: groups_of(position(1), slope=2), 2: groups_of(position(2), slope=2)}, "a transform of values for 2 of 6 frames"),
    "no_description": ([0, 1, 2, 3, 4], {}, "describes 5 frames, but has 6"),
    "not_a_number": ([0, 1, 2, 3, 4, 5], {k: groups_of(position(k), slope="1.25") for k in range(6)}, "(0028,1053) has the value '1.5x', which is not a number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(voxcc, tmp_path, name):
    positions, changed, message = REFUSED[name]
    frames = [changed.get(i, groups_of(position(k))) for i, k in enumerate(positions)]
    path = save(enhanced(volume(), frames), tmp_path / "a.dcm")
    if name == "not_a_number":
        path.write_bytes(path.read_bytes().replace(b"1.25", b"1.5x"))
    for command in ("info", "verify"):
        assert message in voxcc.fails(65, command, path)
    assert message in voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii")
    assert not (tmp_path / "out.nii").exists()


def test_uneven_positions_are_a_warning(voxcc, tmp_path):
    frames = [groups_of((10 + 0.2 * (k == 3), 20, 3 * k + 0.2 * (k == 2))) for k in range(6)]
    path = save(enhanced(volume(), frames), tmp_path / "a.dcm")
    uneven, sideways = info(voxcc, path)["warnings"]
    assert "not evenly spaced: steps of 3 mm differ by up to 0.2" in uneven and "shifted sideways by up to 0.2 mm" in sideways


def test_position_in_a_volume_of_ultrasound(voxcc, tmp_path):
    """Positions that are not in the patient give the order and the spacing, but no affine."""
    array = volume()
    shared = groups_of(PlaneOrientationVolumeSequence={"ImageOrientationVolume": [1.0, 0, 0, 0, 1, 0]}, PixelMeasuresSequence={"PixelSpacing": [0.5, 0.25]})
    frames = [groups_of(PlanePositionVolumeSequence={"ImagePositionVolume": [0.0, 0, 2 * k]}) for k in range(6)]
    path = save(enhanced(array[::-1], frames[::-1], shared, "1.2.840.10008.5.1.4.1.1.6.2"), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    found = info(voxcc, path)
    assert found["spacing_mm"] == [0.25, 0.5, 2] and "affine" not in found and "not in the patient" in found["warnings"][0]


# ---- without positions of frames

def capture(array, sop_class=MultiFrameGrayscaleByteSecondaryCaptureImageStorage, **elements):
    return set_pixels(dataset(sop_class, **{"Modality": "OT", **elements}), array)


@pytest.mark.parametrize("stated, spacing, warning", (
    ({}, None, "no positions"),
    ({"PixelSpacing": [0.5, 0.25]}, [0.25, 0.5, None], "not the distance of frames"),
    ({"PixelSpacing": [0.5, 0.25], "SpacingBetweenSlices": 4}, [0.25, 0.5, 4], "no positions"),
    ({"PixelSpacing": [0.5, 0.25], "SliceThickness": 4}, [0.25, 0.5, None], "not the distance of frames"),
    ({"ImagerPixelSpacing": [0.5, 0.25], "SpacingBetweenSlices": 4}, [0.25, 0.5, 4], "at the detector only"),
    ({"FrameTime": 33}, None, "which is the order of time"),
))
def test_order_of_the_file(voxcc, tmp_path, stated, spacing, warning):
    array = volume("u1", most=200)
    path = save(capture(array, **stated), tmp_path / "a.dcm")
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), array)
    found = info(voxcc, path)
    assert "affine" not in found and found.get("spacing_mm") == spacing
    assert any(warning in text for text in found["warnings"]) and any("in the order of the file" in text for text in found["warnings"])
    assert info(voxcc, path, "--spacing", "1,2,3")["spacing_mm"] == [1, 2, 3]


def test_vectors_of_nuclear_medicine(voxcc, tmp_path):
    """Energy windows and time slots are volumes. The sign of the distance states the direction."""
    array = volume(shape=(2, 3, 4, 17, 20))
    made = capture(np.concatenate(np.concatenate(array)), NuclearMedicineImageStorage, Modality="NM", ImageType=["ORIGINAL", "PRIMARY", "RECON TOMO", "EMISSION"],
                   PixelSpacing=[0.5, 0.25], SpacingBetweenSlices=-3)
    made.EnergyWindowVector = np.repeat([1, 2], 12).tolist()
    made.TimeSlotVector = np.tile(np.repeat([1, 2, 3], 4), 2).tolist()
    made.SliceVector = np.tile([1, 2, 3, 4], 6).tolist()
    made.DetectorInformationSequence = items({"ImagePositionPatient": [10, 20, 9], "ImageOrientationPatient": AXIAL})
    path = save(made, tmp_path / "a.dcm")
    found = info(voxcc, path, "--no-range")
    assert found["volume_order"] == "N = c * 3 + t" and found["volume_list"][4] == "4: energy window 2, time slot 2"
    check_affine(found["affine"])
    for e in range(2):
        for t in range(3):
            np.testing.assert_array_equal(values(voxcc, f"{path}[c={e},t={t}]", tmp_path), array[e, t, ::-1])


# ---- segmentations

def segmentation(voxcc_frames, array, **options):
    shared = groups_of(orientation=AXIAL, PixelMeasuresSequence={"PixelSpacing": [0.5, 0.25], "SliceThickness": 3, **options})
    frames = [groups_of(position(k), SegmentIdentificationSequence={"ReferencedSegmentNumber": s}) for s, k in voxcc_frames]
    return enhanced(array, frames, shared, SegmentationStorage, Modality="SEG")


@pytest.mark.parametrize("dtype", (bool, "u1"))
def test_segmentation(voxcc, tmp_path, dtype):
    """Each segment is a volume. Segments have the same slices; frames that are not stored are background."""
    stored = [(1, 0), (1, 1), (2, 1), (2, 2), (1, 3), (2, 5)]
    array = volume(dtype, (6, 15, 13), 2)
    path = save(segmentation(stored, array), tmp_path / "a.dcm")
    found = info(voxcc, path, "--no-range")
    assert found["volume_list"] == ["0: segment 1", "1: segment 2"] and found["shape"] == [13, 15, 6] and found["read_as"] == "uint8"
    check_affine(found["affine"])
    for segment in (1, 2):
        expected = np.zeros((6, 15, 13), "u1")
        for frame, (s, k) in zip(array, stored):
            if s == segment:
                expected[k] = frame
        np.testing.assert_array_equal(values(voxcc, f"{path}[{segment - 1}]", tmp_path), expected)
        rows = read_table_of(voxcc, f"{path}[{segment - 1}]", tmp_path)
        assert sum(row["voxels"] for row in rows) == expected.sum()
    assert "3 of 6 slices are not stored; they are background" in info(voxcc, f"{path}[0]")["warnings"][0]


def read_table_of(voxcc, path, folder):
    voxcc("label", path, "--stats", folder / "table.csv", "-f", "-q")
    return read_table(folder / "table.csv")


def test_segmentation_with_unknown_step(voxcc, tmp_path):
    """The smallest distance is the step; SpacingBetweenSlices is used first."""
    array = volume(bool, (3, 15, 13), 2)
    stored = [(1, 0), (1, 2), (1, 6)]
    assert info(voxcc, save(segmentation(stored, array), tmp_path / "a.dcm"))["shape"][2] == 4
    assert info(voxcc, save(segmentation(stored, array, SpacingBetweenSlices=3), tmp_path / "b.dcm"))["shape"][2] == 7
    path = save(segmentation([(1, 0), (1, 2), (1, 5)], array), tmp_path / "c.dcm")
    assert "not multiples of one step" in voxcc.fails(65, "info", path)
    path = save(segmentation([(1, 0), (1, 2), (1, 2)], array), tmp_path / "d.dcm")
    assert "frame 2 and frame 3 lie at the same position" in voxcc.fails(65, "info", path)


# ---- RT dose

@pytest.mark.parametrize("offsets, first", (([0, 3, 6, 9, 12, 15], 7), ([7, 10, 13, 16, 19, 22], 7), ([0, -3, -6, -9, -12, -15], 22)))
@pytest.mark.parametrize("dtype", ("u2", "u4"))
def test_dose(voxcc, tmp_path, offsets, first, dtype):
    array = volume(dtype, most=60000) * (1 if dtype == "u2" else 50000)
    made = set_pixels(dataset(RTDoseStorage, Modality="RTDOSE", ImagePositionPatient=[10, 20, first], ImageOrientationPatient=AXIAL, PixelSpacing=[0.5, 0.25],
                              DoseUnits="GY", DoseGridScaling="1.5e-6", GridFrameOffsetVector=offsets), array)
    path = save(made, tmp_path / "a.dcm")
    expected = (array if offsets[1] > offsets[0] else array[::-1]) * 1.5e-6
    np.testing.assert_array_equal(values(voxcc, path, tmp_path), expected)
    check_affine(info(voxcc, path)["affine"], first=(10, 20, 7))


def test_dose_offsets_are_checked(voxcc, tmp_path):
    given = {"Modality": "RTDOSE", "ImagePositionPatient": [10, 20, 7], "ImageOrientationPatient": AXIAL, "PixelSpacing": [0.5, 0.25]}
    made = set_pixels(dataset(RTDoseStorage, **given, GridFrameOffsetVector=[0, 3, 6]), volume())
    assert "offsets of 3 frames, but has 6" in voxcc.fails(65, "info", save(made, tmp_path / "a.dcm"))
    made.GridFrameOffsetVector = [1, 2, 3, 4, 5, 6]
    assert "do not begin with 0" in voxcc.fails(65, "info", save(made, tmp_path / "a.dcm"))
    del made.ImageOrientationPatient
    assert "no position and orientation that are usable" in voxcc.fails(65, "info", save(made, tmp_path / "a.dcm"))
    made.ImageOrientationPatient = AXIAL
    made.GridFrameOffsetVector = [0, 1, 2, 3, 4, 7]
    path = save(made, tmp_path / "a.dcm")
    assert "a slice is missing between frame 5 and frame 6" in voxcc.fails(65, "info", path)
    made.GridFrameOffsetVector = [0, 1, 2, 3, 4, 5]
    assert "no scaling of the dose" in info(voxcc, save(made, tmp_path / "a.dcm"))["warnings"][0]


# ---- objects that are not read

def test_tiles_and_mosaics(voxcc, tmp_path):
    made = enhanced(volume(), [groups_of(position(k)) for k in range(6)])
    made.DimensionOrganizationType = "TILED_FULL"
    assert "tiles of a slide" in voxcc.fails(65, "info", save(made, tmp_path / "a.dcm"))
    made = enhanced(volume(), [groups_of(PlanePositionSlideSequence={"ColumnPositionInTotalImagePixelMatrix": k}) for k in range(6)])
    assert "tiles of a slide" in voxcc.fails(65, "info", save(made, tmp_path / "a.dcm"))
    made = set_pixels(dataset(ImageType=["ORIGINAL", "PRIMARY", "M", "MOSAIC"]), volume()[0])
    assert "mosaic of several slices; convert it with dcm2niix" in voxcc.fails(65, "info", save(made, tmp_path / "a.dcm"))
