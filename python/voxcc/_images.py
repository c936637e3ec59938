"""Arguments of images whose values are measured in each component."""

import math
from collections.abc import Mapping

from . import _arguments as arguments
from ._xarray import array_beside

NO_IMAGE = "percentiles needs intensity, the image whose values are sorted"


def images_argument(intensity, x):
    """Tuples (name, array of the shape of x). The columns of an image begin with its name. @param intensity an array, a mapping or None"""
    if intensity is None:
        return ()
    if not isinstance(intensity, Mapping):
        return (("intensity", arguments.same_shape(intensity, x, "intensity")),)
    for name in intensity:
        if not isinstance(name, str) or not name:
            raise TypeError(f"intensity has the name {arguments.shown(name)}; the names of images must be texts")
    return tuple((name, arguments.same_shape(image, x, f"intensity[{name!r}]")) for name, image in intensity.items())


def percents_argument(percentiles):
    """Tuples (name, percentage). @param percentiles a number in [0, 100], several, or None"""
    if percentiles is None:
        return ()
    percentiles = arguments.scalar(percentiles)
    given = [percentiles] if arguments.is_number(percentiles) else percentiles
    if isinstance(given, (str, bytes)) or not hasattr(type(given), "__iter__"):
        raise TypeError(f"percentiles is {arguments.shown(percentiles)}; it must be numbers from 0 to 100")
    values = [arguments.scalar(p) for p in given]
    for p in values:
        if isinstance(p, bool) or not arguments.is_number(p):
            raise TypeError(f"percentiles contains {arguments.shown(p)}; it must be numbers from 0 to 100")
    numbers = [percent_of(p) for p in values]
    return tuple((f"p{text_of(p)}", p) for p in numbers)


def percent_of(value):
    try:
        percent = float(value)
    except (OverflowError, ValueError):  # a large integer, or a NaN of Decimal that signals
        percent = math.nan
    if not 0 <= percent <= 100:
        raise ValueError(f"percentiles contains {arguments.shown(value)}; it must be numbers from 0 to 100")
    return percent


def text_of(number):
    """The shortest text: 5.0 -> "5", 99.5 -> "99.5"."""
    return str(int(number)) if math.floor(number) == number else repr(number)


def images_beside(x, intensity):
    """The images in the order of the axes of the DataArray x. @param intensity an argument of images_argument()"""
    if not isinstance(intensity, Mapping):
        return array_beside(x, intensity, "intensity")
    return {name: array_beside(x, image, f"intensity[{name!r}]") for name, image in intensity.items()}


def only_image(intensity, percentiles, shape):
    """The image that is measured on a CUDA device. Raises an error for what is measured in host memory only."""
    several = intensity if isinstance(intensity, Mapping) else None
    arguments.no_host_arguments(several_images=several, percentiles=percentiles, shape=shape or None)
    return intensity
