"""The module in its process: threads, fork, signals, memory, leaks, environment."""

import ctypes
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import voxcc
from arrays import random_array

X = random_array(1, (96, 128, 160), "u1", 1, 0.3)


def run(code, **options):
    """Runs a program in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **options)
    return done.returncode, done.stdout, done.stderr


def test_number_of_threads():
    assert voxcc.get_threads() >= 1
    expected = voxcc.label(X, table=True)
    before = voxcc.get_threads()
    try:
        for threads in (1, 3, 8):
            voxcc.set_threads(threads)
            assert voxcc.get_threads() == voxcc.capabilities()["threads"] == threads
            for result in (voxcc.label(X, table=True), voxcc.label(X, table=True, threads=threads)):
                np.testing.assert_array_equal(result.labels, expected.labels)
                np.testing.assert_array_equal(result.table["cov_01"], expected.table["cov_01"])
    finally:
        voxcc.set_threads(None)
    assert voxcc.get_threads() == before


def test_threads_of_the_environment():
    for text, expected in [("3", "3\n"), ("", f"{voxcc.get_threads()}\n")]:
        code, out, _ = run("import voxcc; print(voxcc.get_threads())", env={**os.environ, "VOXCC_THREADS": text})
        assert (code, out) == (0, expected)
    for text in ("0", "x", "-1", "2.5"):
        code, _, error = run("import voxcc", env={**os.environ, "VOXCC_THREADS": text})
        assert code == 1 and "ValueError: the environment variable VOXCC_THREADS" in error


def test_many_python_threads():
    arrays = [random_array(seed, (40, 50, 60), "u1", 2, 0.4) for seed in range(16)]
    expected = [voxcc.label(x, values=True, threads=1) for x in arrays]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            results = list(pool.map(lambda x: voxcc.label(x, values=True, threads=4, table=True), arrays))
            for a, b in zip(results, expected):
                np.testing.assert_array_equal(a.labels, b.labels)


def test_other_python_threads_run_during_a_call():
    large = np.tile(X, (4, 4, 1))
    steps = 0
    done = threading.Event()

    def work():
        voxcc.label(large, threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        steps += 1
        time.sleep(0)
    thread.join()
    assert steps > 10  # with the GIL held, this loop would not run until the call returns


def label_in_child(queue):
    queue.put(voxcc.label(X, threads=2).count)


def test_fork_after_use():
    expected = voxcc.label(X, threads=2).count
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        queue = context.Queue()
        child = context.Process(target=label_in_child, args=(queue,))
        child.start()
        assert queue.get(timeout=60) == expected
        child.join(60)
        assert child.exitcode == 0
    assert voxcc.label(X, threads=2).count == expected


def test_fork_during_calls():
    stop = threading.Event()
    expected = voxcc.label(X, threads=2).count

    def work():
        while not stop.is_set():
            voxcc.label(X, threads=2)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            time.sleep(0.01)
            pid = os.fork()
            if pid == 0:
                signal.alarm(30)
                os._exit(0 if voxcc.label(X, threads=2).count == expected else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


INTERRUPTED = """
import os, signal, threading, time
import numpy as np, voxcc
signal.signal(signal.SIGINT, signal.default_int_handler)   # shells start background commands with SIGINT ignored
x = np.broadcast_to(np.ones(1, np.uint8), (4000, 4000, 4000))[:, ::2, ::-1]   # no memory for the voxels, minutes of work
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 20, voxcc.label(np.eye(3)).count)
"""


@pytest.mark.parametrize("call", ["voxcc.measure(x, threads=2)", "voxcc.contacts(x, 6)", "voxcc.measure(x, intensity=x)",
                                  "voxcc.label(x[:, :, :1000], 6, threads=2)"])  # fmt: skip
def test_keyboard_interrupt(call):
    assert run(INTERRUPTED.format(call=call)) == (0, "interrupted True 1\n", "")


def test_out_of_memory():
    limited = f"""
import resource
import numpy as np, voxcc
resource.setrlimit(resource.RLIMIT_AS, ({2 * 10**9}, {2 * 10**9}))
x = np.broadcast_to(np.ones(1, np.uint8), (3000, 3000, 3000))
try:
    voxcc.label(x, threads=1)
except MemoryError as error:
    print("memory", voxcc.label(np.eye(3)).count)
"""
    assert run(limited) == (0, "memory 1\n", "")


SUB_INTERPRETER = """
import importlib, sys
try:
    interpreters = importlib.import_module("_interpreters")
except ImportError:
    interpreters = importlib.import_module("_xxsubinterpreters")
