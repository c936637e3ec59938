"""The pages for users: the commands are run, and the output that a page shows is compared.

A block ```sh voxcc is run with bash in a folder with the examples of the repository, the program as build/voxcc, and the files of
input_files(). If a block ```text follows it directly, that block is the output on stdout. In the pages of CONTINUED, a block finds the
files that earlier blocks wrote. In other pages, each block has a folder of its own. The LESSONS are also run one after the other in one
folder, as a user types them. A comment
`# labels = EXPRESSION` above a command states that the Python expression gives the labels that the command writes with -o, `# voxels = EXPRESSION` only the same foreground.
"""

import fnmatch
import importlib
import re
import shlex
import shutil
import subprocess
from typing import NamedTuple

import h5py
import nibabel
import numpy as np
import pytest
import SimpleITK
import tifffile
import zarr
from conftest import REPOSITORY
from helpers import blobs, label_scipy, noise, read_nifti, read_table, voronoi, write_nifti
from PIL import Image

LESSONS = ("README.md", "docs/manual/tutorial.md", "docs/manual/report.md", "docs/manual/batch.md")  # in the order of their links
CONTINUED = ("README.md", "docs/manual/tutorial.md", "docs/manual/report.md", "docs/manual/scale.md")


def pages_in(folder):
    return tuple(sorted(str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "docs" / folder).rglob("*.md")))


MANUAL, REFERENCE, DEVELOP = pages_in("manual"), pages_in("reference"), pages_in("develop")
PAGES = ("README.md", *MANUAL, *(page for page in REFERENCE if page != "docs/reference/papers.md"), "docs/develop/guards.md", "docs/develop/reader.md", "docs/develop/reliability.md")
# Pages with commands on files or programs that the tests do not have.
WITH_OTHER_FILES = ("docs/manual/selectors.md", "docs/manual/zarr.md", *REFERENCE)
LONGEST = {"README.md": 119, "docs/reference/cli/label.md": 200}  # lines; other pages: 150


def lines_of(page):
    return (REPOSITORY / page).read_text().splitlines()


class Block(NamedTuple):
    language: str
    first: int  # line number of the fence
    lines: list
    end: int  # line number of the closing fence


def blocks(page):
    lines = lines_of(page)
    fences = [number for number, line in enumerate(lines, 1) if line.startswith("```")]
    assert len(fences) % 2 == 0, f"{page}: the last block has no end"
    return [Block(lines[first - 1][3:], first, lines[first : end - 1], end) for first, end in zip(fences[::2], fences[1::2])]


def runs(page):
    """Pairs of a block that is run, and the lines of its output, or None if the page does not show its output."""
    every = blocks(page)
    pairs = []
    for block, after in zip(every, [*every[1:], None]):
        if block.language == "sh voxcc":
            shown = after is not None and after.language == "text" and after.first == block.end + 1
            pairs.append((block, after.lines if shown else None))
    return pairs


# Pictures of the tutorial, and the files that its commands write.
PICTURES = {"ct_lesions.png": "picture.png", "ct_classes.png": "classes.png"}


def make_clone(folder, voxcc):
    """What the commands of a page need of a fresh clone after ./setup.sh."""
    shutil.copytree(REPOSITORY / "examples", folder / "examples")
    (folder / "build").mkdir()
    (folder / "build" / "voxcc").symlink_to(voxcc.program)


