"""Arrays on a real CUDA device: CuPy, PyTorch, Numba, JAX. Skipped without a device.

Set XLA_PYTHON_CLIENT_PREALLOCATE=false, so that JAX leaves memory to the others.
"""

import os
import threading

import numpy as np
import pytest
import scipy.ndimage
import voxcc
import voxcc.cc3d
import voxcc.scipy
import voxcc.skimage
from arrays import INTEGERS, random_array, structure_of

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
pytestmark = pytest.mark.skipif(bool(voxcc._core.why_no_cuda(0)), reason=f"GPU tests: {voxcc._core.why_no_cuda(0)}")

CONNECTIVITIES = {1: (None,), 2: (4, 8), 3: (6, 18, 26)}


class CuPyArrays:
    def __init__(self):
        self.library = pytest.importorskip("cupy")

    def put(self, x):
        y = self.library.asarray(np.ascontiguousarray(x))
        return y if not x.flags.f_contiguous or x.flags.c_contiguous else self.library.asfortranarray(y)

    def get(self, x):
        assert isinstance(x, self.library.ndarray)
        return x.get()

    def wait(self):
        self.library.cuda.runtime.deviceSynchronize()

    def stream(self):
        return self.library.cuda.Stream(non_blocking=True)

    def handle(self, stream):
        return stream.ptr

    def using(self, stream):
        return stream

    def is_idle(self, stream):
        return stream.done

    def keep_busy(self):
        """Occupies the current stream for about 50 ms."""
        code = "extern \"C\" __global__ void spin(long long n) { long long begin = clock64(); while (clock64() - begin < n); }"
        self.library.RawKernel(code, "spin")((1,), (1,), (100_000_000,))

    def free_bytes(self):
        self.library.get_default_memory_pool().free_all_blocks()
        return self.library.cuda.runtime.memGetInfo()[0]

    def zeros(self, shape, dtype):
        return self.library.zeros(shape, dtype)


class PyTorchArrays:
    def __init__(self):
        self.library = pytest.importorskip("torch")

    def put(self, x):
        y = self.library.from_numpy(np.ascontiguousarray(x)).cuda()
        if x.flags.f_contiguous and not x.flags.c_contiguous:
            axes = tuple(reversed(range(x.ndim)))
            y = y.permute(*axes).contiguous().permute(*axes)
        return y

    def get(self, x):
        assert isinstance(x, self.library.Tensor) and x.is_cuda
        return x.cpu().numpy()

    def wait(self):
        self.library.cuda.synchronize()

    def stream(self):
        return self.library.cuda.Stream()

    def handle(self, stream):
        return stream.cuda_stream

    def using(self, stream):
        return self.library.cuda.stream(stream)

    def is_idle(self, stream):
        return stream.query()

    def keep_busy(self):
        self.library.cuda._sleep(100_000_000)

    def free_bytes(self):
        self.library.cuda.empty_cache()
        return self.library.cuda.mem_get_info()[0]

    def zeros(self, shape, dtype):
        return self.library.zeros(shape, dtype=getattr(self.library, np.dtype(dtype).name), device="cuda")


@pytest.fixture(params=[CuPyArrays, PyTorchArrays])
def arrays(request):
    return request.param()


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "i8", "f4", "f8"])
def test_delta(arrays, dtype):
    rng = np.random.default_rng(7)
    x = rng.integers(0, 12, (9, 20, 131)).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(x.shape) < 0.1] = np.nan
        x[rng.random(x.shape) < 0.1] = np.inf
    for connectivity in (6, 18, 26):
        for options in ({"delta": 1}, {"delta": 2.5, "periodic": True}, {"delta": 1, "min_size": 3}):
            want = voxcc.label(x, connectivity, table=True, **options)
            got = voxcc.label(arrays.put(x), connectivity, table=True, **options)
            np.testing.assert_array_equal(arrays.get(got.labels), want.labels)
            assert got.count == want.count
            np.testing.assert_array_equal(got.table["voxels"], want.table["voxels"])


