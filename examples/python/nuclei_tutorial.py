#!/usr/bin/env python3
"""Finds, measures and draws the touching nuclei of a small volume, which the script makes itself.

    python3 nuclei_tutorial.py      needs voxcc, numpy, scipy and matplotlib; with pandas it prints a data frame

Each part between two lines `# %%` is a cell: Spyder, Visual Studio Code and PyCharm run them one by one, and jupytext makes a notebook of
them. The script writes nuclei.png into the current folder.
"""

# %% A volume of nuclei, as from a microscope: 36 x 128 x 160 voxels of 1.0 x 0.5 x 0.5 micrometres, in the order z y x.
import matplotlib.pyplot as plt
import numpy as np
import scipy.ndimage
import voxcc
from napari_layers import layers_of

spacing = (1.0, 0.5, 0.5)
shape = (36, 128, 160)
random = np.random.default_rng(7)
z, y, x = (step * axis for step, axis in zip(spacing, np.ogrid[tuple(map(slice, shape))]))
size = np.multiply(shape, spacing)

centres = []
image = np.zeros(shape)
while len(centres) < 50:  # ellipsoids, bright in the centre, at least 7.5 micrometres apart: neighbours touch, but are not concentric
    centre = random.uniform(7, size - 7)
    if all(np.linalg.norm(centre - other) > 7.5 for other in centres):
        radii = random.uniform(3.2, 4.4, 3)
        squares = ((z - centre[0]) / radii[0]) ** 2 + ((y - centre[1]) / radii[1]) ** 2 + ((x - centre[2]) / radii[2]) ** 2
        image = np.maximum(image, random.uniform(900, 1100) * np.exp(-(squares**2)))
        centres.append(centre)
debris = tuple(random.integers(0, length, 80) for length in shape)  # single bright voxels
image[debris] += 5000
image = scipy.ndimage.gaussian_filter(image, 0.7) + random.normal(120, 20, shape)
image = image.astype(np.uint16)

# %% Threshold and label: nuclei that touch are one component.
clumps, count = voxcc.label(image, threshold=350)
print(f"{count} components above 350")

# %% Small components are debris.
result = voxcc.label(image, threshold=350, min_size=100, table=True, spacing=spacing)
clumps, count = result
print(f"{count} components of at least 100 voxels, the largest has {result.table['volume'].max():.0f} cubic micrometres")

# %% Divide the components: bright cores do not touch. Each voxel of a component belongs to the nearest core.
cores, count = voxcc.label(np.where(clumps, image, 0), threshold=800, min_size=20)
_, nearest = scipy.ndimage.distance_transform_edt(cores == 0, sampling=spacing, return_indices=True)
nuclei = np.where(clumps, cores[tuple(nearest)], 0)
touching = voxcc.contacts(nuclei)
print(f"{count} nuclei, {len(touching['a'])} pairs touch; {len(centres)} were drawn")

# %% Measure. The table is a dict of arrays, so pandas makes a data frame of it in one line.
table = voxcc.measure(nuclei, intensity=image, spacing=spacing)
try:
    import pandas
except ImportError:
    print(table["voxels"][:5])
else:
    frame = pandas.DataFrame(table)
    print(frame[["label", "voxels", "volume", "intensity_mean", "elongation"]].head().round(2).to_string(index=False))

# %% The layers of napari: image, labels and points, with their scale. napari_layers.show(layers) opens them in napari.
layers = layers_of(image, nuclei, table, spacing)

# %% A figure of the same layers: brightest voxels from above (z) and from the front (y), and the labels of these voxels.
(_, _, _), (_, labels_options, _), (points, points_options, _) = layers
figure, panels = plt.subplots(2, 2, figsize=(8, 5.4), height_ratios=[size[1], size[0]], layout="constrained")
for row, axis in zip(panels, (0, 1)):
    across = [other for other in range(3) if other != axis]
    brightest = image.argmax(axis=axis, keepdims=True)
    extent = (0, size[across[1]], size[across[0]], 0)
    row[0].imshow(np.take_along_axis(image, brightest, axis).squeeze(axis), cmap="gray", vmin=100, vmax=1100, extent=extent)
    numbers = np.take_along_axis(nuclei, brightest, axis).squeeze(axis)
    row[1].set_facecolor("black")
    row[1].imshow(labels_options["metadata"]["colours"][numbers], extent=extent, interpolation="nearest")
    places = (points + 0.5) * points_options["scale"]
    row[1].scatter(places[:, across[1]], places[:, across[0]], s=9, c="white", edgecolors="black", linewidths=0.6)
    row[0].set_ylabel("y (µm)" if axis == 0 else "z (µm)")
panels[0, 0].set_title("Image: brightest voxels")
panels[0, 1].set_title(f"Labels: {count} nuclei and their centroids")
for panel in panels[1]:
    panel.set_xlabel("x (µm)")
figure.savefig("nuclei.png", dpi=100, pil_kwargs={"optimize": True})
