"""An image, its labels and the table of voxcc as layers of napari.

    from napari_layers import layers_of, show
    show(layers_of(image, labels, table, spacing))

layers_of() needs NumPy alone. Only show() needs napari.
"""

import colorsys

import numpy as np


def distinct_colours(count):
    """RGBA colours of the labels 0 to count, as an array of floats in [0, 1] with the shape (count + 1, 4). Label 0 is transparent.

    Neighbouring numbers have different hues, because each hue is the one before it plus the golden ratio.
    """
    hues = (np.arange(count) * 0.618034) % 1
    colours = [colorsys.hsv_to_rgb(hue, 0.55 + 0.4 * (number % 3 == 0), 1 - 0.35 * (number % 2)) for number, hue in enumerate(hues)]
    return np.array([(0, 0, 0, 0), *((*colour, 1) for colour in colours)])


def layers_of(image, labels, table, spacing):
    """The layers as napari's tuples (data, options, kind): an image, labels and one point per component.

    image, labels: arrays of the same shape. table: the columns of voxcc.label(..., table=True) or voxcc.measure(), one row per label.
    spacing: distance between voxels, one number per axis. Points are indices of voxels, as in the table; the option scale makes lengths of
    them. The options of the points contain the table as features, which napari shows when the mouse is over a point.

    >>> labels = np.array([[1, 1, 0], [0, 0, 2]])
    >>> table = {"label": np.array([1, 2]), "centroid_0": np.array([0.0, 1.0]), "centroid_1": np.array([0.5, 2.0])}
    >>> [kind for data, options, kind in layers_of(labels * 9, labels, table, (2.0, 1.0))]
    ['image', 'labels', 'points']
    """
    points = np.stack([table[f"centroid_{axis}"] for axis in range(image.ndim)], axis=1)
    colours = distinct_colours(int(table["label"].max(initial=0)))
    return [
        (image, {"name": "image", "scale": spacing}, "image"),
        (labels, {"name": "labels", "scale": spacing, "opacity": 0.5, "metadata": {"colours": colours}}, "labels"),
        (points, {"name": "centroids", "scale": spacing, "size": 2, "features": table}, "points"),
    ]


def add_layers(viewer, layers):
    """Adds layers to a napari.Viewer or a napari.components.ViewerModel, and returns the viewer."""
    from napari.layers import Layer
    from napari.utils.colormaps import DirectLabelColormap

    for data, options, kind in layers:
        layer = viewer.add_layer(Layer.create(data, options, kind))
        if kind == "labels":
            colours = options["metadata"]["colours"]
            layer.colormap = DirectLabelColormap(color_dict={None: colours[0], **dict(enumerate(colours))})
    return viewer


def show(layers):
    """Opens layers in a new window of napari, in three dimensions, and waits until it is closed."""
    import napari

    add_layers(napari.Viewer(ndisplay=3), layers)
    napari.run()
