"""Volumes through pipes: stdin, stdout, FIFOs and <(...). The result must be the result for files, byte for byte."""

import fcntl
import gzip
import json
import os
import pty
import select
import signal
import subprocess
import threading
import time

import nibabel
import nrrd
import numpy as np
import pytest

from helpers import blobs, label_scipy, read_nifti, streaming_limit, write_nifti

VOLUME = blobs((20, 30, 65), 0.4, seed=3)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same volume in all formats that may come from a pipe."""
    folder = tmp_path_factory.mktemp("pipes")
    write_nifti(folder / "v.nii", VOLUME)
    write_nifti(folder / "v.nii.gz", VOLUME)
    write_nifti(folder / "two.nii.gz", VOLUME, cls=nibabel.Nifti2Image)
    nrrd.write(str(folder / "raw.nrrd"), VOLUME, {"encoding": "raw"}, index_order="C")
    nrrd.write(str(folder / "gzip.nrrd"), VOLUME, {"encoding": "gzip"}, index_order="C")
    np.save(folder / "v.npy", VOLUME)
    return folder


def run(voxcc, *arguments, stdin=None, **options):
    return subprocess.run([voxcc.program, *map(str, arguments)], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False, **options)


def passes(voxcc, *arguments, **options):
    done = run(voxcc, *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done


def error(voxcc, code, *arguments, **options):
    done = run(voxcc, *arguments, **options)
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("voxcc: error:")]
    assert done.returncode == code and len(lines) == 1 and not done.stdout, (done.returncode, done.stderr)
    return lines[0]


NAMES = ["v.nii", "v.nii.gz", "two.nii.gz", "raw.nrrd", "gzip.nrrd", "v.npy"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alias", ["-", "/dev/stdin", "/dev/fd/0"])
def test_stdin_gives_the_bytes_of_a_file(voxcc, files, tmp_path, name, alias):
    voxcc("label", files / name, "-c", 6, "-o", tmp_path / "file.nii", "--stats", tmp_path / "file.csv")
    done = passes(voxcc, "label", alias, "-c", 6, "-o", tmp_path / "pipe.nii", "--stats", tmp_path / "pipe.csv", "-v", stdin=(files / name).read_bytes())
    assert b"is copied" not in done.stderr
    for ending in ("nii", "csv"):
        assert (tmp_path / f"pipe.{ending}").read_bytes() == (tmp_path / f"file.{ending}").read_bytes()
    np.testing.assert_array_equal(read_nifti(tmp_path / "pipe.nii"), label_scipy(VOLUME, 6))


@pytest.mark.parametrize("name", NAMES)
def test_stdin_that_is_a_file(voxcc, files, tmp_path, name):
    with open(files / name, "rb") as file:
        done = subprocess.run([voxcc.program, "label", "-", "--stats", "-"], stdin=file, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.decode() == voxcc("label", files / name, "--stats", "-").stdout


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("writer", ["at once", "byte by byte"])
def test_fifo(voxcc, files, tmp_path, name, writer):
    os.mkfifo(tmp_path / "fifo")
    content = (files / name).read_bytes()

    def write():
        with open(tmp_path / "fifo", "wb", buffering=0) as fifo:
            for piece in [content] if writer == "at once" else [content[i : i + 97] for i in range(0, len(content), 97)]:
                fifo.write(piece)

    thread = threading.Thread(target=write)
    thread.start()
    done = passes(voxcc, "label", tmp_path / "fifo", "-o", tmp_path / "out.nii")
    thread.join()
    assert not done.stderr
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME, 26))


def test_process_substitution(voxcc, files, tmp_path):
    command = f"{voxcc.program} label <(zcat {files}/v.nii.gz) --mask <(cat {files}/v.nii) --intensity <(cat {files}/raw.nrrd) -o {tmp_path}/out.nii --stats -"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    expected = voxcc("label", files / "v.nii", "--mask", files / "v.nii", "--intensity", files / "raw.nrrd", "--stats", "-").stdout
    assert done.stdout.decode() == expected


@pytest.mark.parametrize("output, read", [("-", "v.nii"), ("/dev/stdout", "v.nii"), ("-.nii", "v.nii"), ("-.nii.gz", "v.nii.gz"), ("-.nrrd", "v.nrrd")])
@pytest.mark.parametrize("compress", [0, 1, 6])
def test_stdout(voxcc, files, tmp_path, output, read, compress):
    path = tmp_path / read
    done = passes(voxcc, "label", files / "v.nii", "-c", 6, "-o", output, "--compress", compress)
    path.write_bytes(done.stdout)
    labels = nrrd.read(str(path), index_order="C")[0] if read.endswith("nrrd") else read_nifti(path)
    np.testing.assert_array_equal(labels, label_scipy(VOLUME, 6))
    voxcc("label", files / "v.nii", "-c", 6, "-o", tmp_path / f"file_{read}", "--compress", compress)
    assert done.stdout == (tmp_path / f"file_{read}").read_bytes()


def test_large_stdout_has_no_index(voxcc, tmp_path):
    """The index of a large .nii.gz is written at its end, which a stream does not allow."""
    voxcc("generate", "random", "--shape", "300,300,300", "--granularity", 4, "-o", tmp_path / "v.nii")
    voxcc("label", tmp_path / "v.nii", "-o", tmp_path / "labels.nii.gz")
    done = passes(voxcc, "label", tmp_path / "v.nii", "-o", "-.nii.gz")
    assert gzip.decompress(done.stdout) == gzip.decompress((tmp_path / "labels.nii.gz").read_bytes())
    assert passes(voxcc, "compare", "-", tmp_path / "labels.nii.gz", "--exact", stdin=done.stdout).stdout.startswith(b"same labels")


def test_chain(voxcc, files, tmp_path):
    chain = (f"cat {files}/v.nii.gz | {voxcc.program} label - -c 6 -o - --stats {tmp_path}/a.csv | {voxcc.program} label - --multilabel -c 6 -o -.nii.gz"
             f" | tee {tmp_path}/b.nii.gz | {voxcc.program} stats - -o -; echo ${{PIPESTATUS[@]}}")  # fmt: skip
    done = subprocess.run(["bash", "-c", chain], capture_output=True, timeout=60, check=False)
    table, status = done.stdout.rsplit(b"\n", 2)[:2]
    assert status == b"0 0 0 0 0" and table.count(b"\n") == (tmp_path / "a.csv").read_bytes().strip().count(b"\n"), done
    np.testing.assert_array_equal(read_nifti(tmp_path / "b.nii.gz"), label_scipy(VOLUME, 6))


def test_generate_writes_to_stdout(voxcc):
    done = passes(voxcc, "generate", "blobs", "--shape", "70,60,50", "-o", "-")
    counts = passes(voxcc, "label", "-", stdin=done.stdout).stdout
    assert counts.startswith(b"-: ")


@pytest.mark.parametrize("options", [["--threshold", "otsu"], ["--json", "run.json"], ["--preview", "p.png"], ["--masked-output", "m.nii"], ["--threshold", "p50"]])
@pytest.mark.parametrize("name", ["v.nii", "v.nii.gz", "raw.nrrd", "gzip.nrrd", "v.npy"])
def test_second_pass(voxcc, files, tmp_path, options, name):
    """A volume above 1 MiB is copied to TMPDIR if it is read twice. No copy is left there."""
    volume = np.tile(VOLUME.astype(np.float32) * 3, (5, 3, 4))
    if name == "v.npy":
        np.save(tmp_path / name, volume)
    elif name.endswith("nrrd"):
        nrrd.write(str(tmp_path / name), volume, {"encoding": name[:-5]}, index_order="C")
    else:
        write_nifti(tmp_path / name, volume)
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    for folder, given in (("file", tmp_path / name), ("pipe", "-")):
        (tmp_path / folder).mkdir()
        content = (tmp_path / name).read_bytes() if given == "-" else None
        done = passes(voxcc, "label", given, *options, "-o", "out.nii", "--stats", "out.csv", "-v", stdin=content, cwd=tmp_path / folder, env=environment)
        is_copied = given == "-" and len(content) > 1 << 20
        assert (f"-: is copied to a file in {tmp_path}/tmp, because it is read more than once" in done.stderr.decode()) == is_copied
    for file in ("out.nii", "out.csv", "m.nii"):  # a preview shows the name of the file
        if (tmp_path / "file" / file).exists():
            assert (tmp_path / "pipe" / file).read_bytes() == (tmp_path / "file" / file).read_bytes()
    if options[0] == "--json":
        records = [json.loads((tmp_path / folder / "run.json").read_text())["inputs"][0] for folder in ("file", "pipe")]
        assert records[1]["path"] == "-" and records[0]["sha256"] == records[1]["sha256"] and records[0]["bytes"] == records[1]["bytes"]
    assert not list((tmp_path / "tmp").iterdir())


def test_streamed_in_slabs(voxcc, tmp_path):
    voxcc("generate", "random", "--shape", "128,128,128", "--granularity", 2, "-o", tmp_path / "v.nii")
    limit = streaming_limit(voxcc, "label", tmp_path / "v.nii", "-o", "x.nii", cwd=tmp_path)
    voxcc("label", tmp_path / "v.nii", "-o", tmp_path / "file.nii")
    done = passes(voxcc, "label", "-", *limit, "-v", "-o", tmp_path / "pipe.nii", stdin=(tmp_path / "v.nii").read_bytes())
    assert b"is copied" in done.stderr and (tmp_path / "pipe.nii").read_bytes() == (tmp_path / "file.nii").read_bytes()


def test_commands(voxcc, files):
    content = (files / "v.nii.gz").read_bytes()
    for command in (["info", "-", "--json"], ["verify", "-"], ["stats", "-", "-o", "-"], ["stats", "-", "--intensity", files / "v.nii", "-o", "-"], ["compare", "-", files / "v.nii"]):
        expected = voxcc(*[files / "v.nii.gz" if word == "-" and command[at - 1] != "-o" else word for at, word in enumerate(command)]).stdout
        assert passes(voxcc, *command, stdin=content).stdout.decode().replace("-:", f"{files}/v.nii.gz:").replace('"-"', f'"{files}/v.nii.gz"') == expected


def test_4d(voxcc, tmp_path):
    four = np.stack([VOLUME, np.roll(VOLUME, 5, 2), 1 - VOLUME])
    nibabel.save(nibabel.Nifti1Image(four.T, np.eye(4)), tmp_path / "four.nii.gz")
    content = (tmp_path / "four.nii.gz").read_bytes()
    for volume in range(3):
        passes(voxcc, "label", "-", "--volume", volume, "-f", "-o", tmp_path / "out.nii", stdin=content)
        np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(four[volume], 26))
    passes(voxcc, "label", "-", "--volume", "all", "-o", tmp_path / "{stem}_{volume}.nii", stdin=content)
    np.testing.assert_array_equal(read_nifti(tmp_path / "stdin_2.nii"), label_scipy(four[2], 26))
    passes(voxcc, "verify", "-", stdin=content)
    assert "choose one with --volume 0..2" in error(voxcc, 64, "label", "-", stdin=content)


def test_truncated_and_extra_bytes(voxcc, files):
    for name in NAMES:
        content = (files / name).read_bytes()
        for length in (0, 1, 100, 345, len(content) // 2, len(content) - 1):
            message = error(voxcc, 65, "label", "-", stdin=content[:length])
            assert message.startswith("voxcc: error: -: "), message
        if "gz" not in name:
            assert b"9 bytes after the voxels are ignored" in passes(voxcc, "label", "-", stdin=content + b"123456789").stderr


def test_corrupt_gzip(voxcc, files):
    content = bytearray((files / "v.nii.gz").read_bytes())
    content[-6] ^= 1
    error(voxcc, 65, "label", "-", stdin=bytes(content))


def test_hostile_headers(voxcc, tmp_path):
    """The length of a pipe is unknown, so a header that claims too much ends in an error of data or memory."""
    header = nibabel.Nifti2Header()
    header.set_data_dtype(np.uint8)
    header["magic"] = b"n+2\0\r\n\x1a\n"
    header["vox_offset"] = 544
    for shape, code in (((1 << 20, 1 << 20, 1 << 20), (65, 71)), ((1 << 40, 1 << 40, 1 << 40), (65,)), ((1 << 10, 1 << 10, 1 << 9), (65,))):
        header["dim"] = [3, *shape, 1, 1, 1, 1]
        done = run(voxcc, "label", "-", stdin=bytes(header.binaryblock) + bytes(100))
        assert done.returncode in code and done.stderr.count(b"voxcc: error:") == 1, done
    text = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 9999999 9999999 9999999\nencoding: raw\n"
    for content in (text, text + "\n", text + "\nabc", "NRRD0004\n" + "# no end\n" * 3_000_000):
        done = run(voxcc, "label", "-", stdin=content.encode())
        assert done.returncode in (65, 71) and done.stderr.count(b"voxcc: error:") == 1, done
    numpy = np.lib.format
    path = tmp_path / "huge.npy"
    with open(path, "wb") as file:
        numpy.write_array_header_1_0(file, {"descr": "<u2", "fortran_order": False, "shape": (1 << 30, 1 << 30, 1 << 30)})
    assert run(voxcc, "label", "-", stdin=path.read_bytes()).returncode in (65, 71)


def test_refused_in_pipes(voxcc, files, tmp_path):
    voxcc("label", files / "v.nii", "-o", tmp_path / "v.tif")
    voxcc("label", files / "v.nii", "-o", tmp_path / "v.h5")
    for name in ("v.tif", "v.h5"):
        assert "write the data to a file" in error(voxcc, 65, "label", "-", stdin=(tmp_path / name).read_bytes())
    nibabel.save(nibabel.Nifti1Pair(VOLUME.T, np.eye(4)), tmp_path / "pair.hdr")
    assert "header of a pair" in error(voxcc, 65, "label", "-", stdin=(tmp_path / "pair.hdr").read_bytes())
    detached = "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\nencoding: raw\ndata file: /etc/passwd\n\n"
    assert "names a data file" in error(voxcc, 65, "label", "-", "--allow-external", stdin=detached.encode())
    assert "--reader voxcc" in error(voxcc, 64, "label", "-", "--reader", "itk", stdin=(files / "v.nii").read_bytes())


def test_mistakes(voxcc, files, tmp_path):
    content = (files / "v.nii").read_bytes()
    assert "empty" in error(voxcc, 65, "label", "-", stdin=b"")
    assert "empty" in error(voxcc, 65, "info", "/dev/stdin", stdin=b"")
    for other in (["--mask", "-"], ["--stats", "t.csv", "--intensity", "/dev/stdin"], ["--stats", "t.csv", "--intensity", "a=/proc/self/fd/0"], ["--threshold", "otsu", "--threshold-from", "-"]):
        assert "named twice" in error(voxcc, 64, "label", "-", *other, stdin=content)
    assert "named twice" in error(voxcc, 64, "label", "-", "-", stdin=content)
    assert "named twice" in error(voxcc, 64, "compare", "-", "/dev/stdin", stdin=content)
    assert "named twice" in error(voxcc, 64, "stats", "-", "--intensity", "-", "-o", "-", stdin=content)
    assert "list of inputs is read from stdin" in error(voxcc, 64, "label", "-", "--list", "-", stdin=b"a.nii\n")
    for outputs in (["-o", "-", "--stats", "-"], ["-o", "-.nii.gz", "--json", "-"], ["-o", "-", "--mask-output", "-.nrrd"], ["-o", "/dev/stdout", "--contacts", "-", "-c", "6"]):
        assert "cannot share stdout" in error(voxcc, 64, "label", files / "v.nii", *outputs)
    assert "single file" in error(voxcc, 64, "label", files / "v.nii", files / "v.nii.gz", "-o", "-")
    assert "--preview" in error(voxcc, 64, "label", files / "v.nii", "--preview", "-")
    for name in ("-.h5", "-.tif", "-x"):
        error(voxcc, 64, "label", files / "v.nii", "-o", name)
    assert not list(tmp_path.iterdir())


def test_input_is_never_overwritten(voxcc, files, tmp_path):
    content = (files / "v.nii").read_bytes()
    (tmp_path / "v.nii").write_bytes(content)
    with open(tmp_path / "v.nii", "rb") as file:
        assert subprocess.run([voxcc.program, "label", "-", "-f", "-o", tmp_path / "v.nii"], stdin=file, capture_output=True, check=False).returncode == 73
    with open(tmp_path / "v.nii", "r+b") as file:
        assert subprocess.run([voxcc.program, "label", tmp_path / "v.nii", "-o", "-"], stdout=file, stderr=subprocess.PIPE, check=False).returncode == 73
    assert (tmp_path / "v.nii").read_bytes() == content


def test_stdout_that_does_not_block(voxcc, tmp_path):
    volume = (np.random.default_rng(1).random((60, 60, 60)) < 0.1).astype(np.uint8)
    nibabel.save(nibabel.Nifti1Image(volume, np.eye(4)), tmp_path / "v.nii")
    for output in (["-o", "-"], ["--stats", "-"], ["--help"]):
        command = [voxcc.program, "label", tmp_path / "v.nii", *output]
        expected = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        assert len(expected) > 4096
        read_end, write_end = os.pipe()
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(write_end, False)
        with subprocess.Popen(command, stdout=write_end, stderr=subprocess.PIPE) as process:
            end = time.monotonic() + 60
            while select.select([], [write_end], [], 0)[1] and time.monotonic() < end:  # until the pipe is full
                time.sleep(0.01)
            time.sleep(0.1)
            os.close(write_end)
            with open(read_end, "rb") as pipe:
                printed = pipe.read()
            assert process.wait(timeout=60) == 0, process.stderr.read()
        assert printed == expected


def test_terminal(voxcc, files):
    leader, terminal = pty.openpty()
    done = subprocess.run([voxcc.program, "label", "-"], stdin=terminal, capture_output=True, timeout=20, check=False)
    assert done.returncode == 66 and b"stdin is a terminal" in done.stderr
    done = subprocess.run([voxcc.program, "label", files / "v.nii", "-o", "-"], stdout=terminal, stderr=subprocess.PIPE, timeout=20, check=False)
    assert done.returncode == 73 and b"stdout is a terminal" in done.stderr
    os.close(leader)
    os.close(terminal)


def test_closed_and_full_stdout(voxcc, files):
    command = f"{voxcc.program} label {files}/v.nii -o - "
    shell = lambda end: subprocess.run(["bash", "-c", command + end], capture_output=True, timeout=20, check=False)  # noqa: E731
    done = shell("| true; exit ${PIPESTATUS[0]}")
    assert done.returncode in (0, 74) and not done.stderr  # quiet, as `head` ends on purpose
    done = shell(">&-")
    assert done.returncode == 74 and done.stderr.startswith(b"voxcc: error: stdout: cannot write")
    done = shell("> /dev/full")
    assert done.returncode == 74 and done.stderr.startswith(b"voxcc: error: stdout: cannot write: No space left")
    done = subprocess.run(["bash", "-c", f"{voxcc.program} label - <&-"], capture_output=True, timeout=20, check=False)
    assert done.returncode == 65 and b"empty" in done.stderr


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_signals_leave_no_copy(voxcc, tmp_path, number, code):
    """The copy in TMPDIR has no name, so it disappears with the process, also when the process is killed."""
    (tmp_path / "tmp").mkdir()
    header = nibabel.Nifti1Image(np.zeros((256, 256, 200), np.uint8), np.eye(4))
    content = header.to_bytes()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    command = [voxcc.program, "label", "-", "--threshold", "otsu", "-o", tmp_path / "out.nii"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        process.stdin.write(content[:10_000_000])
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(number)
        assert process.wait(10) == code
    assert [path.name for path in tmp_path.iterdir()] == ["tmp"] and not list((tmp_path / "tmp").iterdir())


def test_tmpdir_that_does_not_exist(voxcc, tmp_path):
    content = nibabel.Nifti1Image(np.zeros((256, 256, 40), np.uint8), np.eye(4)).to_bytes()
    message = error(voxcc, 73, "label", "-", "--threshold", "otsu", stdin=content, env={**os.environ, "TMPDIR": str(tmp_path / "absent")})
    assert "TMPDIR" in message


def test_memory_of_one_pass(voxcc, tmp_path):
    """A long pipe that is read once is neither kept in memory nor copied."""
    voxcc("generate", "checkerboard", "--shape", "512,512,400", "-o", tmp_path / "v.nii.gz")
    command = f"zcat {tmp_path}/v.nii.gz | bash -c 'ulimit -v 3000000; exec {voxcc.program} label - -t 2 -v'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=120, check=False)
    assert done.returncode == 0 and b"is copied" not in done.stderr, done.stderr


def test_gzip_members(voxcc, files, tmp_path):
    content = (files / "v.nii").read_bytes()
    joined = b"".join(gzip.compress(content[i : i + 10_000]) for i in range(0, len(content), 10_000))
    passes(voxcc, "label", "-", "-o", tmp_path / "out.nii", stdin=joined)
    np.testing.assert_array_equal(read_nifti(tmp_path / "out.nii"), label_scipy(VOLUME, 26))
