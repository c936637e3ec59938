"""Arrays on CUDA devices, with fake arrays and a fake device: what is read of an array, streams, layouts, types, and errors."""

import operator
import pickle

import numpy as np
import pytest
import voxcc
import voxcc._frameworks
import voxcc._gpu
import voxcc.cc3d
import voxcc.scipy
from arrays import equal_tables, random_array
from fake_gpu import CudaArray, Device, DlpackArray, Ndarray, X, cupy, device, labels_like
from hypothesis import given
from hypothesis import strategies as st


def test_without_cuda():
    if not voxcc._core.why_no_cuda(0):
        pytest.skip("this machine has a GPU")
    with pytest.raises(voxcc.DeviceError, match="device cuda"):
        voxcc.label(CudaArray(X), out=CudaArray(labels_like(X)))
    with pytest.raises(voxcc.DeviceError, match="device cuda"):
        voxcc.label(X, device="cuda")
    voxcc.clear_cache()
    assert voxcc.capabilities()["devices"] == ["cpu"]


def test_labels_of_an_interface(device):
    out = labels_like(X)
    result = voxcc.label(CudaArray(X, stream=9), 6, out=CudaArray(out))
    np.testing.assert_array_equal(out, voxcc.label(X, 6).labels)
    assert device.labelled == [(X.ctypes.data, 0, 9, "C")] and device.stream_waits == []
    assert device.waits == 0 and isinstance(result.count, voxcc.Count)
    assert result.count == voxcc.label(X, 6).count and device.waits == 1
    assert result.count == voxcc.label(X, 6).count and device.waits == 1  # the number is kept
    assert result.labels.array is out and result.table is None


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"version": 1}, ValueError, "version 1"),
        ({"version": 4}, ValueError, "version 4"),
        ({"mask": object()}, ValueError, "mask"),
        ({"stream": 0}, ValueError, "stream 0"),
        ({"stream": True}, ValueError, "stream True"),
        ({"stream": "a"}, ValueError, "stream 'a'"),
        ({"typestr": "<c8"}, TypeError, "type <c8"),
        ({"typestr": ">i2"}, TypeError, "type >i2"),
        ({"strides": (1, 2, 3)}, ValueError, "gaps"),
        ({"shape": (210, 1, 1, 1)}, voxcc.DimensionError, "4 dimensions"),
        ({"shape": ()}, voxcc.DimensionError, "0 dimensions"),
    ],
)
def test_invalid_interfaces(device, changes, error, message):
    array = CudaArray(X, **changes)
    array.shape = array.__cuda_array_interface__["shape"]
    with pytest.raises(error, match=message):
        voxcc.label(array, out=CudaArray(labels_like(X)))
    assert device.labelled == []


def test_read_only_arrays(device):
    x, out = X.copy(), labels_like(X)
    x.flags.writeable = False
    voxcc.label(CudaArray(x), out=CudaArray(out))
    np.testing.assert_array_equal(out, voxcc.label(X).labels)
    with pytest.raises(ValueError, match="out must be writable"):
        voxcc.label(CudaArray(X), out=CudaArray(out, data=(out.ctypes.data, True)))


def test_delta(device):
    for x, delta in [(X, 1), (X.astype(np.float32) / 4, 0.25)]:
        out = labels_like(X)
        voxcc.label(CudaArray(x), 6, delta=delta, out=CudaArray(out))
        np.testing.assert_array_equal(out, voxcc.label(x, 6, delta=delta).labels)
    with pytest.raises(ValueError, match="delta cannot be combined with values"):
        voxcc.label(CudaArray(X), delta=1, values=True, out=CudaArray(labels_like(X)))


