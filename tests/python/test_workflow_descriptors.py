"""The descriptors in wrappers/ pass the checkers of their systems, and the commands that follow from them run.

tests/help/wrappers_test.py checks that they fit the options of the program.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from conftest import REPOSITORY
from helpers import blobs, label_scipy, read_nifti, read_table, write_nifti

WRAPPERS = REPOSITORY / "wrappers"
BOUTIQUES = WRAPPERS / "boutiques" / "voxcc_label.json"
GALAXY = WRAPPERS / "galaxy" / "voxcc_label.xml"
NEXTFLOW = WRAPPERS / "nextflow" / "voxcc" / "label" / "main.nf"


@pytest.fixture
def shell(voxcc, tmp_path):
    """Runs a command in tmp_path, with voxcc in PATH and an image `scan.nii.gz`."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "voxcc").symlink_to(voxcc.program)
    write_nifti(tmp_path / "scan.nii.gz", blobs((20, 21, 22), 0.2) * np.uint8(7))
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}

    def run(command):
        done = subprocess.run(["bash", "-euc", command], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              env=environment)  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout

    return run


def sizes(image, connectivity=26, least=1):
    found = np.bincount(label_scipy(image, connectivity).ravel())[1:]
    return sorted(found[found >= least], reverse=True)


# Boutiques


def bosh(*arguments):
    """The result of `bosh ARGUMENT...`, which is text. Raises an exception where the program would fail."""
    return pytest.importorskip("boutiques").bosh([*map(str, arguments)])


def simulated(folder, invocation):
    """The command of an invocation."""
    (folder / "invocation.json").write_text(json.dumps(invocation))
    return bosh("exec", "simulate", "-i", folder / "invocation.json", BOUTIQUES).stdout.splitlines()[-1]


def test_boutiques_validates_the_descriptor():
    bosh("validate", BOUTIQUES)
    descriptor = json.loads(BOUTIQUES.read_text())
    assert {output["path-template"] for output in descriptor["output-files"]} <= set(re.findall(r"\[\w+\]", descriptor["command-line"]))
    assert {65, 71, 74} <= {error["code"] for error in descriptor["error-codes"]}
    assert bosh("exec", "simulate", "--complete", BOUTIQUES).stdout.splitlines()[-1].startswith("voxcc label ")


def test_the_command_of_boutiques_runs(shell, tmp_path):
    command = simulated(tmp_path, {
        "image": "scan.nii.gz", "labels": "my labels.nii.gz", "table": "table.csv", "threshold": ">5", "min_size": "9", "sort": "size",
        "shape": True, "compress": 3, "intensity": ["scan.nii.gz"],
    })  # fmt: skip
    assert "--threshold '>5'" in command
    shell(command)
    expected = sizes(read_nifti(tmp_path / "scan.nii.gz"), least=9)
    rows = read_table(tmp_path / "table.csv")
    assert [row["voxels"] for row in rows] == expected and len(rows) > 3
    assert all(row["intensity_mean"] == 7 and row["surface_mm2"] > 0 for row in rows)
    assert read_nifti(tmp_path / "my labels.nii.gz").max() == len(expected)


def test_each_of_several_images_has_a_flag(tmp_path):
    command = simulated(tmp_path, {"image": "scan.nii.gz", "intensity": ["a b.nii", "c.nii"]})
    assert shlex.split(command)[3:7] == ["--intensity", "a b.nii", "--intensity", "c.nii"]


@pytest.mark.parametrize("invocation", [
    {"invert": True, "multilabel": True},  # "not with --multilabel"
    {"max_hole": "9"},  # "needs --fill-holes"
    {"sort": "colour"},
    {"compress": 10},
])
def test_boutiques_refuses_what_voxcc_refuses(voxcc, tmp_path, invocation):
    errors = pytest.importorskip("boutiques.invocationSchemaHandler")
    with pytest.raises(errors.InvocationValidationError):
        simulated(tmp_path, {"image": "scan.nii.gz", **invocation})
    options = [word for name, value in invocation.items() for word in [f"--{name.replace('_', '-')}", *([] if value is True else [value])]]
    write_nifti(tmp_path / "scan.nii.gz", blobs((5, 5, 5)))
    voxcc.fails(64, "label", tmp_path / "scan.nii.gz", *options)