def input_files(folder):
    """Small stand-ins for the files that the recipes name."""
    shape = (24, 30, 36)
    steps = np.random.default_rng(4).standard_normal(shape)
    wave = np.sin(np.arange(shape[0]) / 3)[:, None, None] * np.sin(np.arange(shape[1]) / 4)[:, None] * np.sin(np.arange(shape[2]) / 5)
    z_values = (6 * wave + 0.5 * steps).astype(np.float32)
    spots = blobs(shape, 0.15, 1.5)
    affine = np.diag([-2.0, -2, 3, 1])
    label_map = voronoi(shape, background=0.75, dtype=np.uint8)
    label_map[10:15, 10:15, 10:15] = 0
    label_map[11:14, 11:14, 11:14] = 200  # a shell of 26 voxels around a cavity of one voxel
    label_map[12, 12, 12] = 0
    volumes = {"zstat1": z_values, "cope1": 10 * z_values, "s": z_values, "sig": z_values, "v": z_values, "f": z_values,
               "ct": (300 * wave).astype(np.int16), "mask": noise(shape, 0.2), "bw": spots, "a": label_map, "seg": label_map,
               "aseg": np.where(label_map % 2, 17, 0).astype(np.uint8)}
    for name, array in volumes.items():
        write_nifti(folder / f"{name}.nii.gz", array, affine)
    (folder / "scans").mkdir()
    for number in (1, 2):
        write_nifti(folder / "scans" / f"scan{number}.nii.gz", number * z_values, affine)
    for subject in ("sub-01", "sub-02"):
        (folder / "ds" / subject / "anat").mkdir(parents=True)
        write_nifti(folder / "ds" / subject / "anat" / f"{subject}_T1w.nii.gz", z_values, affine)
    stack = np.clip(8000 * wave + 6000, 0, 65535).astype(np.uint16)
    pictures = {"stack": stack, "other": stack // 2, "bin": spots, "lbl": label_scipy(spots, 26).astype(np.uint16)}
    for name, array in pictures.items():
        tifffile.imwrite(folder / f"{name}.tif", array, imagej=True, metadata={"axes": "ZYX"})
    write_several_volumes(folder, 300 * wave, affine)


def write_several_volumes(folder, image, affine):
    """Files with several volumes, channels and datasets."""
    series = np.stack([image * (1 + n / 9) for n in range(5)]).astype(np.int16)
    nibabel.save(nibabel.Nifti1Image(series.T, affine), folder / "bold.nii.gz")
    cells = np.stack([np.abs(volume[:5]) for volume in (*series, series[0])]).astype(np.uint16).reshape(3, 2, 5, *image.shape[1:])
    tifffile.imwrite(folder / "cells.ome.tif", cells.transpose(0, 2, 1, 3, 4), metadata={"axes": "TZCYX", "Channel": {"Name": ["DAPI", "CD45"]}}, ome=True)
    with h5py.File(folder / "two.h5", "w") as file:
        file["raw"] = series[0]
        file["seg/mask"] = (series[0] > 50).astype(np.uint8)


def run_block(block, folder, voxcc, page):
    script = "export PATH=$PWD/build:$PATH\n" + "\n".join(block.lines)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, f"{page}:{block.first}: exit {done.returncode}\n{done.stderr}"
    return done.stdout.splitlines()


def type_page(page, folder, voxcc):
    """Runs all blocks of a page in one folder."""
    assert len(runs(page)) > 0
    for block, shown in runs(page):
        output = run_block(block, folder, voxcc, page)
        assert shown is None or output == shown, f"{page}:{block.first}"


@pytest.mark.parametrize("page", CONTINUED)
def test_pages_whose_blocks_continue_each_other(voxcc, tmp_path, page):
    make_clone(tmp_path, voxcc)
    type_page(page, tmp_path, voxcc)
    if page == "docs/manual/tutorial.md":
        assert sorted(PICTURES) == sorted(re.findall(r"!\[[^]]+\]\(\.\./figures/([^)]+)\)", "\n".join(lines_of(page))))
        for picture, written in PICTURES.items():
            assert_same_picture(REPOSITORY / "docs" / "figures" / picture, tmp_path / written)


def test_lessons_one_after_the_other(voxcc, tmp_path):
    """README, tutorial, report and batch in one folder: no page refuses to overwrite the files of the page before it."""
    make_clone(tmp_path, voxcc)
    for page in LESSONS:
        type_page(page, tmp_path, voxcc)
    tables = [len(read_table(tmp_path / name)) for name in ("scans.csv", "batch.csv", "joined.tsv")]
    assert tables[0] > 0 and len(set(tables)) == 1, "the pages label the same six scans"


def assert_same_picture(path, other):
    """Compares pixels: the bytes of a PNG file depend on the version of zlib."""
    with Image.open(path) as one, Image.open(other) as two:
        assert one.size == two.size and one.tobytes() == two.tobytes(), f"{path} is out of date"


def test_the_picture_of_real_data(voxcc, tmp_path, data):
    """A command of docs/figures/README.md."""
    (command,) = re.findall(r"`(voxcc label T2[^`]*)`", (REPOSITORY / "docs" / "figures" / "README.md").read_text())
    (tmp_path / "T2.nii.gz").symlink_to(data / "nifti" / "stroke_T2_scaled.nii.gz")
    voxcc(*shlex.split(command)[1:], cwd=tmp_path)
    assert_same_picture(REPOSITORY / "docs" / "figures" / "t2_bright_regions.png", tmp_path / "t2_bright_regions.png")


@pytest.mark.parametrize("page, block, shown", [pytest.param(page, block, shown, id=f"{page}:{block.first}") for page in PAGES
                                                if page not in CONTINUED for block, shown in runs(page)])
def test_recipes(voxcc, tmp_path, page, block, shown):
    make_clone(tmp_path, voxcc)
    input_files(tmp_path)
    output = run_block(block, tmp_path, voxcc, page)
    assert shown is None or output == shown
    for command in commands(block):
        for option in ("-o", "--stats"):
            if option in command and not re.search("[{$]", command[command.index(option) + 1]):
                assert components(tmp_path / command[command.index(option) + 1]) > 0, command
    for expression, same, command in comparisons(block):
        ours = read_nifti(tmp_path / command[command.index("-o") + 1])
        assert ours.max() > 1, command
        np.testing.assert_array_equal(ours if same == "labels" else ours > 0, evaluated(expression, same, tmp_path), err_msg=expression)


def commands(block):
    return [shlex.split(line) for line in block.lines if line.startswith("voxcc ")]


def components(path):
    """The number of components of a label volume, or the number of rows of a table."""
    if path.suffix in (".csv", ".tsv"):
        return len(read_table(path))
    if path.suffix == ".h5ad":
        with h5py.File(path) as file:
            return len(file["obs/_index"])
    if path.suffix == ".zarr":
        return zarr.open_array(path / "0", mode="r")[:].max()
    return (tifffile.imread(path) if path.suffix == ".tif" else read_nifti(path)).max()


def comparisons(block):
    """Expressions of the comments, the kind of their comparison, and the words of the command below each."""
    for comment, command in zip(block.lines, block.lines[1:]):
        if match := re.match(r"# (labels|voxels) = (.*)", comment):
            yield match[2], match[1], shlex.split(command)


def evaluated(expression, same, folder):
    """The value of an expression as an array [z, y, x]."""
    load = lambda name: np.asfortranarray(nibabel.load(folder / name).dataobj)
    names = {"a": load("a.nii.gz"), "f": load("f.nii.gz"), "image": SimpleITK.ReadImage(folder / "a.nii.gz") > 0, "numpy": np,
             "SimpleITK": SimpleITK}
    for module in ("cc3d", "scipy.ndimage", "skimage.measure"):  # scikit-image is not in requirements.txt
        if expression.startswith(module):
            pytest.importorskip(module)
            names[module.split(".")[0]] = importlib.import_module(module.split(".")[0])
    value = eval(expression, names)
    array = SimpleITK.GetArrayFromImage(value) if isinstance(value, SimpleITK.Image) else np.asarray(value).T
    return array if same == "labels" else array > 0


def test_names_in_other_tools(voxcc, tmp_path):
    """The columns of cc3d and SimpleITK in docs/manual/glossary.md have the values that the page states."""
    input_files(tmp_path)
    voxcc("label", tmp_path / "bw.nii.gz", "--min-size", "20", "-o", tmp_path / "l.nii.gz", "--intensity", tmp_path / "v.nii.gz",
          "--stats", tmp_path / "t.csv")
    rows = read_table(tmp_path / "t.csv")
    assert len(rows) > 3
    labels, image = (SimpleITK.ReadImage(tmp_path / name) for name in ("l.nii.gz", "v.nii.gz"))
    shape, values = SimpleITK.LabelShapeStatisticsImageFilter(), SimpleITK.LabelIntensityStatisticsImageFilter()
    shape.Execute(labels)
    values.Execute(labels, image)
    cc3d = pytest.importorskip("cc3d").statistics(np.asfortranarray(nibabel.load(tmp_path / "l.nii.gz").dataobj))
    for row in rows:
        k = row["label"]
        at = lambda name, axes: np.array([row[name.replace("*", axis)] for axis in axes])
        low, high = at("bbox_*_min", "ijk"), at("bbox_*_max", "ijk")
        assert row["voxels"] == cc3d["voxel_counts"][k] == shape.GetNumberOfPixels(k)
        assert [slice(a, b + 1) for a, b in zip(low, high)] == list(cc3d["bounding_boxes"][k])
        assert (*low, *(high - low + 1)) == shape.GetBoundingBox(k)
        assert row["touches_border"] == (shape.GetNumberOfPixelsOnBorder(k) > 0)
        lps, n = np.array([-1, -1, 1]), row["voxels"]
        for ours, theirs in [
            (row["volume_mm3"], shape.GetPhysicalSize(k)),
            (at("centroid_*", "ijk"), cc3d["centroids"][k]),
            (at("centroid_*_mm", "xyz") * lps, shape.GetCentroid(k)),
            (at("axis*_mm", "321") ** 2, shape.GetPrincipalMoments(k)),
            (1 / row["elongation"], shape.GetElongation(k)),
            (1 / row["flatness"], shape.GetElongation(k) * shape.GetFlatness(k)),
            (row["intensity_mean"], values.GetMean(k)),
            (row["intensity_std"] * np.sqrt(n / (n - 1)), values.GetStandardDeviation(k)),
            ([row["intensity_min"], row["intensity_max"]], [values.GetMinimum(k), values.GetMaximum(k)]),
            (row["intensity_sum"], values.GetSum(k)),
            (at("weighted_centroid_*_mm", "xyz") * lps, values.GetCenterOfGravity(k)),
        ]:
            np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WITH_OTHER_FILES])  # tests/help/examples_test.py runs their examples
