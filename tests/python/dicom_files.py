"""DICOM files for tests, made with pydicom: slices, multi-frame objects, objects without pixels. Arrays are [z, y, x]."""

import json

import nrrd
import numpy as np
import pydicom
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import UID, CTImageStorage, EnhancedMRImageStorage, ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

SERIES, STUDY, FRAME = "1.2.3.1", "1.2.3.2", "1.2.3.3"
AXIAL = [1, 0, 0, 0, 1, 0]


def values(voxcc, path, folder, *options):
    """The voxels that voxcc has read, as [z, y, x]: all of them are foreground."""
    out = folder / "values.nrrd"
    voxcc("label", path, "--threshold=-inf:inf", "--masked-output", out, "-f", "-q", *options)
    array, header = nrrd.read(str(out), index_order="C")
    return array.reshape(-1, *header["sizes"][1::-1])


def info(voxcc, path, *options):
    return json.loads(voxcc("info", path, "--json", *options).stdout)


def items(*contents):
    """A sequence with one item per dictionary of elements."""
    sequence = []
    for content in contents:
        item = Dataset()
        for name, value in content.items():
            setattr(item, name, value)
        sequence.append(item)
    return pydicom.Sequence(sequence)


def dataset(sop_class=CTImageStorage, syntax=ExplicitVRLittleEndian, **elements):
    """An object without pixels."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = UID(syntax)
    meta.MediaStorageSOPClassUID = UID(sop_class)
    meta.MediaStorageSOPInstanceUID = "1.2.3.4"
    made = FileDataset(None, {}, file_meta=meta, preamble=bytes(128))
    made.SOPClassUID, made.SOPInstanceUID = UID(sop_class), "1.2.3.4"
    made.SeriesInstanceUID, made.StudyInstanceUID, made.FrameOfReferenceUID = SERIES, STUDY, FRAME
    made.Modality = "CT"
    for name, value in elements.items():
        setattr(made, name, value)
    return made


def set_pixels(made, array, bits=None, encode=None):
    """Stores [y, x] or [frame, y, x]. encode: function from one frame to its compressed bytes."""
    dtype = array.dtype
    made.Rows, made.Columns = array.shape[-2:]
    made.SamplesPerPixel = 1
    made.PhotometricInterpretation = made.get("PhotometricInterpretation", "MONOCHROME2")
    if array.ndim == 3:
        made.NumberOfFrames = len(array)
    made.BitsAllocated = 1 if dtype == bool else dtype.itemsize * 8
    order = ">" if made.file_meta.TransferSyntaxUID == ExplicitVRBigEndian else "<"
    if dtype.kind == "f":
        name = "FloatPixelData" if dtype.itemsize == 4 else "DoubleFloatPixelData"
        setattr(made, name, array.astype(dtype.newbyteorder(order)).tobytes())
        return made
    made.BitsStored = bits or made.BitsAllocated
    made.HighBit = made.BitsStored - 1
    made.PixelRepresentation = int(dtype.kind == "i")
    if encode:
        made.PixelData = encapsulate([encode(frame) for frame in array.reshape(-1, *array.shape[-2:])])
    elif dtype == bool:
        made.PixelData = np.packbits(array.ravel(), bitorder="little").tobytes()
    else:
        made.PixelData = array.astype(dtype.newbyteorder(order)).tobytes()
    if not encode and len(made.PixelData) % 2:
        made.PixelData += b"\0"
    made["PixelData"].VR = "OB" if encode or dtype.itemsize == 1 else "OW"
    if encode:
        made["PixelData"].is_undefined_length = True
    return made


def save(made, path):
    syntax = made.file_meta.TransferSyntaxUID
    pydicom.dcmwrite(path, made, implicit_vr=syntax == ImplicitVRLittleEndian, little_endian=syntax != ExplicitVRBigEndian, force_encoding=True)
    return path


def slice_of(array, position=(0, 0, 0), bits=None, encode=None, **elements):
    """A classic object of one slice."""
    given = {"ImagePositionPatient": list(position), "ImageOrientationPatient": AXIAL, "PixelSpacing": [0.5, 0.25], "SliceThickness": 3}
    given.update(elements)
    return set_pixels(dataset(**{name: value for name, value in given.items() if value is not None}), array, bits, encode)


def series(folder, volume, step=3, each=lambda k, made: None, **elements):
    """One file per slice, whose names are not in the order of positions."""
    folder.mkdir(exist_ok=True)
    for k, array in enumerate(volume):
        made = slice_of(array, (10, 20, step * k), InstanceNumber=k + 1, SOPInstanceUID=f"1.2.3.4.{k + 1}", **elements)
        each(k, made)
        save(made, folder / f"{(k * 7 + 3) % 1000:03d}.dcm")
    return folder


def groups_of(position=None, orientation=None, slope=None, intercept=0, content=None, **others):
    """The functional groups of a frame, by what they state."""
    groups = {}
    if position is not None:
        groups["PlanePositionSequence"] = items({"ImagePositionPatient": list(position)})
    if orientation is not None:
        groups["PlaneOrientationSequence"] = items({"ImageOrientationPatient": list(orientation)})
    if slope is not None:
        groups["PixelValueTransformationSequence"] = items({"RescaleSlope": slope, "RescaleIntercept": intercept, "RescaleType": "US"})
    if content is not None:
        groups["FrameContentSequence"] = items(content)
    for name, content_of_other in others.items():
        groups[name] = items(content_of_other)
    return groups


def enhanced(volume, frames, shared=None, sop_class=EnhancedMRImageStorage, bits=None, encode=None, **elements):
    """A multi-frame object. frames: the groups of each frame. shared: the groups of all frames; None: orientation and spacing."""
    if shared is None:
        shared = groups_of(orientation=AXIAL, PixelMeasuresSequence={"PixelSpacing": [0.5, 0.25], "SliceThickness": 3})
    made = dataset(sop_class, **{"Modality": "MR", **elements})
    made.SharedFunctionalGroupsSequence = items(shared)
    made.PerFrameFunctionalGroupsSequence = items(*frames)
    return set_pixels(made, volume, bits, encode)
