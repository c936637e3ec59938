"""voxcc.dask: the results for any chunks against voxcc.label() and scipy; graphs, workers, memory."""

import inspect
import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage
import voxcc
from arrays import arrays, random_array
from hypothesis import given, settings
from hypothesis import strategies as st

dask = pytest.importorskip("dask", reason="voxcc.dask needs dask")
da = pytest.importorskip("dask.array")

import voxcc.dask  # noqa: E402

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "dask" / "label_zarr.py"


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def chunks_of(shape, data):
    """Random chunks, also of lengths 0 and 1."""
    result = []
    for length in shape:
        cuts = data.draw(st.lists(st.integers(0, length), max_size=4))
        result.append(tuple(end - begin for begin, end in itertools.pairwise([0, *sorted(cuts), length])))
    return tuple(result)


def check(result, expected):
    """Compares values, types and names. @param result, expected results of voxcc.dask.label() and voxcc.label()"""
    labels, count, table = dask.compute(result.labels, result.count, result.table)
    assert labels.dtype == result.labels.dtype == expected.labels.dtype
    np.testing.assert_array_equal(labels, expected.labels)
    assert count == expected.count and isinstance(count, int)
    assert (table is None) == (expected.table is None)
    if table is not None:
        assert list(table) == list(expected.table)
        for name, column in expected.table.items():
            assert table[name].dtype == column.dtype and table[name].tobytes() == column.tobytes(), name


@settings(max_examples=30)
@given(arrays(), st.data())
def test_any_chunks_give_the_result_of_voxcc_label(x, data):
    connectivity = data.draw(st.sampled_from([None, *range(1, x.ndim + 1)]))
    table = data.draw(st.booleans())
    options = {
        "values": data.draw(st.booleans()),
        "periodic": data.draw(st.one_of(st.booleans(), st.lists(st.integers(-x.ndim, x.ndim - 1), max_size=2))),
        "min_size": data.draw(st.sampled_from([0, 0, 2])),
        "keep_largest": data.draw(st.sampled_from([None, None, 1, 3])),
        "ties": data.draw(st.sampled_from(["first", "last", "all"])),
        "spacing": data.draw(st.sampled_from([None, 3])) if table else None,
        "table": table,
    }
    chunks = chunks_of(x.shape, data)
    result = voxcc.dask.label(da.from_array(x, chunks=chunks), connectivity, **options)
    assert result.labels.chunks == chunks
    check(result, voxcc.label(np.ascontiguousarray(x), connectivity, **options))  # axis_1 differs in the last bit between layouts


@settings(max_examples=20)
@given(arrays(types=["?", "u1", "i4"]), st.data())
def test_numbers_of_scipy(x, data):
    reach = data.draw(st.integers(1, x.ndim))
    labels, count = voxcc.dask.label(da.from_array(x, chunks=chunks_of(x.shape, data)), reach)
    x = x.astype(x.dtype.newbyteorder("="))  # scipy does not read other byte orders
    expected, n = scipy.ndimage.label(x, scipy.ndimage.generate_binary_structure(x.ndim, reach))
    assert count.compute() == n
    np.testing.assert_array_equal(labels.compute(), expected)


X = random_array(3, (20, 21, 22), "u1", 1, 0.3)
EXPECTED = voxcc.label(X, table=True)
SOURCES = {
    "chunks of one voxel": lambda: da.from_array(X[:3, :4, :5], chunks=1),
    "one chunk": lambda: da.from_array(X, chunks=-1),
    "rechunked": lambda: da.from_array(X, chunks=8).rechunk((3, 8, 22)),
    "overlapping": lambda: da.from_array(X, chunks=11).map_overlap(lambda block: block, depth=1, boundary=0),
    "persisted": lambda: da.from_array(X, chunks=8).persist(),
    "computed": lambda: da.from_array(X, chunks=8) + 1 > 1,
    "concatenated": lambda: da.concatenate([da.from_array(X[:7], chunks=9), da.from_array(X[7:], chunks=13)]),
    "reversed twice": lambda: da.from_array(X[::-1], chunks=8)[::-1],
    "delayed": lambda: da.from_delayed(dask.delayed(np.copy)(X), X.shape, X.dtype),
    "Fortran blocks": lambda: da.from_array(X, chunks=8).map_blocks(np.asfortranarray),
    "with a delayed scalar": lambda: da.from_array(X, chunks=8) > da.from_delayed(dask.delayed(float)(0.5), (), float),
}


