"""Threshold-free cluster enhancement."""

import numpy as np

from . import _arguments as arguments
from . import _core
from ._match import real_argument
from ._xarray import array_of, is_data_array


def tfce(x, /, *, e=0.5, h=2, step=None, connectivity=None, two_sided=True, batch=False, threads=None):
    """Threshold-free cluster enhancement (Smith and Nichols 2009): the integral of extent^e height^h over the heights from 0 to the value.

    The extent is the number of voxels in the connected component of voxels with values of at least the height.

    x: an array in host memory with one to three axes. NaN has the result 0. Infinite values are an error.
    e, h: the exponents, at least 0.
    step: None computes the exact integral. A number dh computes the sum over the heights dh, 2 dh, ... of extent^e height^h dh, as other
    programs do. A height that differs from a value by rounding only is reached. FSL and nilearn leave out the factor dh.
    connectivity: see label(). By default all neighbours; many other programs use 6 in volumes.
    two_sided: negative values are enhanced as positive ones are, and have negative results. False: they have the result 0.
    batch: the first axis counts maps of one to three axes, which are enhanced separately, each on one thread.
    threads: see label().

    Returns an array of the shape of x: float32 for float16, float32, booleans and integers of 8 and 16 bits, else float64. Results do not
    depend on the number of threads.
    Raises ValueError for infinite values, for numbers out of range, and for more than 16,777,216 steps.

    >>> voxcc.tfce(np.array([1, 2, 2, 0, -1]), e=1, h=0)
    array([ 3.,  5.,  5.,  0., -1.])
    >>> maps = np.random.default_rng(1).standard_normal((20, 40, 40, 40))
    >>> voxcc.tfce(maps, connectivity=6, batch=True).shape
    (20, 40, 40, 40)
    """
    batch, two_sided = arguments.boolean(batch, "batch"), arguments.boolean(two_sided, "two_sided")
    x = arguments.array_argument(array_of(x) if is_data_array(x) else x, axes=(2, 4) if batch else (1, 3))
    shape = x.shape[1:] if batch else x.shape
    connectivity = arguments.connectivity_argument(connectivity, len(shape))
    e, h = real_argument(e, "e"), real_argument(h, "h")
    if step is not None:
        step = real_argument(step, "step")
        if step == 0:
            raise ValueError("step is 0; it must be above 0")
    threads = arguments.threads_argument(threads)
    if x.dtype.kind == "b":
        x = x.view(np.uint8)
    dtype = np.float32 if x.dtype.itemsize <= (4 if x.dtype.kind == "f" else 2) else np.float64
    native = np.float32 if x.dtype == np.float16 else x.dtype.newbyteorder("=")
    x = np.ascontiguousarray(x, native)
    enhanced = np.zeros(x.shape, dtype)
    if x.size:
        extent = [1] * (3 - len(shape)) + list(shape)
        _core.tfce(x, enhanced, extent, e, h, step, connectivity, two_sided, threads)
    return enhanced
