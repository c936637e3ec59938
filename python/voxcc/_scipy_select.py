"""The functions of voxcc.scipy that select values inside labels: least and largest values, their positions, and medians."""

import numpy as np

from ._scipy_groups import groups_of, on_host, scipy_function


def _least(groups):
    """The least value per label, and 0 for labels that do not occur. NaN counts only if a label has no other value."""
    floats = groups.values.dtype.kind == "f"
    return _extreme(groups, np.fmin if floats else np.minimum, np.nan if floats else None)


def _largest(groups):
    """The largest value per label, and 0 for labels that do not occur. NaN is larger than all numbers, as in a sorted array."""
    floats = groups.values.dtype.kind == "f"
    return _extreme(groups, np.maximum, -np.inf if floats else None)


def _extreme(groups, choose, start):
    values, dtype = groups.values, groups.values.dtype
    if dtype.kind == "b":
        values = values.view(np.uint8)
    if start is None:
        limits = np.iinfo(values.dtype)
        start = limits.max if choose is np.minimum else limits.min
    result = np.full(groups.count + 1, start, values.dtype)
    with np.errstate(invalid="ignore"):  # NaN
        choose.at(result, groups.labels, values)
    result[~groups.occurring()] = 0
    return result.view(dtype)


def _positions(groups, extremes):
    """The flat index of the extreme value per element of index, or None if a label has it several times.

    scipy returns one of equal values by the order of an unstable sort, which only the same sort can repeat.
    """
    found = np.flatnonzero(groups.values == extremes[groups.labels])
    labels = groups.labels[found]
    times = np.bincount(labels, minlength=groups.count + 1)[groups.rows]
    if (times > 1).any():
        return None
    missing = groups.rows[times == 0]
    # A label that does not occur has position 0. The position of a NaN cannot be found by comparing values.
    if missing.size and groups.occurring()[missing].any():
        return None
    positions = np.zeros(groups.count + 1, np.intp)
    positions[labels] = found
    return positions[groups.rows]


def _groups_with_positions(input, labels, index):
    """As groups_of(); also None for images with 8 bits, whose labels have equal values nearly always."""
    on_host(input, labels)
    return None if np.asanyarray(input).dtype.itemsize == 1 else groups_of(input, labels, index)


def _tuples(positions, shape):
    return list(zip(*np.unravel_index(positions, shape))) if len(positions) else []


def minimum(input, labels=None, index=None):
    """The least value per label, as scipy.ndimage.minimum.

    input: an array. labels: an array of the same shape. index: a label, or a sequence of labels.
    Returns an array of the type of input with one value per element of index; 0 for labels that do not occur. Arguments of another form
    are passed on to scipy.

    >>> from voxcc.scipy import minimum
    >>> minimum([5, 3, 4], [1, 1, 2], [1, 2])
    array([3, 4])
    """
    groups = groups_of(input, labels, index)
    return scipy_function("minimum")(input, labels, index) if groups is None else _least(groups)[groups.rows]


def maximum(input, labels=None, index=None):
    """The largest value per label, as scipy.ndimage.maximum. See minimum() for the arguments and the result.

    >>> from voxcc.scipy import maximum
    >>> maximum([5, 3, 4], [1, 1, 2], [1, 2])
    array([5, 4])
    """
    groups = groups_of(input, labels, index)
    return scipy_function("maximum")(input, labels, index) if groups is None else _largest(groups)[groups.rows]


def _position(name, extreme, *arguments):
    """The result of the function `name` of scipy. @param extreme _least or _largest"""
    groups = _groups_with_positions(*arguments)
    if groups is not None:
        positions = _positions(groups, extreme(groups))
        if positions is not None:
            return _tuples(positions, np.shape(arguments[0]))
    return scipy_function(name)(*arguments)


def minimum_position(input, labels=None, index=None):
    """The indices of the least value per label, as scipy.ndimage.minimum_position. See minimum() for the arguments.

    Returns one tuple of indices per element of index. If a label has its least value several times, scipy computes the result.

    >>> from voxcc.scipy import minimum_position
    >>> minimum_position([5.0, 3.0, 4.0], [1, 1, 2], [1, 2])
    [(np.int64(1),), (np.int64(2),)]
    """
    return _position("minimum_position", _least, input, labels, index)