@pytest.mark.parametrize(("source", "optimised"), [*((source, True) for source in SOURCES), ("computed", False), ("rechunked", False)])
def test_every_kind_of_array(source, optimised):
    x = SOURCES[source]()
    expected = EXPECTED if x.shape == X.shape else voxcc.label(X[:3, :4, :5], table=True)
    result = voxcc.dask.label(x, table=True).compute(optimize_graph=optimised)
    assert result == expected
    assert result.table["cov_02"].tobytes() == expected.table["cov_02"].tobytes()


def test_no_voxels():
    x = da.zeros((4, 0, 3), chunks=((1, 3), 0, 3), dtype=bool)
    result = voxcc.dask.label(x, table=True, spacing=2)
    assert result.labels.chunks == x.chunks
    check(result, voxcc.label(np.zeros((4, 0, 3), bool), table=True, spacing=2))


def test_types_of_labels():
    assert voxcc.dask.label(da.zeros((2**11,) * 3, dtype=bool, chunks=512)).labels.dtype == np.uint32
    assert voxcc.dask.label(da.zeros((2**11,) * 3, dtype=bool, chunks=512), values=True).labels.dtype == np.uint64
    assert voxcc.dask.label(da.zeros((2**11, 2**11, 2**11 - 1), dtype=bool, chunks=512), 6).labels.dtype == np.uint32
    assert voxcc.dask.label(da.zeros((2**11, 2**11, 2**12), dtype=bool, chunks=512), 6).labels.dtype == np.uint64
    x = da.from_array(np.arange(600) % 2, chunks=100)
    labels = voxcc.dask.label(x, dtype="i2").labels
    assert labels.dtype == labels.compute().dtype == np.int16 and labels.max().compute() == 300
    with pytest.raises(ValueError, match="300 components"):
        voxcc.dask.label(x, dtype="u1").labels.compute()


def test_chunks_are_read_again_after_the_components_are_numbered(monkeypatch):
    """So no chunk is in memory while the components are numbered."""
    number = voxcc.blocks.number
    read = []

    def read_block(block_id):
        read.append(block_id)
        return np.ones((2, 2, 2), np.uint8)

    def number_after_reading(*arguments, **options):
        assert sorted(read) == sorted(set(read)) and len(read) == 8
        return number(*arguments, **options)

    monkeypatch.setattr(voxcc.blocks, "number", number_after_reading)
    x = da.map_blocks(read_block, chunks=((2,) * 2,) * 3, dtype=np.uint8, meta=np.empty((0,) * 3, np.uint8))
    labels, count = voxcc.dask.label(x)
    dask.compute(labels, count)
    assert len(read) == 16 and len(set(read)) == 8


def test_persisted_chunks_are_not_copied():
    x = da.from_array(X, chunks=8).map_blocks(np.copy).persist()
    layers = voxcc.dask.label(x).labels.dask.layers
    (again,) = (layer for name, layer in layers.items() if name.startswith("again-"))
    assert len(again) == 27 and {type(task).__name__ for task in again.values()} == {"Alias"}


def test_changed_voxels_are_an_error():
    calls = itertools.count()

    def changing():
        return np.arange(8) % 2 if next(calls) == 0 else np.zeros(8, int)

    x = da.from_delayed(dask.delayed(changing, pure=False)(), (8,), int)
    with pytest.raises(ValueError, match="there are 4, but the array has 0 components"):
        voxcc.dask.label(x).labels.compute()


def test_labelling_many_blocks_makes_no_tasks():
    """The client makes a fixed number of layers, and no tasks before the graph is executed."""
    graphs = []
    for edge in (2, 100):
        x = da.zeros((edge,) * 3, chunks=1, dtype=np.uint8)
        graphs.append(voxcc.dask.label(x, table=True).labels.dask)
    assert [len(graph.layers) for graph in graphs] == [len(graphs[0].layers)] * 2
    assert len(graphs[0].layers) <= 8
    assert not any(layer.is_materialized() for graph in graphs for layer in graph.layers.values())
    assert len(dict(graphs[0])) <= 7 * 8


def test_equal_arguments_give_equal_keys():
    x = da.from_array(X, chunks=8)
    a, b, other = voxcc.dask.label(x), voxcc.dask.label(x), voxcc.dask.label(x, 6)
    assert a.labels.name == b.labels.name != other.labels.name
    assert a.count.key == b.count.key != other.count.key