def test_streams(device):
    class Stream:
        def __init__(self, version=0, handle=23):
            self.protocol = version, handle

        def __cuda_stream__(self):
            return self.protocol

    for stream, handle in [(23, 23), (Stream(), 23), (1, 1), (0, 0)]:
        device.labelled.clear()
        device.stream_waits.clear()
        voxcc.label(CudaArray(X, stream=9), out=CudaArray(labels_like(X)), stream=stream)
        assert device.labelled[0][2] == handle and device.stream_waits == [(0, 9, handle)]
    device.stream_waits.clear()
    voxcc.label(CudaArray(X), out=CudaArray(labels_like(X)), stream=0)  # 0 and 1 are the same stream
    voxcc.label(CudaArray(X, stream=9), out=CudaArray(labels_like(X)), stream=9)
    assert device.stream_waits == []
    for stream, error in [(-1, ValueError), (True, TypeError), ("a", TypeError), (Stream(1), ValueError), (2.0, TypeError)]:
        with pytest.raises(error, match="stream"):
            voxcc.label(CudaArray(X), out=CudaArray(labels_like(X)), stream=stream)
    with pytest.raises(ValueError, match="stream is for arrays on a CUDA device"):
        voxcc.label(X, stream=1)


def test_interface_without_stream_and_dlpack(device):
    """As arrays of JAX: only DLPack waits for the data."""

    class Both(CudaArray, DlpackArray):
        def __init__(self, array, **changes):
            DlpackArray.__init__(self, array)
            CudaArray.__init__(self, array, **changes)

    for stream, calls in [(None, 1), (9, 0)]:
        x, out = Both(X, stream=stream), labels_like(X)
        voxcc.label(x, out=CudaArray(out))
        np.testing.assert_array_equal(out, voxcc.label(X).labels)
        assert len(x.calls) == calls


@pytest.mark.parametrize("versions", [True, False])
def test_dlpack(device, versions, monkeypatch):
    """The device of a capsule of NumPy is the CPU, whose number is 0, too."""
    x, out = DlpackArray(X, versions=versions), labels_like(X, "i8")
    voxcc.label(x, out=CudaArray(out))
    np.testing.assert_array_equal(out, voxcc.label(X).labels)
    assert x.calls[0] == {"stream": 1, "max_version": (1, 0)} and all(call["stream"] == 1 for call in x.calls)
    assert len(x.calls) == (1 if versions else 2)
    with pytest.raises(TypeError, match="complex"):  # an array on the CPU is a NumPy array to voxcc
        voxcc.label(DlpackArray(X.astype(complex), device=(1, 0)).array)