def maximum_position(input, labels=None, index=None):
    """The indices of the largest value per label, as scipy.ndimage.maximum_position. See minimum_position().

    >>> from voxcc.scipy import maximum_position
    >>> maximum_position([5.0, 3.0, 4.0], [1, 1, 2], [1, 2])
    [(np.int64(0),), (np.int64(2),)]
    """
    return _position("maximum_position", _largest, input, labels, index)


def extrema(input, labels=None, index=None):
    """The least and largest values per label and their indices, as scipy.ndimage.extrema. See minimum_position() for the arguments.

    Returns (minima, maxima, indices of the minima, indices of the maxima).

    >>> from voxcc.scipy import extrema
    >>> extrema([5.0, 3.0, 4.0], [1, 1, 2], [1])
    (array([3.]), array([5.]), [(np.int64(1),)], [(np.int64(0),)])
    """
    groups = _groups_with_positions(input, labels, index)
    if groups is not None:
        least, largest = _least(groups), _largest(groups)
        first, last = _positions(groups, least), None
        if first is not None:
            last = _positions(groups, largest)
        if last is not None:
            shape = np.shape(input)
            return least[groups.rows], largest[groups.rows], _tuples(first, shape), _tuples(last, shape)
    return scipy_function("extrema")(input, labels, index)


def _keys(values):
    """Unsigned integers in the order of the values, and the function that makes values of them."""
    dtype = values.dtype
    bits = values.view(f"u{dtype.itemsize}")
    sign = bits.dtype.type(1 << (8 * dtype.itemsize - 1))
    if dtype.kind != "i" and dtype.kind != "f":
        return bits, lambda keys: keys.astype(bits.dtype).view(dtype)
    if dtype.kind == "i":
        return bits ^ sign, lambda keys: (keys.astype(bits.dtype) ^ sign).view(dtype)
    ones = bits.dtype.type(2 * int(sign) - 1)
    keys = bits ^ np.where(bits & sign, ones, sign)

    def values_of(keys):
        keys = keys.astype(bits.dtype)
        return (keys ^ np.where(keys & sign, sign, ones)).view(dtype)

    return keys, values_of


def median(input, labels=None, index=None):
    """The median per label, as scipy.ndimage.median. See minimum() for the arguments.

    Values of 64 bits, and images with NaN, are passed on to scipy.
    Returns an array with one number per element of index: float64 for integers, and the type of the image for floats.

    >>> from voxcc.scipy import median
    >>> median([5, 3, 4], [1, 1, 2], [1, 2])
    array([4., 4.])
    """
    groups = groups_of(input, labels, index)
    if (
        groups is None or groups.values.dtype.itemsize > 4 or groups.count >= 2**31
        or (groups.values.dtype.kind == "f" and np.isnan(groups.values).any())
    ):
        return scipy_function("median")(input, labels, index)
    if groups.occurring()[groups.rows].all():  # if not, the least value of all labels is a result
        groups = groups.of_index()
    keys, values_of = _keys(groups.values)
    bits = 8 * keys.dtype.itemsize
    pair = np.uint32 if groups.count << bits <= 2**32 else np.uint64
    sorted_keys = groups.labels.astype(pair) << pair(bits)
    sorted_keys |= keys
    sorted_keys.sort()  # by label, then by value
    sizes = np.bincount(groups.labels, minlength=groups.count + 1)
    first, last = np.cumsum(sizes) - sizes, np.cumsum(sizes) - 1
    first[sizes == 0] = last[sizes == 0] = 0  # as in scipy: the least value of the least label
    first, last = first[groups.rows], last[groups.rows]
    step = (last - first) // 2
    low, high = values_of(sorted_keys[first + step]), values_of(sorted_keys[last - step])
    if groups.values.dtype.kind != "f":
        return (low.astype(np.float64) + high.astype(np.float64)) / 2.0
    return (low + high) / 2.0
