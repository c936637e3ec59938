"""Rows 30 to 34 and 62: files that lead to other files, hostile names, inputs that are not files, and the end of HDF5."""

import json
import os
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from cases import VOLUME, files_in, is_labelled, make
from helpers import write_nifti

SECRET = "secret.bin"


def hdf5_kinds(folder):
    """Files whose dataset /volume lies in another file, by kind."""
    (folder / SECRET).write_bytes(VOLUME.tobytes())
    with h5py.File(folder / "other.h5", "w") as file:
        file["volume"] = VOLUME
        file["group/volume"] = VOLUME
    with h5py.File(folder / "storage.h5", "w") as file:
        file.create_dataset("volume", VOLUME.shape, np.uint8, external=[(str(folder / SECRET), 0, VOLUME.nbytes)])
    with h5py.File(folder / "link.h5", "w") as file:
        file["volume"] = h5py.ExternalLink("other.h5", "/volume")
    with h5py.File(folder / "middle.h5", "w") as file:
        file["a"] = h5py.ExternalLink("other.h5", "/group")
    with h5py.File(folder / "loop.h5", "w") as file:
        file["volume"] = h5py.SoftLink("/other")
        file["other"] = h5py.SoftLink("/volume")
    for name, source in (("virtual.h5", "other.h5"), ("itself.h5", ".")):
        with h5py.File(folder / name, "w", libver="latest") as file:
            layout = h5py.VirtualLayout(VOLUME.shape, np.uint8)
            layout[:] = h5py.VirtualSource(source, "hidden" if source == "." else "volume", VOLUME.shape)
            file.create_virtual_dataset("volume", layout)
    return ("storage.h5", "link.h5", "middle.h5", "loop.h5", "virtual.h5", "itself.h5")


def opened_files(command, folder):
    """The files that a command opens, by strace. Returns (exit code, names, stderr); skips without permission to trace."""
    trace = folder / "trace"
    done = subprocess.run(["strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", str(trace), *map(str, command)], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, check=False)
    if not trace.exists() or "ptrace" in done.stderr:
        pytest.skip(f"strace cannot trace: {done.stderr.strip()[:100]}")
    text = trace.read_text()
    trace.unlink()
    return done.returncode, text, done.stderr


needs_strace = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


@needs_strace
def test_row30_hdf5_that_names_other_files(voxcc, tmp_path):
    inputs = tmp_path / "in"
    inputs.mkdir()
    for name in hdf5_kinds(inputs):
        dataset = "a/volume" if name == "middle.h5" else "volume"
        for command in (["label", "--dataset", dataset], ["label"], ["verify"]):
            code, opened, error = opened_files([voxcc.program, command[0], inputs / name, *command[1:]], tmp_path)
            assert code in (64, 65) if "--dataset" in command and name in ("loop.h5",) else code == 65, (name, command, code, error)
            assert SECRET not in opened and (name == "other.h5" or "other.h5" not in opened), (name, command)
    assert files_in(tmp_path) == sorted(f"in/{path.name}" for path in inputs.iterdir())


def test_row31_filters_and_plugins_are_not_loaded(voxcc, tmp_path):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (tmp_path / "p.c").write_text("#include <unistd.h>\n__attribute__((constructor)) static void loaded(void) { _exit(9); }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", plugins / "libplugin.so", tmp_path / "p.c"], check=True)
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=VOLUME, chunks=VOLUME.shape, compression="gzip")
    content = path.read_bytes()
    filter_1 = b"\x01\x00\x08\x00\x01\x00\x01\x00deflate"  # id 1, name of 8 bytes, optional, one value
    assert content.count(filter_1) == 1
    path.write_bytes(content.replace(filter_1, b"\x0f\x7d" + filter_1[2:]))  # id 32015
    environment = {**os.environ, "HDF5_PLUGIN_PATH": str(plugins), "HDF5_PLUGIN_PRELOAD": str(plugins), "HDF5_DRIVER": "libplugin"}
    assert "filter" in voxcc.fails(65, "label", path, "-o", tmp_path / "out.nii", env=environment)
    path.write_bytes(content)
    is_labelled(voxcc, tmp_path, path)
    voxcc("label", path, env=environment)


def detached(kind, name):
    if kind == "mhd":
        return f"ObjectType = Image\nNDims = 3\nDimSize = 12 11 10\nElementType = MET_UCHAR\nElementDataFile = {name}\n"
    return f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 12 11 10\nencoding: raw\ndata file: {name}\n"


@pytest.mark.parametrize("kind", ("mhd", "nhdr"))
def test_row32_detached_data_files(voxcc, tmp_path, kind):
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    for place in (tmp_path / SECRET, folder / "sub" / SECRET, folder / "own.raw"):
        place.write_bytes(VOLUME.tobytes())
    os.symlink("../" + SECRET, folder / "link.raw")
    path = folder / f"in.{kind}"
    names = ["/etc/passwd", str(tmp_path / SECRET), f"../{SECRET}", f"sub/{SECRET}", f"./../{SECRET}", "link.raw", f"http://localhost/{SECRET}",
             "LIST", "own%d.raw 0 3 1", "/proc/self/environ", "absent.raw"]
    for name in names:
        path.write_text(detached(kind, name))
        done = subprocess.run([voxcc.program, "label", str(path), "-o", str(tmp_path / "out.nii")], capture_output=True, text=True, check=False)
        assert done.returncode in ((65, 66) if name in ("absent.raw", "LIST", "own%d.raw 0 3 1") else (65,)), (name, done.stderr)
        assert not (tmp_path / "out.nii").exists()
    path.write_text(detached(kind, "own.raw"))
    is_labelled(voxcc, tmp_path, path)
    path.write_text(detached(kind, f"../{SECRET}"))
    is_labelled(voxcc, tmp_path, path, "--allow-external")