import numpy as np
{before}
code = '''
import sys
sys.path[:] = %r
try:
    import voxcc
except ImportError as error:
    print(error, flush=True)
''' % (sys.path,)
one = interpreters.create()
interpreters.run_string(one, code)
interpreters.destroy(one)
import voxcc
print(voxcc.label(np.eye(3), table=True).table["voxels"])
"""


@pytest.mark.parametrize("before", ("", "import voxcc"))
def test_sub_interpreters_are_refused(before):
    """The import fails there, before the module is loaded. The main interpreter is not affected."""
    code, out, error = run(SUB_INTERPRETER.format(before=before))
    message = "voxcc does not support sub-interpreters; import it in the main interpreter, or use processes or threads"
    assert (code, out.splitlines()) == (0, [message, "[3]"]), error


def test_no_leaks_at_exit():
    code = "import numpy as np, voxcc; voxcc._core.report_leaks(); r = voxcc.label(np.eye(9), table=True, threads=2); voxcc.measure(r.labels); voxcc.contacts(r.labels)"
    assert run(code) == (0, "", "")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_does_not_grow():
    trim = ctypes.CDLL(None).malloc_trim
    x = random_array(2, (12, 13, 14), "f4", 2, 0.4)
    labels = voxcc.label(x).labels

    def calls(count):
        for _ in range(count):
            voxcc.label(x, values=True, table=True, intensity=x, mask=x, min_size=2)
            voxcc.measure(labels, intensity=x, spacing=1)
            voxcc.contacts(labels)
            voxcc.keep_largest(x)
            try:
                voxcc.label(x, dtype="u1", values=True)
                voxcc.label(x, out=x)
            except ValueError:
                pass

    calls(300)
    trim(0)
    before = resident()
    calls(2000)  # 10,000 calls of the engine
    trim(0)
    assert resident() - before < 2_000_000  # a leak of 200 bytes per call


def test_results_own_their_memory():
    result = voxcc.label(X, table=True)
    column = result.table["voxels"]
    total, labels = column.sum(), result.labels[5:10]
    expected = labels.copy()
    del result
    for _ in range(3):
        voxcc.label(X[::-1], table=True)
    assert column.sum() == total
    np.testing.assert_array_equal(labels, expected)


# The process ends while threads are inside calls. Python ends such threads, or lets them wait, but the process must exit normally.
BUSY = """
import ctypes, _thread, multiprocessing.pool, os, signal, sys, threading, time
import numpy as np, voxcc, voxcc.cc3d, voxcc.scipy
x = (np.random.default_rng(1).random((64, 96, 128)) < 0.3).astype("u1")
labels = voxcc.label(x).labels
def work(*_):
    while True:
        {call}
{start}
time.sleep({seconds})
print("end", flush=True)
"""
CALLS = ["voxcc.label(x, table=True)", "voxcc.label(x, threads=1)", "voxcc.measure(labels, intensity=x)", "voxcc.keep_largest(x)",
         "voxcc.contacts(labels)", "voxcc.scipy.label(x)", "voxcc.cc3d.statistics(labels)"]  # fmt: skip
STARTS = {
    "daemon threads": "for _ in range(4): threading.Thread(target=work, daemon=True).start()",
    "low-level threads": "for _ in range(4): _thread.start_new_thread(work, ())",
    "thread pool": "pool = multiprocessing.pool.ThreadPool(4); pool.map_async(work, range(8))",
    # as a worker of Qt: a thread that Python has not started calls a Python function
    "foreign thread": "callback = ctypes.CFUNCTYPE(None)(work); ctypes.CDLL(None).pthread_create("
                      "ctypes.byref(ctypes.c_ulong()), None, callback, None)",
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_exit_during_calls_of_daemon_threads(call):
    for seconds in (0.05, 0.11, 0.16):
        assert run(BUSY.format(call=call, start=STARTS["daemon threads"], seconds=seconds)) == (0, "end\n", "")


@pytest.mark.parametrize("start", STARTS)
def test_exit_during_calls(start):
    for call in CALLS[:3]:
        assert run(BUSY.format(call=call, start=STARTS[start], seconds=0.1)) == (0, "end\n", "")


@pytest.mark.parametrize("daemon", [True, False])
def test_interrupted_join(daemon):
    start = f"""
signal.signal(signal.SIGINT, signal.default_int_handler)
thread = threading.Thread(target=work, daemon={daemon})
thread.start()
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    thread.join()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    ended = True
"""
    code = BUSY.format(call="voxcc.measure(labels, intensity=x)", start=start, seconds=0)
    if not daemon:  # Python waits for the thread
        code = code.replace("while True", "while 'ended' not in globals()")
    assert run(code) == (0, "interrupted\nend\n", "")
