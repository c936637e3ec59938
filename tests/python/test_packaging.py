"""The recipes in packaging/ and CITATION.cff: they can be read, and they agree with the rest of the repository.

The scripts of packaging/ build and run the packages. They need root and take minutes, so they are not part of these tests.
"""

import csv
import re
import shutil
import subprocess
import sys

import pytest
from cffconvert.citation import Citation
from conftest import REPOSITORY
from helpers import label_scipy, read_nifti
from scipy.ndimage import find_objects

PACKAGING = REPOSITORY / "packaging"
sys.path.insert(0, str(PACKAGING))

import conda_recipe  # noqa: E402  (the line above adds its folder)
import recipe_steps  # noqa: E402


def text_of(path):
    return (REPOSITORY / path).read_text()


VERSION = re.search(r"^project\(voxcc VERSION ([\d.]+)", text_of("CMakeLists.txt"), re.MULTILINE)[1]


def test_citation():
    citation = Citation(text_of("CITATION.cff"), src="CITATION.cff")
    citation.validate()  # raises an exception if the file does not fit the schema
    assert citation.cffobj["version"] == VERSION
    assert len(citation.cffobj["references"]) == 5


def test_the_citation_is_checked():
    with pytest.raises(Exception, match="authors"):
        Citation(re.sub(r"^authors:\n.*\n", "", text_of("CITATION.cff"), flags=re.MULTILINE)).validate()


def test_version_of_the_debian_package():
    assert re.match(rf"voxcc \({re.escape(VERSION)}-\d+\) ", text_of("packaging/deb/changelog"))


def test_debian_build_dependencies():
    """The Debian package needs the libraries that setup.sh installs."""
    control = text_of("packaging/deb/control")
    build = set(re.findall(r"^ ([a-z0-9.-]+)", control[control.index("Build-Depends:") : control.index("\nPackage:")], re.MULTILINE))
    installed = set(re.findall(r"^    (.*)$", text_of("scripts/packages.sh").split(")", 1)[0], re.MULTILINE))
    installed = {package for line in installed for package in line.split("#")[0].split()}
    not_for_packages = {"build-essential", "git", "ca-certificates", "doctest-dev", "python3-dev", "python3-venv"}
    assert build - {"debhelper-compat"} == installed - not_for_packages


def test_conda_recipe():
    recipe = conda_recipe.rendered()
    assert (recipe["package"]["name"], recipe["package"]["version"]) == ("voxcc", VERSION)
    assert (PACKAGING / "conda" / recipe["source"][0]["git"]).resolve() == REPOSITORY
    assert (REPOSITORY / recipe["build"]["script"]).stat().st_mode & 0o111
    script, contents = recipe["tests"]
    assert f" voxcc {VERSION} " in script["script"]
    for path in script["files"]["source"]:
        assert (REPOSITORY / path).exists(), path
    for module in ("voxcc_itk", "voxcc_lab"):
        assert f"lib/voxcc/{module}-{VERSION}.so" in contents["package_contents"]["files"]


def test_conda_packages_are_documented():
    """docs/manual/install.md lists the packages of conda-forge that the recipe needs."""
    documented = re.search(r"On conda-forge:\n```text\n(.*?)```", text_of("docs/manual/install.md"), re.DOTALL)[1].split()
    assert set(conda_recipe.rendered()["requirements"]["host"]) <= {*documented, "libitk"}


@pytest.mark.parametrize("recipe", ["Dockerfile", "voxcc.def"])
def test_container_recipe(recipe):
    """Both recipes compile in one stage and install only the package in another stage."""
    steps = recipe_steps.steps(PACKAGING / recipe)
    assert [step for step in steps if step[0] == "stage"] == [("stage", "build", "debian:12"), ("stage", "final", "debian:12-slim")]
    final = steps[steps.index(("stage", "final", "debian:12-slim")) :]
    assert [step for step in final if step[0] == "copy"] == [("copy", "build", "/packages/voxcc_*.deb", "/packages/")]
    assert [step for step in final if step[0] == "start"] == [("start", 'voxcc "$@"')]
    (compile_step,) = [step for step in steps[: -len(final)] if step[0] == "run"]
    assert "packaging/build_deb.sh /packages" in compile_step[1]
    (install_step, *_) = [step for step in final if step[0] == "run"]
    assert "install -y --no-install-recommends /packages/voxcc_*.deb" in install_step[1]


@pytest.mark.parametrize("name, text", [("Dockerfile", "FROM debian:12\nADD a b\n"), ("a.def", "Bootstrap: docker\nFrom: a\nStage: b\n\n%setup\n x\n")])
def test_unknown_steps(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match="unknown"):
        recipe_steps.steps(tmp_path / name)


def test_expected_table():
    """The table of the smoke test contains the labels, sizes and bounding boxes of scipy."""
    labels = label_scipy(read_nifti(REPOSITORY / "examples" / "data" / "ct_lesions.nii.gz") != 0, 26)
    rows = [["label", "voxels", "bbox_i_min", "bbox_i_max", "bbox_j_min", "bbox_j_max", "bbox_k_min", "bbox_k_max"]]
    for label, (z, y, x) in enumerate(find_objects(labels), 1):
        box = [x.start, x.stop - 1, y.start, y.stop - 1, z.start, z.stop - 1]
        rows.append([str(value) for value in [label, (labels == label).sum(), *box]])
    with open(PACKAGING / "smoke" / "expected.csv", newline="") as file:
        assert list(csv.reader(file)) == rows


def test_smoke_test(voxcc):
    """The built program passes the smoke test. A wrong version or a wrong volume does not."""
    examples = REPOSITORY / "examples"
    command = [PACKAGING / "smoke" / "smoke_test.sh", voxcc.program]
    right = [VERSION, examples / "data" / "ct_lesions.nii.gz"]
    if "+" not in voxcc("--version").stdout.splitlines()[0]:
        pytest.skip("the program does not name a commit")
    assert subprocess.run([*command, *right], capture_output=True, text=True).stdout.endswith("smoke test: passed\n")
    for wrong in ([f"{VERSION}1", right[1]], [VERSION, examples / "data" / "README.md"]):
        assert subprocess.run([*command, *wrong], capture_output=True).returncode != 0


def test_shellcheck():
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    scripts = [*PACKAGING.glob("*.sh"), *PACKAGING.glob("*/*.sh")]
    assert len(scripts) >= 8
    done = subprocess.run(["shellcheck", "-x", "-P", "SCRIPTDIR", *scripts], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_links():
    for page in ("packaging/README.md", "docs/develop/release.md", "SECURITY.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(page)):
            assert ((REPOSITORY / page).parent / target).exists(), f"{page}: {target}"
