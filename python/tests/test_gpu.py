"""Arrays on a real CUDA device: CuPy, PyTorch, Numba, JAX. Skipped without a device.

Set XLA_PYTHON_CLIENT_PREALLOCATE=false, so that JAX leaves memory to the others.
"""

import threading

import numpy as np
import pytest
import scipy.ndimage
import voxcc
from arrays import INTEGERS, equal_tables, random_array
from real_gpu import CONNECTIVITIES, CuPyArrays, arrays, check, needs_gpu

pytestmark = needs_gpu


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
        labels, count = voxcc.label(arrays.put(x), connectivity)
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