def test_arguments():
    x = da.from_array(X, chunks=8)
    unknown = x.ravel()[x.ravel() > 0]
    for arguments, error, message in [
        ((X,), TypeError, "it must be a Dask array"),
        ((unknown,), ValueError, "unknown sizes"),
        ((x.astype(complex),), TypeError, "complex"),
        ((da.zeros((2, 2, 2, 2)),), voxcc.DimensionError, "4 dimensions"),
        ((x, 5), ValueError, "connectivity is 5"),
        ((da.zeros((2**31 + 1,), chunks=2**30, dtype="u1"),), ValueError, "at most 2\\^31"),
    ]:
        with pytest.raises(error, match=message):
            voxcc.dask.label(*arguments)
    for options, message in [({"ties": "random"}, "ties"), ({"min_size": -1}, "min_size"), ({"spacing": 2}, "add table=True"),
                             ({"keep_largest": -1}, "keep_largest"), ({"periodic": 3}, "periodic"), ({"threads": 0}, "threads"),
                             ({"dtype": float}, "labels must be integers"), ({"dtype": "min"}, "not known before")]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            voxcc.dask.label(x, **options)


def test_import_of_voxcc_does_not_import_dask():
    code = "import sys, voxcc, voxcc.blocks; assert not any(name.split('.')[0] in ('dask', 'distributed') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_options_are_options_of_voxcc_label():
    own = inspect.signature(voxcc.dask.label).parameters
    native = inspect.signature(voxcc.label).parameters
    assert set(own) <= set(native)
    assert {name for name in own if own[name].default != native[name].default} == {"threads"}


def forget_once(path):
    """Ends the process that runs it, but only the first time."""
    import os

    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os._exit(1)


def test_workers_that_end_change_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")

    def fail_in_one_block(block, path, block_id):
        if block_id == (1, 1, 2):
            forget_once(path)
        return block

    x = da.from_array(X, chunks=8).map_blocks(fail_in_one_block, path=str(tmp_path / "forgotten"), dtype=X.dtype, meta=X[:0, :0, :0])
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster, distributed.Client(cluster):
        with dask.config.set(scheduler=None):
            check(voxcc.dask.label(x, table=True), EXPECTED)
            assert (tmp_path / "forgotten").exists()
            check(voxcc.dask.label(da.from_array(X, chunks=8).persist(), table=True), EXPECTED)


def test_example_with_zarr(tmp_path):
    """The example labels a Zarr array with two processes, and each chunk of the labels is written."""
    zarr = pytest.importorskip("zarr")
    source = zarr.create_array(store=tmp_path / "image.zarr", shape=X.shape, chunks=(7, 8, 9), dtype="u1")
    source[:] = X
    command = [sys.executable, EXAMPLE, "image.zarr", "labels.zarr", "table.csv", "--local", "--min-size", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    expected = voxcc.label(X, min_size=2, table=True)
    assert done.stdout == f"{expected.count} components\n"
    labels = zarr.open_array(tmp_path / "labels.zarr", mode="r")
    assert labels.chunks == (7, 8, 9)
    np.testing.assert_array_equal(labels[:], expected.labels)
    header, *rows = (tmp_path / "table.csv").read_text().splitlines()
    assert header.split(",") == list(expected.table)
    assert [int(row.split(",")[1]) for row in rows] == expected.table["voxels"].tolist()


@pytest.mark.long
def test_benchmark(tmp_path):
    """The benchmark counts the components of its volume, and ends a run that exceeds a limit."""
    for package in ("psutil", "dask_image", "zarr", "distributed"):
        pytest.importorskip(package, reason=f"SKIPPED: lab/dask_peers.py: {package} is not installed")
    command = [sys.executable, EXAMPLE.parents[2] / "lab" / "dask_peers.py", "--size", "48", "--chunk", "24", "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert re.search(r"^48\^3 voxels in chunks of 24\^3, [1-9][0-9]* components, 2 workers$", done.stdout, re.MULTILINE)
    assert re.findall(r"^\| ([a-z-]+) \|", done.stdout, re.MULTILINE) == ["voxcc", "dask-image"]
    command += ["--only", "voxcc", "--memory-limit", "0.001"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert re.search(r"^\| voxcc \| ended after .* MB in all processes \|", done.stdout, re.MULTILINE)
