"""The package: examples, stubs, linked libraries, versions, installation."""

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import voxcc
import voxcc.blocks
import voxcc.cc3d
import voxcc.scipy

REPOSITORY = Path(__file__).resolve().parents[2]
# All modules with examples.
MODULES = [
    "voxcc" if path.stem == "__init__" else f"voxcc.{path.stem}"
    for path in sorted(Path(voxcc.__file__).parent.glob("*.py"))
    if any(">>>" in line and "+SKIP" not in line for line in path.read_text().splitlines())
]


def import_module(name):
    """A module of the package. Skips the test if Dask is not installed."""
    if name == "voxcc.dask":
        pytest.importorskip("dask.array")
    return importlib.import_module(name)


def public_names(module):
    """__all__ of the package leaves out filter(), which would replace the function of Python."""
    return [*getattr(module, "__all__", []), *(["filter"] if module is voxcc else [])]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = import_module(name)
    result = doctest.testmod(module, extraglobs={"np": np, "voxcc": voxcc, "cc3d": voxcc.cc3d})
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("page", ["python.md", "python-dask.md"])
def test_examples_of_the_page(page):
    if "dask" in page:
        pytest.importorskip("dask.array")
    result = doctest.testfile(str(REPOSITORY / "docs" / "manual" / page), module_relative=False)
    assert result.attempted > 10 and result.failed == 0


def test_example_with_files(tmp_path):
    """The lesions have the sizes that the README shows for the program."""
    nibabel = pytest.importorskip("nibabel")
    command = [sys.executable, REPOSITORY / "examples/python/measure_lesions.py", REPOSITORY / "examples/data/ct_lesions.nii.gz"]
    done = subprocess.run([*command, tmp_path / "labels.nii.gz"], capture_output=True, text=True, check=True)
    assert [line.split()[:3] for line in done.stdout.splitlines()[1:4]] == [
        ["1", "139932", "139932"], ["2", "856", "856"], ["3", "832", "832"]
    ]  # fmt: skip
    assert done.stdout.splitlines()[1].split()[3:] == ["-78.7", "-74.7", "97.3"]
    assert np.count_nonzero(np.asanyarray(nibabel.load(tmp_path / "labels.nii.gz").dataobj) == 2) == 856


def test_example_without_valid_arguments(tmp_path):
    """The script prints its usage, and checks the name of the output before it measures."""
    pytest.importorskip("nibabel")
    script, volume = REPOSITORY / "examples/python/measure_lesions.py", REPOSITORY / "examples/data/ct_lesions.nii.gz"
    for arguments, message in (
        ([], "python3 measure_lesions.py IN.nii.gz OUT.nii.gz"), ([volume], "python3 measure_lesions.py IN.nii.gz OUT.nii.gz"),
        ([volume, tmp_path / "x.png"], "name a file that ends in .nii"), ([volume, tmp_path / "absent/x.nii"], "in a folder that exists"),
    ):  # fmt: skip
        done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr and not done.stdout


def test_version():
    version = re.search(r"project\(voxcc VERSION ([0-9.]+)", (REPOSITORY / "CMakeLists.txt").read_text())[1]
    assert voxcc.__version__ == voxcc.capabilities()["version"] == version


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_has_a_description(name):
    module = import_module(name)
    for public in public_names(module):
        assert inspect.getdoc(getattr(module, public)), (name, public)


def test_linked_libraries():
    done = subprocess.run(["ldd", voxcc._core.__file__], capture_output=True, text=True, check=True)
    libraries = {line.split()[0].split("/")[-1].split(".so")[0] for line in done.stdout.splitlines()}
    assert libraries <= {"linux-vdso", "libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64", "ld-linux-aarch64", "libpthread"}


def signature_of(function):
    """Names, kinds and presence of defaults."""
    return [(p.name, p.kind, p.default is not p.empty) for p in inspect.signature(function).parameters.values()]


def signature_of_stub(node):
    kinds = inspect.Parameter
    positional = [(a, kinds.POSITIONAL_ONLY) for a in node.args.posonlyargs] + [(a, kinds.POSITIONAL_OR_KEYWORD) for a in node.args.args]
    without = len(positional) - len(node.args.defaults)
    result = [(a.arg, kind, i >= without) for i, (a, kind) in enumerate(positional)]
    if node.args.vararg:
        result.append((node.args.vararg.arg, kinds.VAR_POSITIONAL, False))
    return result + [(a.arg, kinds.KEYWORD_ONLY, d is not None) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults)]


@pytest.mark.parametrize("name", ["__init__", "blocks", "cc3d", "dask", "fill_voids", "monai", "scipy", "skimage"])
def test_stubs_have_the_signatures_of_the_functions(name):
    module = import_module("voxcc" if name == "__init__" else f"voxcc.{name}")
    tree = ast.parse((REPOSITORY / "python" / "voxcc" / f"{name}.pyi").read_text())
    described = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            described.setdefault(node.name, []).append(node)
    functions = [public for public in public_names(module) if inspect.isfunction(getattr(module, public))]
    assert set(functions) <= set(described)
    for public in functions:
        overloads = [signature_of_stub(node) for node in described[public]]
        assert signature_of(getattr(module, public)) in overloads, public


@pytest.mark.long
def test_installation(tmp_path):
    """pip builds and installs the package in a new environment, from a copy of the files that git knows."""
    source, environment = tmp_path / "source", tmp_path / "environment"
    files = subprocess.run(["git", "-C", REPOSITORY, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True)
    for name in files.stdout.decode().rstrip("\0").split("\0"):
        if (REPOSITORY / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((REPOSITORY / name).read_bytes())
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", source], check=True)
    code = "import numpy, voxcc, voxcc.cc3d, voxcc.fill_voids, voxcc.monai, voxcc.scipy, voxcc.skimage; print(voxcc.label(numpy.eye(3)).count, voxcc.__file__)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("1 ") and str(environment) in done.stdout
