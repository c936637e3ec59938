#!/usr/bin/env python3
"""Labels overlapping tiles of a volume separately, and joins them to the labels of one run.

    python3 stitch_tiles.py IN.npy OUT.npy [TILE]      needs NumPy and the program voxcc (VOXCC names another program)

TILE is the edge of a tile in voxels (default: 64). Neighbouring tiles share one layer of voxels, so a component that continues in the next
tile has a voxel with one label of each tile. 'voxcc map --merge' unites these pairs, and 'voxcc map --table' numbers the result by first
voxel. The tiles may be labelled at the same time on different machines.
"""

import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def voxcc(*arguments):
    subprocess.run([os.environ.get("VOXCC", "voxcc"), *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


def write_table(path, header, rows):
    np.savetxt(path, rows, fmt="%d", delimiter=",", header=header, comments="")


def label_tiles(volume, tile, folder):
    """Labels each tile by itself. Returns the labels of the volume, and the pairs of labels that share a voxel."""
    labels = np.zeros(volume.shape, np.uint64)
    pairs, used = [np.zeros((0, 2), np.uint64)], 0
    for first in itertools.product(*(range(0, extent, tile) for extent in volume.shape)):
        place = tuple(slice(start, start + tile + 1) for start in first)  # with the first layer of the next tiles
        np.save(folder / "tile.npy", volume[place])
        voxcc("label", folder / "tile.npy", "-o", folder / "tile_labels.npy", "--force", "-q")
        own = np.load(folder / "tile_labels.npy").astype(np.uint64)
        own[own > 0] += np.uint64(used)  # different numbers in each tile
        used = max(used, int(own.max(initial=0)))
        before = labels[place]
        shared = (before > 0) & (own > 0)
        pairs.append(np.unique(np.stack([before[shared], own[shared]], axis=1), axis=0))
        labels[place] = np.where(before > 0, before, own)
    return labels, np.concatenate(pairs)


def main(source, target, tile):
    volume = np.load(source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        labels, pairs = label_tiles(np.ascontiguousarray(volume), tile, folder)
        np.save(folder / "labels.npy", labels)
        write_table(folder / "pairs.csv", "label_a,label_b", pairs)
        voxcc("map", folder / "labels.npy", "--merge", folder / "pairs.csv", "-o", folder / "united.npy", "-q")
        numbers, first_voxel = np.unique(np.load(folder / "united.npy"), return_index=True)
        numbers = numbers[np.argsort(first_voxel)]
        numbers = numbers[numbers > 0]
        write_table(folder / "numbers.csv", "label,new", np.stack([numbers, np.arange(1, len(numbers) + 1)], axis=1))
        voxcc("map", folder / "united.npy", "--table", folder / "numbers.csv", "-o", target)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 64)