def expected(x, connectivity):
    reach = {None: 1, 4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[connectivity]
    return scipy.ndimage.label((x != 0) & (x == x), scipy.ndimage.generate_binary_structure(x.ndim, reach))


def check(arrays, x, connectivity):
    labels, count, _ = voxcc.label(arrays.put(x), connectivity)
    want, number = expected(x, connectivity)
    np.testing.assert_array_equal(arrays.get(labels), want)
    assert count == number


@pytest.mark.parametrize("dtype", ["?", *INTEGERS, "f2", "f4", "f8"])
def test_types(arrays, dtype):
    for seed, shape in enumerate([(1,), (203,), (65, 130), (64, 64, 64), (33, 65, 129), (18, 20, 48)]):
        x = random_array(seed, shape, dtype, 3, 0.4)
        if np.dtype(dtype).kind == "f":
            x[np.random.default_rng(seed).random(shape) < 0.1] = np.nan
        for connectivity in CONNECTIVITIES[len(shape)]:
            check(arrays, x, connectivity)


def test_shapes(arrays):
    random = np.random.default_rng(8)
    shapes = [(1, 1, 1), (1, 200, 3), (200, 1, 1), (1, 1, 200), (7, 1, 199), (200, 200, 200), (199, 127, 65)]
    shapes += [tuple(random.integers(1, 201, 3)) for _ in range(20)] + [tuple(random.integers(1, 201, 2)) for _ in range(10)]
    for seed, shape in enumerate(shapes):
        shape = tuple(int(n) for n in shape)
        x = random_array(seed, shape, "u1", 1, random.choice([0.05, 0.3, 0.6, 0.95]))
        for connectivity in CONNECTIVITIES[len(shape)]:
            check(arrays, x, connectivity)


def test_blobs_of_512(arrays):
    noise = np.random.default_rng(1).random((128, 128, 128), dtype=np.float32)
    x = np.kron(scipy.ndimage.gaussian_filter(noise, 2) > 0.5, np.ones((4, 4, 4), bool))
    assert x.shape == (512, 512, 512)
    for connectivity in (6, 26):
        want = voxcc.label(x, connectivity)
        labels, count, _ = voxcc.label(arrays.put(x), connectivity)
        assert count == want.count
        np.testing.assert_array_equal(arrays.get(labels), want.labels)


def test_layouts_and_orders(arrays):
    for seed in range(4):
        x = random_array(seed, (30, 65, 40), ["u1", "i4", "f8", "?"][seed], 2, 0.3)
        for y in (x, np.asfortranarray(x)):
            for order in ("C", "F", "memory"):
                for values in (False, True):
                    labels = voxcc.label(arrays.put(y), order=order, values=values).labels
                    np.testing.assert_array_equal(arrays.get(labels), voxcc.label(y, order=order, values=values).labels)
        for cut in ((slice(1, None), slice(None, None, 2)), (slice(None), slice(3, 60), slice(5, 38))):
            np.testing.assert_array_equal(arrays.get(voxcc.label(arrays.put(x)[cut]).labels), voxcc.label(x[cut]).labels)


def test_addresses_that_are_not_aligned(arrays):
    x = random_array(2, (64 * 64 * 32 + 5,), "u1", 1, 0.3)
    on_device = arrays.put(x)
    out = arrays.zeros(x.shape, "int32")
    for first in range(5):
        cut = slice(first, first + 64 * 64 * 32)
        voxel, labels = on_device[cut].reshape(32, 64, 64), out[cut].reshape(32, 64, 64)
        voxcc.label(voxel, 26, out=labels)
        np.testing.assert_array_equal(arrays.get(labels), voxcc.label(x[cut].reshape(32, 64, 64), 26).labels)


def test_options(arrays):
    x = random_array(4, (40, 66, 70), "i2", 3, 0.25)
    for options in [
        {"values": True}, {"threshold": (0, 1)}, {"threshold": ">1"}, {"periodic": True}, {"periodic": (0, 2), "values": True},
        {"min_size": 5}, {"keep_largest": 3, "ties": "all"}, {"keep_largest": 4, "sort": "size"}, {"clear_border": True}, {"per_slice": 0},
        {"per_slice": 0, "connectivity": 4, "values": True}, {"table": True}, {"table": True, "values": True, "spacing": (1, 2, 3)},
        {"min_size": 3, "table": True, "values": True}, {"dtype": "i8"}, {"dtype": "min"}, {"dtype": "u2"}, {"dtype": "i2", "min_size": 3},
    ]:  # fmt: skip
        got, want = voxcc.label(arrays.put(x), **options), voxcc.label(x, **options)
        np.testing.assert_array_equal(arrays.get(got.labels), want.labels)
        assert got.count == want.count
        for name in want.table or {}:
            np.testing.assert_array_equal(got.table[name], want.table[name])
        if "dtype" in options:
            assert arrays.get(got.labels).dtype == want.labels.dtype


def test_narrow_types(arrays):
    x = random_array(4, (40, 66, 70), "i2", 3, 0.25)
    with pytest.raises(ValueError, match="do not fit uint8"):
        voxcc.label(arrays.put(x), 6, values=True, dtype="u1")
    out = arrays.zeros(x.shape, "int64")
    result = voxcc.label(arrays.put(x), out=out)
    assert result.labels is out
    np.testing.assert_array_equal(arrays.get(out), voxcc.label(x).labels)


def test_in_place(arrays):
    """The labels may replace the voxels."""
    for values in (False, True):
        x = random_array(5, (33, 64, 64), "i4", 3, 0.4)
        y = arrays.put(x)
        voxcc.label(y, values=values, out=y)
        np.testing.assert_array_equal(arrays.get(y), voxcc.label(x, values=values).labels)


def test_calls_do_not_wait(arrays):
    """The labelling waits for the work of its stream, and the host does not wait for the labelling."""
    x = random_array(6, (64, 64, 64), "u1", 1, 0.3)
    want = voxcc.label(x)
    source, voxels = arrays.put(x), arrays.zeros(x.shape, "uint8")
    voxcc.label(source)  # everything is loaded
    arrays.wait()
    for _ in range(3):
        stream = arrays.stream()
        with arrays.using(stream):
            voxels[...] = 0
            arrays.keep_busy()
            voxels[...] = source
            result = voxcc.label(voxels)
            assert not arrays.is_idle(stream)
        assert result.count == want.count  # waits
        with arrays.using(stream):
            np.testing.assert_array_equal(arrays.get(result.labels), want.labels)


def test_another_stream(arrays):
    x = random_array(7, (64, 64, 64), "u1", 1, 0.3)
    want = voxcc.label(x)
    source, voxels = arrays.put(x), arrays.zeros(x.shape, "uint8")
    voxcc.label(source)
    arrays.wait()
    producer, other = arrays.stream(), arrays.stream()
    for stream in (other, arrays.handle(other), 0):
        with arrays.using(producer):
            voxels[...] = 0
            arrays.keep_busy()
            voxels[...] = source
            result = voxcc.label(voxels, stream=stream)
        assert result.count == want.count
        arrays.wait()
        np.testing.assert_array_equal(arrays.get(result.labels), want.labels)


def test_python_threads(arrays):
    volumes = [random_array(seed, (50, 60, 70), "u1", 2, 0.3) for seed in range(8)]
    want = [voxcc.label(x, values=True) for x in volumes]
    failed = []

    def work(k):
        with arrays.using(arrays.stream()):
            x = arrays.put(volumes[k])
            for _ in range(30):
                result = voxcc.label(x, values=True)
                labels = arrays.get(result.labels)
                if result.count != want[k].count or not np.array_equal(labels, want[k].labels):
                    failed.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_memory_does_not_grow(arrays):
    sizes = [(64, 64, 64), (128, 96, 100), (31, 200, 77)]
    volumes = [arrays.put(random_array(k, shape, "i4", 2, 0.4)) for k, shape in enumerate(sizes)]

    def calls(n):
        for i in range(n):
            voxcc.label(volumes[i % 3], values=i % 2 == 0)  # the count is not used
            voxcc.label(volumes[i % 3], table=True)
        arrays.wait()

    calls(20)
    before = arrays.free_bytes()
    calls(300)
    after = arrays.free_bytes()
    assert before - after < 8 << 20
    voxcc.clear_cache()
    assert arrays.free_bytes() >= after
    check(arrays, random_array(1, (50, 50, 50), "u1", 1, 0.3), 26)


def test_filters(arrays):
    for dtype in ("?", "u1", "f4"):
        x = random_array(8, (40, 50, 60), dtype, 3, 0.2)
        np.testing.assert_array_equal(arrays.get(voxcc.keep_largest(arrays.put(x), 3)), voxcc.keep_largest(x, 3))
        np.testing.assert_array_equal(arrays.get(voxcc.remove_small(arrays.put(x), 4, 6, values=True)),
                                      voxcc.remove_small(x, 4, 6, values=True))  # fmt: skip
        out = arrays.put(np.empty_like(x))
        assert voxcc.remove_small(arrays.put(x), 4, out=out) is out
        np.testing.assert_array_equal(arrays.get(out), voxcc.remove_small(x, 4))


def test_compatible_modules(arrays):
    x = random_array(9, (40, 50, 60), "i4", 3, 0.3)
    for structure in (None, structure_of(26, 3)):
        labels, count = voxcc.scipy.label(arrays.put(x), structure)
        want, number = scipy.ndimage.label(x, structure)
        np.testing.assert_array_equal(arrays.get(labels), want)
        assert count == number and arrays.get(labels).dtype == np.int32
    for y in (x, x != 0, x.astype("f4")):
        labels, count = voxcc.skimage.label(arrays.put(y), return_num=True)
        want, number = voxcc.skimage.label(y, return_num=True)
        np.testing.assert_array_equal(arrays.get(labels), want)
        assert count == number and arrays.get(labels).dtype == np.int32


def test_labels_of_cupyx():
    cupy, ndimage = pytest.importorskip("cupy"), pytest.importorskip("cupyx.scipy.ndimage")
    for seed, density in enumerate((0.1, 0.3, 0.6)):
        x = cupy.asarray(random_array(seed, (60, 70, 80), "u1", 1, density))
        for structure in (None, cupy.ones((3, 3, 3), bool)):
            ours, theirs = voxcc.scipy.label(x, structure), ndimage.label(x, structure)
            assert ours[1] == theirs[1] and ours[0].dtype == theirs[0].dtype
            assert cupy.array_equal(ours[0], theirs[0])


def equal_tables(got, want):
    assert list(got) == list(want)
    for name in want:
        assert got[name].dtype == want[name].dtype
        np.testing.assert_array_equal(got[name], want[name])


def equal_results(arrays, got, want):
    np.testing.assert_array_equal(arrays.get(got.labels), want.labels)
    assert got.count == want.count
    if want.table:
        equal_tables(got.table, want.table)


def test_masks(arrays):
    for seed, shape in enumerate([(7,), (65, 33), (30, 64, 48), (33, 65, 70)]):
        x = random_array(seed, shape, ["u1", "i2", "u1", "f4"][seed], 3, 0.3)
        for dtype in ("?", "u1", "i2", "u4", "i8", "f2", "f4", "f8"):
            mask = random_array(seed + 7, shape, dtype, 2, 0.8)
            if mask.dtype.kind == "f":
                mask[np.random.default_rng(seed).random(shape) < 0.1] = np.nan
            for options in ({}, {"values": True}, {"min_size": 3}, {"periodic": True}, {"order": "F"}):
                got = voxcc.label(arrays.put(x), mask=arrays.put(mask), **options)
                equal_results(arrays, got, voxcc.label(x, mask=mask, **options))
    x = random_array(1, (30, 40, 50), "u1", 2, 0.4)
    with pytest.raises(ValueError, match="mask has the shape"):
        voxcc.label(arrays.put(x), mask=arrays.put(x[1:]))
    with pytest.raises(TypeError, match="mask is of the type ndarray"):
        voxcc.label(arrays.put(x), mask=x)
    equal_results(arrays, voxcc.label(arrays.put(x), mask=arrays.put(np.asfortranarray(x))), voxcc.label(x, mask=x))


def test_masks_of_other_streams_and_libraries():
    cupy, torch = CuPyArrays(), PyTorchArrays()
    x, mask = random_array(1, (64, 60, 50), "u1", 1, 0.5), random_array(2, (64, 60, 50), "u1", 1, 0.5)
    want = voxcc.label(x, mask=mask)
    source, late = torch.put(mask), torch.zeros(mask.shape, "uint8")
    voxcc.label(cupy.put(x), mask=source)
    torch.wait()
    for order in ("C", "F"):  # F: the mask is copied on its stream
        with torch.using(torch.stream()):
            late[...] = 0
            torch.keep_busy()
            late[...] = source
            result = voxcc.label(cupy.put(x), mask=late, order=order)
            late[...] = 0
            np.testing.assert_array_equal(cupy.get(result.labels), voxcc.label(x, mask=mask, order=order).labels)
        assert result.count == want.count


def test_intensities(arrays):
    """Sums over the same rows in the same order are equal to the last bit."""
    for seed, shape in enumerate([(200,), (65, 130), (40, 64, 60), (120, 300, 260)]):
        x = random_array(seed, shape, "u1", 2, 0.35)
        for dtype in ("u1", "i2", "u4", "i8", "f2", "f4", "f8", "?") if seed < 3 else ("f4",):
            image = random_array(seed + 5, shape, dtype, 100, 0.9)
            if image.dtype.kind == "f":
                image = image * np.random.default_rng(seed).random(shape).astype(dtype)
                image[np.random.default_rng(seed + 1).random(shape) < 0.01] = np.nan
            for options in ({}, {"values": True, "spacing": 2.0}, {"min_size": 4, "sort": "size"}):
                got = voxcc.label(arrays.put(x), table=True, intensity=arrays.put(image), **options)
                equal_results(arrays, got, voxcc.label(x, table=True, intensity=image, **options))
        if len(shape) == 3 and seed < 3:
            for axis in range(3):
                got = voxcc.label(arrays.put(x), table=True, intensity=arrays.put(image), mask=arrays.put(x), per_slice=axis)
                equal_results(arrays, got, voxcc.label(x, table=True, intensity=image, mask=x, per_slice=axis))


def test_slices_across_every_axis(arrays):
    x = random_array(6, (20, 33, 65), "i2", 2, 0.4)
    for layout in ("C", "F"):
        y = np.asarray(x, order=layout)
        for axis in range(3):
            for options in ({}, {"values": True, "connectivity": 4}, {"order": "F", "table": True}, {"order": "memory", "min_size": 3}):
                equal_results(arrays, voxcc.label(arrays.put(y), per_slice=axis, **options), voxcc.label(y, per_slice=axis, **options))
    out = arrays.zeros(x.shape, "int32")
    assert voxcc.label(arrays.put(x), per_slice=2, out=out).labels is out
    np.testing.assert_array_equal(arrays.get(out), voxcc.label(x, per_slice=2).labels)


def test_label_images(arrays):
    for seed, (shape, dtype) in enumerate([((50,), "u1"), ((64, 33), "i2"), ((40, 50, 70), "i4"), ((33, 64, 65), "u8"), ((20, 20, 30), "?")]):
        for layout in ("C", "F"):
            labels = np.asarray(random_array(seed, shape, dtype, 4, 0.7), order=layout)
            if labels.dtype.kind == "i":
                labels[labels == 2] = -5
            image = np.asarray(random_array(seed + 3, shape, "f4", 50, 0.9), order=layout)
            equal_tables(voxcc.measure(arrays.put(labels)), voxcc.measure(labels))
            equal_tables(voxcc.measure(arrays.put(labels), background=True, spacing=2), voxcc.measure(labels, background=True, spacing=2))
            equal_tables(voxcc.measure(arrays.put(labels), arrays.put(image)), voxcc.measure(labels, image))
            equal_tables(voxcc.contacts(arrays.put(labels), spacing=2), voxcc.contacts(labels, spacing=2))
            assert voxcc.scipy.find_objects(arrays.put(labels)) == voxcc.scipy.find_objects(labels)
            np.testing.assert_equal(voxcc.cc3d.contacts(arrays.put(labels)), voxcc.cc3d.contacts(labels))
            if labels.dtype.kind in "iu" and labels.ndim > 1:
                names = ("label", "bbox", "area", "centroid", "extent", "intensity_mean", "centroid_weighted")
                equal_tables(voxcc.skimage.regionprops_table(arrays.put(labels), arrays.put(image), names),
                             voxcc.skimage.regionprops_table(labels, image, names))  # fmt: skip
    components = voxcc.label(random_array(1, (128, 130, 140), "u1", 1, 0.3)).labels.astype("i4")
    equal_tables(voxcc.measure(arrays.put(components)), voxcc.measure(components))
    with pytest.raises(TypeError, match="must be integers"):
        voxcc.measure(arrays.put(image))


def test_filter(arrays):
    x = random_array(7, (30, 40, 50), "i4", 3, 0.3)

    def is_small(table):
        return table["voxels"] < 9

    np.testing.assert_array_equal(arrays.get(voxcc.filter(arrays.put(x), is_small)), voxcc.filter(x, is_small))


def equal_to_cc3d(arrays, got, want):
    if isinstance(want, tuple):
        assert got[1] == want[1]
        got, want = got[0], want[0]
    got = arrays.get(got)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_cc3d(arrays):
    for seed, (shape, dtype, layout) in enumerate([((40, 50, 64), "i4", "C"), ((30, 33, 65), "u1", "F"), ((90, 120), "?", "C")]):
        x = np.asarray(random_array(seed, shape, dtype, 3, 0.35), order=layout)
        for options in ({}, {"return_N": True, "binary_image": True}, {"out_dtype": np.uint64}, {"periodic_boundary": True}):
            equal_to_cc3d(arrays, voxcc.cc3d.connected_components(arrays.put(x), **options), voxcc.cc3d.connected_components(x, **options))
        for options in ({}, {"return_N": True, "invert": True}, {"precomputed_ccl": True, "return_N": True}, {"in_place": True}):
            for threshold in (3, (2, 6)):
                want = voxcc.cc3d.dust(x.copy(order="K"), threshold, **options)
                equal_to_cc3d(arrays, voxcc.cc3d.dust(arrays.put(x), threshold, **options), want)
        for k in (0, 1, 3, 10**6):
            for options in ({"return_N": True}, {"precomputed_ccl": True}):
                equal_to_cc3d(arrays, voxcc.cc3d.largest_k(arrays.put(x), k, **options), voxcc.cc3d.largest_k(x, k, **options))
        labels = voxcc.cc3d.connected_components(x).astype("i4")
        np.testing.assert_equal(voxcc.cc3d.statistics(arrays.put(labels)), voxcc.cc3d.statistics(labels))
    with pytest.raises(NotImplementedError, match="NaN"):
        voxcc.cc3d.connected_components(arrays.put(np.full((3, 3), np.nan)))


def test_empty_arrays(arrays):
    result = voxcc.label(arrays.zeros((3, 0, 2), "uint8"), table=True)
    assert tuple(result.labels.shape) == (3, 0, 2) and result.count == 0 and len(result.table["label"]) == 0


def test_bfloat16():
    torch = pytest.importorskip("torch")
    x = random_array(3, (20, 30, 40), "f4", 2, 0.4)
    labels = voxcc.label(torch.from_numpy(x).cuda().to(torch.bfloat16), values=True).labels
    np.testing.assert_array_equal(labels.cpu().numpy(), voxcc.label(x, values=True).labels)


class OnlyInterface:
    """An array of CuPy, of which only the array interface is visible."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


def test_array_interface():
    cupy = pytest.importorskip("cupy")
    x = random_array(3, (20, 30, 40), "i4", 2, 0.4)
    mask = random_array(4, x.shape, "f4", 1, 0.7)
    want = voxcc.label(x, mask=mask, table=True, intensity=mask)
    out = cupy.empty(x.shape, "u4")
    array, of_mask = OnlyInterface(cupy.asarray(x)), OnlyInterface(cupy.asarray(mask))
    got = voxcc.label(array, mask=of_mask, table=True, intensity=of_mask, out=out)
    assert got.count == want.count
    np.testing.assert_array_equal(out.get(), want.labels)
    equal_tables(got.table, want.table)
    equal_tables(voxcc.measure(array), voxcc.measure(x))
    with pytest.raises(TypeError, match="pass out="):
        voxcc.label(array)


def test_numba():
    numba_cuda, cupy = pytest.importorskip("numba.cuda"), pytest.importorskip("cupy")
    x = random_array(3, (20, 30, 40), "i4", 2, 0.4)
    want = voxcc.label(x)
    out = cupy.empty(x.shape, "u4")
    assert voxcc.label(numba_cuda.to_device(x), out=out).count == want.count
    np.testing.assert_array_equal(out.get(), want.labels)


def test_jax():
    """JAX returns an array before its data have arrived."""
    jax, cupy = pytest.importorskip("jax"), pytest.importorskip("cupy")
    try:
        gpu = jax.devices("gpu")[0]
    except RuntimeError as error:
        pytest.skip(f"JAX has no GPU: {error}")
    x = random_array(3, (20, 30, 40), "i4", 2, 0.4)
    out = cupy.empty(x.shape, "u4")
    assert voxcc.label(jax.device_put(x, gpu), out=out).count == voxcc.label(x).count
    np.testing.assert_array_equal(out.get(), voxcc.label(x).labels)

    @jax.jit
    def late(a):  # about 50 ms of work before the voxels are there
        b = jax.lax.fori_loop(0, 200, lambda i, m: m @ m / 64, jax.numpy.ones((4096, 4096), "float32") / 64)
        return (a + jax.numpy.minimum(b[0, 0], 0)).astype("int32")

    late(jax.device_put(x, gpu)).block_until_ready()
    for seed in range(5):
        x = random_array(seed, x.shape, "i4", 2, 0.4)
        out[...] = 77
        cupy.cuda.runtime.deviceSynchronize()
        y = late(jax.device_put(x, gpu))
        result = voxcc.label(y, out=out)
        assert result.count == voxcc.label(np.asarray(y)).count
        np.testing.assert_array_equal(out.get(), voxcc.label(np.asarray(y)).labels)
        mask = late(jax.device_put(random_array(9, x.shape, "i4", 1, 0.5), gpu))
        voxcc.label(y, mask=mask, out=out)
        np.testing.assert_array_equal(out.get(), voxcc.label(np.asarray(y), mask=np.asarray(mask)).labels)
        equal_tables(voxcc.measure(y), voxcc.measure(np.asarray(y)))


def test_dlpack():
    cupy = pytest.importorskip("cupy")

    class OnlyDlpack:
        def __init__(self, array):
            self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__

    for dtype in ("u1", "i4", "f8"):
        x = random_array(3, (20, 30, 48), dtype, 2, 0.4)
        out = cupy.empty(x.shape, "i8")
        assert voxcc.label(OnlyDlpack(cupy.asarray(x)), out=OnlyDlpack(out)).count == voxcc.label(x).count
        np.testing.assert_array_equal(out.get(), voxcc.label(x).labels)


def test_host_arrays():
    for seed, (shape, dtype) in enumerate([((7,), "f2"), ((65, 30), ">i4"), ((40, 50, 60), "f8"), ((30, 64, 48), "u1"), ((0, 3), "u1")]):
        x = random_array(seed, shape, dtype, 3, 0.4)
        for y in (x, np.asfortranarray(x), x[..., ::-1]):
            mask = random_array(seed + 9, shape, "u1", 1, 0.8)
            for options in ({}, {"values": True, "order": "memory"}, {"min_size": 2, "dtype": "i8"}, {"table": True, "order": "F"},
                            {"mask": mask}, {"mask": mask, "table": True, "values": True}):
                got, want = voxcc.label(y, device="cuda", **options), voxcc.label(y, **options)
                np.testing.assert_array_equal(got.labels, want.labels)
                assert got.count == want.count and got.labels.dtype == want.labels.dtype
                for name in want.table or {}:
                    np.testing.assert_array_equal(got.table[name], want.table[name])
    out = np.zeros((40, 50, 60), "u2")
    x = random_array(1, out.shape, "u1", 1, 0.3)
    assert voxcc.label(x, device="cuda:0", out=out).labels is out
    np.testing.assert_array_equal(out, voxcc.label(x).labels)


def test_errors():
    with pytest.raises(voxcc.DeviceError, match="does not exist"):
        voxcc.label(np.ones(3), device="cuda:99")
    assert "cuda:0" in voxcc.capabilities()["devices"]
    cupy = pytest.importorskip("cupy")
    pinned = cupy.cuda.alloc_pinned_memory(64)

    class OnHost:
        __cuda_array_interface__ = {"shape": (8,), "typestr": "|u1", "data": (pinned.ptr, False), "version": 3, "stream": None}

    with pytest.raises(ValueError, match="not in the memory of a CUDA device"):
        voxcc.label(OnHost())
    check(CuPyArrays(), random_array(1, (50, 50, 50), "u1", 1, 0.3), 26)
