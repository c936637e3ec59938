"""The table of the program voxcc as the table of label(): the same names, types and exclusive ends of boxes."""

import csv
import re

import numpy as np

from ._table import Table

AXES = "ijk"  # of the program: the indices along x, y and z, which are the axes 0, 1 and 2 here
COUNTS = ("label", "voxels")
NAMES = {"volume": "volume_index", "source_label": "value"}


def name_of(column):
    """The name of a column here.

    centroid_i -> centroid_0, cov_ij -> cov_01, bbox_k_max -> bbox_2_max, volume_mm3 -> volume, axis1_mm -> axis_1. Columns of positions
    and directions, such as centroid_x_mm and axis1_x, keep their names.
    """
    column = NAMES.get(column, column)
    column = re.sub(r"^weighted_", "intensity_weighted_", column)
    column = re.sub(r"^(?:volume|area)_[a-z]+[23]$", "volume", column)
    column = re.sub(r"^(surface|surface_faces)_[a-z]+2$|^(perimeter|perimeter_sides|equivalent_diameter|feret)_[a-z]+$", r"\1\2", column)
    column = re.sub(r"^axis([123])_length_[a-z]+$", r"axis_\1_length", column)
    column = re.sub(r"^axis([123])_[a-z]{2,}$", r"axis_\1", column)
    return re.sub(r"_([ijk]{1,2})(?=$|_min$|_max$)", lambda match: "_" + "".join(str(AXES.index(axis)) for axis in match[1]), column)


def read_table(file, shape):
    """The table in a file in CSV format. @param shape of the volume, along x, y and z"""
    with open(file, newline="", encoding="utf-8") as lines:
        names, *rows = csv.reader(lines)
    table = Table()
    for name, cells in zip(names, zip(*rows) if rows else [()] * len(names)):
        if name == "wraps":
            for axis, letter in enumerate("xyz"):
                table[f"wraps_{axis}"] = np.array([letter in cell for cell in cells], bool)
        else:
            table[name_of(name)] = column_of(name_of(name), cells, shape)
    return table


def column_of(name, cells, shape):
    if box := re.fullmatch(r"bbox_([012])_(min|max)", name):  # a component that wraps around has no box along the axis
        if box[2] == "min":
            return np.array([0 if cell == "n/a" else int(cell) for cell in cells], np.int64)
        return np.array([shape[int(box[1])] if cell == "n/a" else int(cell) + 1 for cell in cells], np.int64)
    if name in COUNTS:
        return np.array(cells, np.uint64)
    if name == "touches_border":
        return np.array([cell == "1" for cell in cells], bool)
    if name in ("volume_index", "value") and all(re.fullmatch("-?[0-9]+", cell) for cell in cells):
        return np.array([int(cell) for cell in cells], np.uint64 if any(len(cell) > 18 and cell[0] != "-" for cell in cells) else np.int64)
    if any(re.fullmatch("[a-z]+", cell) and cell not in ("inf", "nan") for cell in cells):
        return np.array(cells)
    return np.array([np.nan if cell == "n/a" else float(cell) for cell in cells], np.float64)