def test_every_command_is_run(page):
    unmarked = [block for block in blocks(page) if block.language not in ("sh voxcc", "text")]
    others = [f"{page}:{block.first}: {line}" for block in unmarked for line in block.lines if re.match(r"(\$ )?(\S*/)?voxcc [a-z]", line)]
    assert others == []


def test_setup_is_the_first_block():
    first = blocks("README.md")[0]
    assert [line.split("#")[0].strip() for line in first.lines] == ["./setup.sh", "./test.sh"]


def test_ten_commands():
    heading = lines_of("README.md").index("## Ten commands")
    block = next(block for block, _ in runs("README.md") if block.first > heading)
    assert len(commands(block)) == len(block.lines) == 10


def test_exit_codes():
    """The README lists the exit codes of src/errors/exit_codes.h."""
    header = (REPOSITORY / "src" / "errors" / "exit_codes.h").read_text()
    codes = {int(code) for code in re.findall(r"^ +\w+ = (\d+),", header, re.MULTILINE)}
    text = "\n".join(lines_of("README.md"))
    table = text[text.index("## Exit codes") :].split("\n\n")[0]
    assert codes == {int(code) for cell in re.findall(r"\| ([\d, ]+) (?=\|)", table) for code in cell.split(",")}


def test_columns(voxcc, tmp_path):
    """docs/reference/columns.md describes exactly the columns that the program writes, in their order."""
    array = np.zeros((2, 3, 4), np.uint8)
    array[0] = 1
    image = nibabel.Nifti1Image(np.stack([array.T, array.T], 3), np.eye(4))
    nibabel.save(image, tmp_path / "sub-1_in.nii")
    write_nifti(tmp_path / "image.nii", array)
    (tmp_path / "list.csv").write_text(f"input,group\n{tmp_path / 'sub-1_in.nii'},a\n")
    voxcc("label", "--list", tmp_path / "list.csv", "--volume", "all", "--multilabel", "--per-slice", "z", "--percentiles", "50", "--intensity", tmp_path / "image.nii",
          "--shared", "--shape", "--periodic", "x", "--inside", "--stats", tmp_path / "table.csv")
    text = (REPOSITORY / "docs" / "reference" / "columns.md").read_text()
    text = text[: text.index("## When a value is n/a")]
    described = [name for line in text.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line.split(" | ")[0])]
    assert described.pop(described.index("source_label") + 1) == "sign"  # --split-signs cannot be combined with --multilabel
    assert [described.pop(1) for _ in range(2)] == ["index", "name"]  # --bids replaces `label` by them
    in_volumes = ["volume_mm3", "surface_mm2", "surface_faces_mm2"]  # slices have an area and a perimeter
    described = [name for name in described if name not in in_volumes]
    assert described == (tmp_path / "table.csv").read_text().splitlines()[0].split(",")