NAMES = ("a\nb.nii", "a'b\"c.nii", "%n%s.nii", "{}.nii", "{stem}.nii", "=1+1.nii", "+cmd.nii", "-x.nii", "a,b;c\td.nii", "e\x1b[31m\x07.nii", "\u202egpj.nii",
         " .nii", "$(touch x).nii", "a\\b.nii")


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_row33_hostile_file_names(voxcc, tmp_path, name):
    (tmp_path / "in").mkdir()
    path = write_nifti(tmp_path / "in" / name, VOLUME)
    write_nifti(tmp_path / "in" / "second.nii", VOLUME)
    outputs = ["-o", tmp_path / "out" / "{stem}.nii.gz", "--stats", tmp_path / "out" / "all.csv", "--json", tmp_path / "out" / "run.json"]
    voxcc("label", path, tmp_path / "in" / "second.nii", "-c", 6, "--mkdir", *outputs)
    assert len(list((tmp_path / "out").iterdir())) == 4 and sorted(os.listdir(tmp_path)) == ["in", "out"]
    assert str(path) in json.loads((tmp_path / "out" / "run.json").read_text())["argv"]
    for line in (tmp_path / "out" / "all.csv").read_text().splitlines():
        assert not any(cell.lstrip('"').startswith(("=", "+", "-x", "@")) for cell in line.split(","))


def test_row33_no_stem_leads_out_of_the_folder(voxcc, tmp_path):
    folder = tmp_path / "slices" / "deeper"
    folder.mkdir(parents=True)
    voxcc("label", write_nifti(tmp_path / "in.nii", VOLUME), "-o", tmp_path / "slices" / "s%04d.tif", "-c", 6)
    subprocess.run([voxcc.program, "label", "..", "-o", str(tmp_path / "tpl" / "{stem}" / "x.nii"), "--mkdir"], cwd=folder, capture_output=True, check=False)
    assert not (tmp_path / "x.nii").exists()
    assert all(path.is_relative_to(tmp_path / "tpl") for path in tmp_path.rglob("x.nii"))


def odd_inputs(folder):
    os.symlink("nowhere", folder / "dangling.nii")
    (folder / "folder.nii").mkdir()
    os.symlink("cycle.nii", folder / "cycle.nii")
    return [folder / name for name in ("dangling.nii", "folder.nii", "cycle.nii")] + ["/dev/null", "/dev/zero", folder, "/proc/self/mem"]


def test_row34_inputs_that_are_not_files(voxcc, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for path in odd_inputs(folder):
        for command in (["label", path, "-o", tmp_path / "out.nii"], ["info", path], ["verify", path]):
            done = subprocess.run([voxcc.program, *map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20, check=False)
            assert done.returncode in (65, 66, 74), (path, command, done.returncode, done.stderr)
    os.mkfifo(tmp_path / "fifo.nii")
    for content in (b"", b"no volume"):
        with subprocess.Popen([voxcc.program, "label", tmp_path / "fifo.nii", "-o", tmp_path / "out.nii"], stderr=subprocess.PIPE) as process:
            (tmp_path / "fifo.nii").write_bytes(content)
            assert process.wait(20) == 65
    assert not (tmp_path / "out.nii").exists()


def test_row34_outputs_that_are_not_files(voxcc, tmp_path):
    path = write_nifti(tmp_path / "in.nii", VOLUME)
    os.mkfifo(tmp_path / "fifo.nii")
    (tmp_path / "folder.nii").mkdir()
    os.symlink(path.name, tmp_path / "same.nii")
    for target in ("fifo.nii", "folder.nii", "same.nii", "in.nii", "in.nii/below.nii"):
        voxcc.fails(73, "label", path, "-o", tmp_path / target, "-f")
    before = path.read_bytes()
    for target in ("/dev/full/x.nii", "/dev/null.d/x.nii"):
        voxcc.fails(73, "label", path, "-o", target)
    assert path.read_bytes() == before


def test_row62_exit_status_after_errors_of_hdf5(voxcc, tmp_path):
    """An id of HDF5 that an error leaves open must not crash the exit handler of the library."""
    content = make(voxcc, tmp_path, "h5").read_bytes()
    path = tmp_path / "bad.h5"
    for position in range(0, len(content), 97):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
        for command in ("label", "info", "verify"):
            done = subprocess.run([voxcc.program, command, str(path)], capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode in (0, 64, 65, 71), (position, command, done.returncode, done.stderr)
            assert done.returncode == 0 or done.stderr.count("voxcc: error:") == 1
