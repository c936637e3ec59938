"""Thresholds that are computed from the values of an array."""

from . import _arguments as arguments
from . import _core
from ._xarray import array_beside, array_of, is_data_array


def level(x, rule, /, *, mask=None):
    """Computes a threshold from the values of an array, as threshold= of label() does.

    x: an array in host memory; see label().
    rule: "otsu", "li", "triangle" and "yen" are computed as by scikit-image, "p99" is a percentile, and "40%" is a part of the range from
    the least to the largest value. Values that are not finite are left out; percentiles leave NaN out.
    mask: an array of the shape of x; only voxels where it is not 0 are used.

    Returns an integer or a float. Voxels above it are foreground; with a part of the range, also voxels that are equal to it.
    Raises ValueError if the values have no threshold, for example if all are equal.

    >>> voxcc.level(np.array([1, 2, 3, 10]), "p50")
    2.5
    >>> voxcc.level(np.array([0, 1, 0, 9, 8, 9]), "otsu")
    1
    """
    if is_data_array(x):
        x, mask = array_of(x), array_beside(x, mask, "mask")
    x = arguments.array_argument(x)
    mask = arguments.same_shape(mask, x, "mask")
    if not isinstance(rule, str) or not arguments.is_level(rule):
        raise ValueError(f"rule is {arguments.shown(rule)}; it must be {arguments.LEVELS}")
    return level_rule(x, mask, rule)[1]


def level_rule(x, mask, rule):
    """Kind, low and high of a rule for foreground. @param rule a result of threshold_argument()"""
    if not isinstance(rule, str):
        return rule
    if x.size == 0:  # an array without elements has no foreground
        return arguments.ABOVE, 0.0, 0.0
    kind, bound = _core.level(x, mask, rule)
    return kind, bound, 0.0