def steps_of_cases():
    """(exit code, line of stderr) of all steps in tests/cli/cases."""
    for case in sorted((REPOSITORY / "tests" / "cli" / "cases").glob("*.case")):
        code = "0"
        for line in case.read_text().splitlines():
            if line.startswith("exit: "):
                code = line[6:]
            elif line.startswith("    voxcc: "):
                yield code, line.strip()


def test_the_examples_of_the_exit_codes_are_messages_of_the_program():
    """Each example must be a message that another test expects from the program.

    These tests are the cases of tests/cli, test_messages.py for exit code 77, and tests/faults/publication.py for one message with code 65.
    """
    examples = [line.split(" ", 1) for block in blocks("docs/manual/checks.md") for line in block.lines if re.match(r"\d+ voxcc: ", line)]
    assert len(examples) >= 10
    expected = [*steps_of_cases(), ("77", "voxcc: error: *: cannot open: Permission denied; change the permissions with chmod, *"),
                ("65", "voxcc: error: *: its publication was interrupted; run the command that writes it again, with --force")]
    for code, message in examples:
        assert any(code == known and fnmatch.fnmatchcase(message, pattern.replace("[", "[[]")) for known, pattern in expected), message


@pytest.mark.parametrize("page", PAGES)
def test_form(page):
    """Pages are short. A page begins with its readers and ends with links. scripts/check_words.py checks lines, words and links."""
    lines = lines_of(page)
    assert len(lines) <= LONGEST.get(page, 150)
    assert lines[0].startswith("# ") and lines[1] == ""
    opening = " ".join(lines[2 : lines.index("", 2)])
    assert re.match(r"For (new )?users", opening) or page == "README.md" and " for researchers " in opening
    assert any(line.startswith("See also: ") for line in lines[-3:])


