"""Reads the pictures of --preview, and writes volumes for them.

Arrays are [x, y, z] here: x to the right of the patient, y to anterior, z to superior, as in the affine of NIfTI.
"""

import nibabel
import numpy as np
import scipy.ndimage
from PIL import Image

BACKGROUND = (24, 26, 32)
TEXT = (235, 235, 235)
# The first seven are the colours of Okabe and Ito (2008).
PALETTE = np.array([[230, 159, 0], [86, 180, 233], [240, 228, 66], [213, 94, 0], [204, 121, 167], [0, 158, 115], [0, 114, 178],
                    [180, 0, 255], [255, 0, 90], [105, 255, 135], [165, 120, 255], [195, 240, 195], [210, 0, 180], [240, 150, 105],
                    [30, 210, 225], [165, 225, 90], [75, 150, 30], [225, 255, 0]], float)


def read_picture(path):
    with Image.open(path) as picture:
        assert picture.mode == "RGB"
        return np.asarray(picture)


def panels_of(pixels):
    """The filled rectangles of a picture, from top to bottom and from left to right."""
    regions, _ = scipy.ndimage.label((pixels != BACKGROUND).any(2))
    boxes = []
    for index, (rows, columns) in enumerate(scipy.ndimage.find_objects(regions), 1):
        box = regions[rows, columns]
        if (box == index).all() and min(box.shape) >= 20 and (pixels[rows, columns] != TEXT).any():
            boxes.append((rows.start, columns.start, pixels[rows, columns]))
    return [panel for _, _, panel in sorted(boxes, key=lambda box: box[:2])]


def write_oriented(path, array, codes, spacing=(1, 1, 1), turn=np.eye(3)):
    """Writes the array with its axes in the order and direction of `codes`."""
    path.parent.mkdir(exist_ok=True)
    image = nibabel.Nifti1Image(array, nibabel.affines.from_matvec(turn @ np.diag(spacing), [3, -5, 7]))
    start, end = (nibabel.orientations.axcodes2ornt(c) for c in ("RAS", codes))
    image = image.as_reoriented(nibabel.orientations.ornt_transform(start, end))
    nibabel.save(image, path)
    return path
