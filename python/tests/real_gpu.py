"""Arrays of CuPy and PyTorch on a real CUDA device, for the tests of test_gpu*.py."""

import os

import numpy as np
import pytest
import scipy.ndimage
import voxcc

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
needs_gpu = pytest.mark.skipif(bool(voxcc._core.why_no_cuda(0)), reason=f"GPU tests: {voxcc._core.why_no_cuda(0)}")

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


def expected(x, connectivity):
    reach = {None: 1, 4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[connectivity]
    return scipy.ndimage.label((x != 0) & (x == x), scipy.ndimage.generate_binary_structure(x.ndim, reach))


def check(arrays, x, connectivity):
    labels, count = voxcc.label(arrays.put(x), connectivity)
    want, number = expected(x, connectivity)
    np.testing.assert_array_equal(arrays.get(labels), want)
    assert count == number
