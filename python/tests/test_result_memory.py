"""Results in memory of results that were freed: which arrays share memory, and that none that is in use is written again."""

import gc
import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import voxcc
import voxcc.cc3d
from arrays import random_array
from voxcc import _core

X = random_array(1, (220, 200, 200), "u1", 1, 0.3)  # labels of 35 MB


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture(autouse=True)
def no_kept_memory():
    gc.collect()
    voxcc.clear_cache()
    yield
    voxcc.clear_cache()


def test_memory_of_a_freed_result_is_used_again():
    labels = voxcc.label(X).labels
    expected, first = labels.copy(), address(labels)
    del labels
    for layout in (X, np.asfortranarray(X)):
        again = voxcc.label(layout).labels
        assert address(again) == first
        assert again.flags.f_contiguous == (layout is not X) and again.flags.writeable
        np.testing.assert_array_equal(again, expected)
        del again


def test_views_keep_the_memory():
    labels = voxcc.label(X, 6).labels
    view, copy = labels[100:102, ::2], labels[100:102, ::2].copy()
    del labels
    others = [voxcc.label(X, 26).labels for _ in range(3)]
    assert len({address(other) for other in others}) == 3
    np.testing.assert_array_equal(view, copy)


def test_sizes_that_differ_much_do_not_share_memory():
    labels = voxcc.label(X, dtype=np.uint64).labels
    first = address(labels)
    del labels
    half = voxcc.label(X).labels  # half as many bytes: most of the piece would not be used
    assert address(half) != first


def test_filters_use_the_memory():
    bits = X != 0
    big = np.tile(bits, (4, 1, 1))
    kept = voxcc.remove_small(big, 5)
    expected, first = kept.copy(), address(kept)
    del kept
    again = voxcc.cc3d.dust(big, 5)
    assert address(again) == first
    np.testing.assert_array_equal(again, expected)


def test_clear_cache_returns_the_memory():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    voxcc.label(X)
    before = resident()
    voxcc.clear_cache()
    assert before - resident() > 30e6


def test_many_threads():
    expected = {n: voxcc.label(X, n, threads=1).labels.copy() for n in (6, 26)}

    def check(n):
        for _ in range(4):
            np.testing.assert_array_equal(voxcc.label(X, n, threads=1).labels, expected[n])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(check, (6, 26, 6, 26)))


def _labels_of_child(connection):
    labels = voxcc.label(X, 6).labels
    connection.send((address(labels), int(labels.max())))


def test_fork():
    """A child has its own copy of a kept piece, and the parent keeps its values."""
    first = address(voxcc.label(X).labels)
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_labels_of_child, args=(there,))
    labels = voxcc.label(X).labels
    copy = labels.copy()
    child.start()
    _, most = here.recv()
    child.join()
    assert child.exitcode == 0 and address(labels) == first
    assert most == voxcc.label(X, 6).labels.max()
    np.testing.assert_array_equal(labels, copy)


def test_a_size_that_no_system_has():
    assert _core.result_memory(2**63) is None