# Galaxy


def test_the_linter_of_planemo_accepts_the_tool():
    """`planemo lint` calls the linters of this library, and fails if there is a warning."""
    lint = pytest.importorskip("galaxy.tool_util.lint")
    source = pytest.importorskip("galaxy.tool_util.parser").get_tool_source(str(GALAXY))
    context = lint.get_lint_context_for_tool_source(source)
    assert not context.warn_messages and not context.error_messages, [*map(str, context.warn_messages + context.error_messages)]
    assert len(context.valid_messages) > 5


class Dataset(str):
    """A file of Galaxy: its path has no extension of a volume, and its format is a member."""

    ext = "nii1.gz"


def galaxy_command(tool, chosen, **values):
    """The command of the tool for values of its parameters. Parameters that the user did not set are empty."""
    template = pytest.importorskip("galaxy.util.template")
    sections = {}
    for section in tool.find("inputs").iter("section"):
        names = [param.get("argument").removeprefix("--").replace("-", "_") for param in section.iter("param")]
        sections[section.get("name")] = SimpleNamespace(**{name: values.pop(name, "") for name in names})
    assert set(values) == {"image", "label_format"}
    outputs = {data.get("name"): f"{data.get('name')}.dat" for data in tool.find("outputs")}
    text = template.fill_template(tool.find("command").text, context={**sections, **values, **outputs, "outputs": ",".join(chosen)})
    return " ".join(text.split("\n"))  # as Galaxy does


def test_the_command_of_galaxy_runs(shell, tmp_path):
    tool = ElementTree.parse(GALAXY).getroot()
    for name in ("image.dat", "mask.dat", "first.dat", "second.dat"):
        shutil.copy(tmp_path / "scan.nii.gz", tmp_path / name)
    chosen = ["labels", "table", "summary", "contacts", "preview"]
    shell(galaxy_command(
        tool, chosen, image=Dataset("image.dat"), mask=Dataset("mask.dat"), intensity=[Dataset("first.dat")], threshold=">5",
        min_size="9", sort="size", shape="--shape", connectivity="6", label_format="nii1.gz",
    ))  # fmt: skip
    assert {path.stem for path in tmp_path.glob("*.dat")} == {*chosen, "image", "mask", "first", "second"}
    shutil.copy(tmp_path / "table.dat", tmp_path / "table.tsv")
    expected = sizes(read_nifti(tmp_path / "scan.nii.gz"), connectivity=6, least=9)
    rows = read_table(tmp_path / "table.tsv")
    assert [row["voxels"] for row in rows] == expected and len(rows) > 3
    assert all(row["intensity_mean"] == 7 and row["surface_mm2"] > 0 for row in rows)
    assert json.loads((tmp_path / "summary.dat").read_text())["inputs"]


@pytest.mark.parametrize("label_format, magic", [("tiff", b"II*"), ("nrrd", b"NRRD"), ("h5", b"\x89HDF")])
def test_formats_of_galaxy(shell, tmp_path, label_format, magic):
    tool = ElementTree.parse(GALAXY).getroot()
    shell(galaxy_command(tool, ["labels"], image=Dataset("scan.nii.gz"), label_format=label_format))
    assert (tmp_path / "labels.dat").read_bytes().startswith(magic)
    assert label_format in [when.get("format") for when in tool.find("outputs/data[@name='labels']").iter("when")]


# Nextflow is not in the package registries of the tests. Its module is read as text.


def block(text, name):
    """The lines of a section of a process. "input:" ... -> the lines up to the next section"""
    found = re.search(rf"^    {name}:\n((?:(?!    \w+:$).*\n)*)", text, re.MULTILINE)
    return found[1]