@given(st.sampled_from(["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]), st.sampled_from("CF"), st.booleans(),
       st.sampled_from([None, 1, 2, 3]), st.sampled_from(["C", "F", "memory"]))  # fmt: skip
def test_types_and_layouts(dtype, layout, values, connectivity, order):
    device = Device()
    x = np.asarray(random_array(5, (4, 5, 6), dtype, 2, 0.5), order=layout)
    options = {"values": values, "order": order}
    with pytest.MonkeyPatch.context() as patch:
        for module in (voxcc._gpu, voxcc._frameworks):
            patch.setattr(module, "_core", device)
        out = labels_like(x)
        if order not in (layout, "memory"):
            with pytest.raises(ValueError, match="gaps|order"):
                voxcc.label(CudaArray(x), connectivity, out=CudaArray(out), **options)
            return
        voxcc.label(CudaArray(x), connectivity, out=CudaArray(out), **options)
        np.testing.assert_array_equal(out, voxcc.label(x, connectivity, **options).labels)
        assert device.labelled[0][3] == layout


def test_arguments_of_out(device):
    def call(out, **options):
        return voxcc.label(CudaArray(X), out=out, **options)

    for out, error, message in [
        (labels_like(X), TypeError, "ndarray"),
        (CudaArray(labels_like(X)[:4]), ValueError, "shape"),
        (CudaArray(labels_like(X, "f4")), ValueError, "integers"),
        (CudaArray(labels_like(X, "?")), ValueError, "integers"),
        (CudaArray(np.asfortranarray(labels_like(X))), ValueError, "C order"),
        (None, TypeError, "pass out="),
    ]:
        with pytest.raises(error, match=message):
            call(out)
    with pytest.raises(ValueError, match="dtype"):
        call(CudaArray(labels_like(X)), dtype="i8")
    assert device.painted == []
    call(CudaArray(labels_like(X, "u2")), dtype="u2")
    narrow = labels_like(np.ones((700,)), "u1")
    x = np.tile(np.array([1, 0], "u1"), 350)
    with pytest.raises(ValueError, match="350 components, which do not fit uint8"):
        voxcc.label(CudaArray(x), out=CudaArray(narrow))
    assert (narrow == 77).all()


def test_refused_options(device):
    x, out = CudaArray(X), CudaArray(labels_like(X))
    for options, error in [
        ({"mask": X}, TypeError),
        ({"mask": CudaArray(X[:4])}, ValueError),
        ({"mask": CudaArray(np.asfortranarray(X))}, ValueError),
        ({"intensity": X, "table": True}, TypeError),
        ({"intensity": CudaArray(X)}, ValueError),
        ({"threads": 2}, ValueError),
        ({"per_slice": 1}, ValueError),
        ({"per_slice": 0, "order": "F"}, ValueError),
        ({"device": "cpu"}, ValueError),
        ({"device": "cuda:1"}, ValueError),
        ({"device": "gpu"}, ValueError),
        ({"device": -1}, ValueError),
        ({"connectivity": 5}, ValueError),
        ({"order": "K"}, ValueError),
        ({"spacing": 2}, ValueError),
    ]:
        with pytest.raises(error):
            voxcc.label(x, out=out, **options)
    refused = [
        lambda: voxcc.measure(X, x), lambda: voxcc.label(X, mask=x), lambda: voxcc.label(X, device="cuda", mask=x),
        lambda: voxcc.cc3d.each(x), lambda: voxcc.cc3d.voxel_connectivity_graph(x),
    ]  # fmt: skip
    for call in refused:
        with pytest.raises(NotImplementedError, match="copy it to the host"):
            call()
    with pytest.raises(NotImplementedError, match=r"use voxcc\.measure"):
        voxcc.scipy.sum_labels(x, x, [1])
    for call in (lambda: voxcc.measure(x, threads=2), lambda: voxcc.contacts(x, threads=2)):
        with pytest.raises(ValueError, match="threads"):
            call()
    for call in (lambda: voxcc.cc3d.connected_components(x), lambda: voxcc.cc3d.dust(x, 3)):
        with pytest.raises(TypeError, match="neither CuPy nor PyTorch"):
            call()
    with pytest.raises(TypeError, match="neither CuPy nor PyTorch"):
        voxcc.keep_largest(CudaArray(X))
    assert device.labelled == []


def test_host_arrays_on_a_device(device):
    """All arrays are copied to one buffer."""
    mask, image = random_array(2, X.shape, "u1", 1, 0.7), random_array(4, X.shape, "f4", 5, 0.7)
    for x in (X, np.asfortranarray(X), X[::-1], X.astype(">i4"), X.astype("f2")):
        for options in [{}, {"mask": mask}, {"mask": mask[:, ::-1], "table": True, "intensity": image}, {"per_slice": 1, "mask": mask},
                        {"per_slice": 2, "order": "F", "table": True, "intensity": image.astype("f2")}, {"order": "memory", "per_slice": 0}]:
            got, want = voxcc.label(x, device="cuda", **options), voxcc.label(x, **options)
            np.testing.assert_array_equal(got.labels, want.labels)
            assert got.count == want.count
            if want.table:
                equal_tables({n: c for n, c in got.table.items() if "intensity" not in n},
                             {n: c for n, c in want.table.items() if "intensity" not in n})
                for name in want.table:
                    np.testing.assert_allclose(got.table[name], want.table[name], rtol=1e-12)


def test_labels_of_the_same_library(cupy, device):
    result = voxcc.label(Ndarray(X))
    assert isinstance(result.labels, Ndarray) and result.labels.dtype == np.uint32
    np.testing.assert_array_equal(result.labels.array, voxcc.label(X).labels)
    assert device.labelled[-1][2] == 7 and cupy.contexts == []  # the current stream
    assert voxcc.label(Ndarray(X), dtype="i8").labels.dtype == np.int64
    assert voxcc.label(Ndarray(X), dtype="min").labels.dtype == np.uint8
    with pytest.raises(ValueError, match="dtype"):
        voxcc.label(Ndarray(X), dtype="f4")


def test_copies_of_other_layouts(cupy, device):
    for x in (np.asfortranarray(X), X[:, ::2], np.moveaxis(X, 0, 1), X.astype(np.float16)):
        result = voxcc.label(Ndarray(x))
        np.testing.assert_array_equal(result.labels.array, voxcc.label(x).labels)
        assert result.labels.flags.c_contiguous and device.labelled[-1][0] != x.ctypes.data
    result = voxcc.label(Ndarray(X), order="F")
    np.testing.assert_array_equal(result.labels.array, voxcc.label(X, order="F").labels)
    assert result.labels.flags.f_contiguous


def test_memory_is_allocated_on_the_stream(cupy, device):
    voxcc.label(Ndarray(X), stream=23)
    assert cupy.contexts == [("device", 0), ("stream", 23), ("end", "stream"), ("end", "device")]
    assert device.stream_waits == [(0, 7, 23)]
    cupy.contexts.clear()
    voxcc.label(Ndarray(X, device=1))
    assert cupy.contexts == [("device", 1), ("end", "device")] and device.labelled[-1][1] == 1


def test_counts_behave_as_integers():
    class Pending:
        def value(self):
            return 7

    count = voxcc.Count(Pending())
    assert int(count) == operator.index(count) == count == 7 and isinstance(count, type(count)) and hash(count) == hash(7)
    assert f"{count} {count:03d} {count!r} {str(count)}" == "7 007 7 7"
    assert (count + 1, 1 + count, count - 1, 10 - count, count * 2, 2 * count, count / 2, 14 / count) == (8, 8, 6, 3, 14, 14, 3.5, 2)
    assert (count // 2, 15 // count, count % 4, 9 % count, count**2, 2**count, -count, +count, abs(count), ~count) == (
        3, 2, 3, 2, 49, 128, -7, 7, 7, -8)  # fmt: skip
    assert (count & 3, 3 & count, count | 8, count ^ 1, count << 1, count >> 1, 1 << count) == (3, 3, 15, 6, 14, 3, 128)
    assert count < 8 and count <= 7 and count > 6 and count >= 7 and count != 8 and count < 7.5 and 8 > count and bool(count)
    assert list(range(count)) == list(range(7)) and float(count) == 7.0 and np.asarray(count).dtype.kind == "i"
    assert count + count == 14 and count == voxcc.Count(Pending()) and count != "7"
    assert pickle.loads(pickle.dumps(count)) == 7 and np.zeros(count).shape == (7,)
    with pytest.raises(TypeError):
        count + "a"


def test_measures_that_need_arrays_in_host_memory(cupy, device):
    for arguments in ({"shape": True}, {"intensity": {"a": X}}, {"intensity": X, "percentiles": 5}):
        with pytest.raises(NotImplementedError, match="copy of the array on the host"):
            voxcc.label(X, device="cuda", table=True, **arguments)
        with pytest.raises(NotImplementedError, match="copy of the array on the host"):
            voxcc.measure(Ndarray(X.astype(np.int32)), **arguments)
    with pytest.raises(NotImplementedError, match="seed_threshold"):
        voxcc.label(Ndarray(X), seed_threshold=1)
    with pytest.raises(NotImplementedError, match="voxcc.level"):
        voxcc.label(Ndarray(X), threshold="otsu")
    image = X.astype(np.float32)  # the level is computed before the copy
    np.testing.assert_array_equal(voxcc.label(image, device="cuda", threshold="otsu").labels, voxcc.label(image, threshold="otsu").labels)