def test_the_picture_is_small():
    for page in PAGES:
        for picture in re.findall(r"!\[[^]]+\]\(([^)]+)\)", "\n".join(lines_of(page))):
            assert ((REPOSITORY / page).parent / picture).stat().st_size <= 200_000


def links_of(page):
    """The files of the repository that the page links to."""
    found = re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", (REPOSITORY / page).read_text())
    return {str((REPOSITORY / page).parent.joinpath(target).resolve().relative_to(REPOSITORY)) for target in found if ":" not in target}


def test_the_manual_has_at_most_30_pages_and_an_index():
    assert len(MANUAL) <= 30
    assert set(MANUAL) - links_of("docs/manual/README.md") == {"docs/manual/README.md"}


def test_pages_of_the_reference_state_how_they_are_made():
    for page in REFERENCE:
        opening = " ".join((REPOSITORY / page).read_text().split("\n")[2:8])
        assert re.search(r"`[^`]*(voxcc help|--update|/papers\.py)", opening), page


def test_docs_has_three_folders_and_each_page_is_found():
    assert {path.name for path in (REPOSITORY / "docs").iterdir()} == {"README.md", "manual", "reference", "develop", "figures"}
    reached, ahead = set(), ["docs/README.md"]
    while ahead:
        page = ahead.pop()
        reached.add(page)
        ahead += [link for link in links_of(page) if link.startswith("docs/") and link.endswith(".md") and link not in {*reached, *ahead}]
    assert {*MANUAL, *REFERENCE, *DEVELOP} <= reached