def nextflow_command(text, **values):
    """The script of the module, with the values of variables. Understands only the expressions that the module uses."""
    script = block(text, "script")
    values = {"args": "", "memory_argument": "--max-memory 500MB", "task.cpus": "2", "task.process": "VOXCC_LABEL", **values}
    fill = lambda string: re.sub(r"(?<!\\)\$\{([\w.]+)\}", lambda found: values[found[1]], string)  # noqa: E731
    for name, file, argument in re.findall(r"def (\w+_argument) = (\w+) \? \"(.*)\" : ''", script):
        argument = re.sub(r"\[(\w+)\]\.flatten\(\)\.join\(' (--[\w-]+) '\)", r"\1", argument)  # one file
        if file in values or file == "task.memory":
            values[name] = fill(argument) if values[file] else ""
    flags = {name: fill(flag) for name, flag in re.findall(r"^        (\w+): \"(.*)\",$", script, re.MULTILINE)}
    chosen = values.get("outputs") or re.search(r"task\.ext\.outputs \?: \[(.*?)\]", script)[1].replace("'", "")
    values["outputs"] = " ".join(flags[name] for name in re.split(r", ?", chosen))
    quoted = re.search(r'"""\n(.*?)"""', script, re.DOTALL)[1]
    return re.sub(r"^    ", "", fill(quoted).replace("\\\\", "\\").replace("\\$", "$"), flags=re.MULTILINE)


def nextflow_files(text):
    """Name -> file of each output, for the prefix "sub-01"."""
    found = re.findall(r'path\("([^"]+)"\), emit: (\w+)', block(text, "output"))
    return {name: file.replace("${prefix}", "sub-01") for file, name in found}


def test_the_script_of_nextflow_writes_the_outputs(shell, tmp_path):
    text = NEXTFLOW.read_text()
    files = nextflow_files(text)
    shell(nextflow_command(text, prefix="sub-01", image="scan.nii.gz", mask="scan.nii.gz", intensity="scan.nii.gz", threshold_from="",
                           args="--threshold '>5' --min-size 9 --sort size --shape"))  # fmt: skip
    assert {path.name for path in tmp_path.glob("sub-01*")} == {files[name] for name in ("labels", "table", "summary")}
    rows = read_table(tmp_path / files["table"])
    assert [row["voxels"] for row in rows] == sizes(read_nifti(tmp_path / "scan.nii.gz"), least=9) and len(rows) > 3
    assert all(row["intensity_mean"] == 7 for row in rows)
    version = yaml.safe_load((tmp_path / "versions.yml").read_text())["VOXCC_LABEL"]["voxcc"]
    assert shell("voxcc --version").startswith(f"voxcc {version}\n")


def test_nextflow_writes_every_output_that_is_chosen(shell, tmp_path):
    text = NEXTFLOW.read_text()
    files = nextflow_files(text)
    shell(nextflow_command(text, prefix="sub-01", image="scan.nii.gz", mask="", intensity="scan.nii.gz", threshold_from="",
                           args="-c 6", outputs=", ".join(files)))  # fmt: skip
    assert {path.name for path in tmp_path.glob("sub-01*")} == set(files.values()) and len(files) > 9


def test_the_module_of_nextflow_has_the_form_of_nf_core(shell):
    """Inputs and outputs of meta.yml are those of main.nf, all braces are closed, and the stub writes what the script writes by default."""
    text = NEXTFLOW.read_text()
    meta = yaml.safe_load(NEXTFLOW.with_name("meta.yml").read_text())
    inputs = re.findall(r"(?:val|path)\((\w+)\)", block(text, "input"))
    assert [name for entry in meta["input"][0] for name in entry] == inputs
    assert [*meta["output"]] == re.findall(r"emit: (\w+)", block(text, "output"))
    assert {"name", "description", "keywords", "tools", "authors"} <= set(meta)
    for left, right in ("{}", "()", "[]"):
        assert text.count(left) == text.count(right)
    stub = block(text, "stub").replace("${prefix}", "sub-01")
    assert set(re.findall(r"'(sub-01\S+)'", stub)) == {nextflow_files(text)[name] for name in ("labels", "table", "summary")}
