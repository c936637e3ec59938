"""Installs voxcc from a build folder and uses the installed tree as other projects do: python3 run_install.py [CLASS...]

InstalledLibrary builds the example with find_package and pkg-config. InstalledProgram runs the program. Subdirectory compiles the library
again with add_subdirectory. These projects do not set the compiler flags that voxcc needs.

VOXCC_BUILD is the build folder (default: build), VOXCC_BUILD_CONFIG its configuration, VOXCC_EXAMPLE the example (default:
examples/library). ccache is used if it is installed.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("VOXCC_BUILD", ROOT / "build")).resolve()
CONFIG = os.environ.get("VOXCC_BUILD_CONFIG") or "Release"
EXAMPLE = pathlib.Path(os.environ.get("VOXCC_EXAMPLE", ROOT / "examples" / "library")).resolve()
OUTPUT = """\
2 components
label at (5, 5, 3): 2
label 1: 4 voxels, centre (1.5, 1, 0.5)
label 2: 3 voxels, centre (5, 5, 3)
"""
# The first line of the other examples.
FIRST_LINES = {
    "measures": "label 1: value 1, 16 mm3, 40 mm2 of faces, mean of the image 1.5",
    "match": "1 and 5 share 5 voxels, IoU 0.833333",
    "holes": "filled 1 hole, 1 voxel",
    "tree": "maximum 3 at voxel 0, 5 voxels",
    "slabs": "1000 balls",
    "parts": "part 0: component 1",
}
FLAGS_OF_VOXCC = r" -(W|O|f)"
PNG = ROOT / "packaging" / "smoke" / "small.png"  # two components; ITK reads it
# A project that sets variables which add_subdirectory() must not change.
PARENT = """\
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
set(watched CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_RELEASE CMAKE_CXX_STANDARD CMAKE_CXX_EXTENSIONS CMAKE_RUNTIME_OUTPUT_DIRECTORY
  CMAKE_LIBRARY_OUTPUT_DIRECTORY CMAKE_ARCHIVE_OUTPUT_DIRECTORY CMAKE_EXPORT_COMPILE_COMMANDS CMAKE_INSTALL_RPATH_USE_LINK_PATH
  CMAKE_BUILD_WITH_INSTALL_RPATH)
foreach(name IN LISTS watched)
  set(before_${name} "${${name}}")
endforeach()
add_subdirectory("@ROOT@" voxcc)
foreach(name IN LISTS watched)
  if(NOT "${${name}}" STREQUAL "${before_${name}}")
    message(FATAL_ERROR "${name} has changed from '${before_${name}}' to '${${name}}'")
  endif()
endforeach()
foreach(name voxcc voxcc_itk voxcc_lab kernels_test bench_algorithms)
  if(TARGET ${name})
    message(FATAL_ERROR "the target ${name} exists")
  endif()
endforeach()
add_executable(example "@EXAMPLE@/main.cpp")
target_link_libraries(example PRIVATE voxcc::voxcc)
"""


LAB_PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(lab LANGUAGES CXX)
find_package(voxcc CONFIG REQUIRED)
add_executable(lab main.cpp)
target_link_libraries(lab PRIVATE voxcc::lab)
"""
LAB_PROGRAM = """\
#include <voxcc/lab.h>
#include <voxcc/label.h>
#include <cstdio>

int main() {
    const std::size_t before = voxcc::all_algorithms().size();
    voxcc::add_published_algorithms();
    const unsigned char voxels[] = {1, 0, 1};
    const auto labelling = voxcc::label(voxcc::view(voxels, {3, 1, 1}), {.connectivity = voxcc::Connectivity::c26}, {.algorithm = "buf"});
    std::printf("%zu algorithm, then %zu; buf finds %d components\\n", before, voxcc::all_algorithms().size(), int(labelling->count()));
}
"""


def run(*command, **environment):
    """Runs a command with LC_ALL=C, without VOXCC* variables and compiler flags of the caller. @return stdout

    environment: other variables; a variable that is None is removed"""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VOXCC") and name not in ("CXXFLAGS", "LDFLAGS", "DESTDIR")}
    clean.update(LC_ALL="C")
    if shutil.which("ccache"):
        clean["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    clean.update(environment)
    clean = {name: value for name, value in clean.items() if value is not None}
    result = subprocess.run([str(word) for word in command], env=clean, capture_output=True, text=True)
    if result.returncode:
        raise AssertionError(f"{command} ends with {result.returncode}:\n{result.stdout}\n{result.stderr}")
    return result.stdout


def cached(name):
    """@return the value of a variable in the CMake cache of the build folder, or "" """
    match = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return match.group(1) if match else ""


def install(prefix, **environment):
    run("cmake", "--install", BUILD, "--config", CONFIG, "--prefix", prefix, **environment)


def one(folder, name):
    """@return the only file with this name in the folder and its subfolders"""
    found = list(folder.rglob(name))
    if len(found) != 1:
        raise AssertionError(f"{name} is {len(found)} times below {folder}")
    return found[0]


def configure(source, folder, *options):
    """Configures a project. @return source file name -> compile command"""
    run("cmake", "-S", source, "-B", folder, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
    commands = json.loads((folder / "compile_commands.json").read_text())
    return {pathlib.Path(entry["file"]).name: entry["command"] for entry in commands}


def build(folder):
    """Builds a project. With the locale of the caller, because ccache compares it."""
    run("cmake", "--build", folder, "--parallel", "2", LC_ALL=os.environ.get("LC_ALL"))


class Installed(unittest.TestCase):
    """Installs voxcc into a prefix, then moves the prefix."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="voxcc-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        install(cls.folder / "first")
        cls.moved = cls.folder / "moved" / "voxcc tree"
        shutil.copytree(cls.folder / "first", cls.moved, symlinks=True)


class InstalledLibrary(Installed):
    def build_with_cmake(self, prefix, name):
        command = configure(EXAMPLE, self.folder / name, f"-DCMAKE_PREFIX_PATH={prefix}")["main.cpp"]
        self.assertNotRegex(command, FLAGS_OF_VOXCC)
        self.assertNotIn(str(ROOT / "include"), command)
        build(self.folder / name)
        self.assertEqual(run(self.folder / name / "example"), OUTPUT)
        for example, line in FIRST_LINES.items():
            self.assertEqual(run(self.folder / name / example).splitlines()[0], line)
        self.assertRegex(run(self.folder / name / "device"), "(?s)no GPU is used: .+|2 components")

    def build_with_pkg_config(self, prefix, name):
        package_folder = one(prefix, "voxcc.pc").parent
        flags = run("pkg-config", "--cflags", "--libs", "voxcc", PKG_CONFIG_PATH=str(package_folder))
        command = f"${{CXX:-c++}} -std=c++20 '{EXAMPLE}/main.cpp' {flags.strip()} -o '{self.folder / name}'"
        run("sh", "-c", command)
        self.assertEqual(run(self.folder / name), OUTPUT)

    def test_lab(self):
        """The library voxcc::lab adds the published algorithms."""
        folder = self.folder / "lab"
        folder.mkdir()
        (folder / "main.cpp").write_text(LAB_PROGRAM)
        (folder / "CMakeLists.txt").write_text(LAB_PROJECT)
        configure(folder, folder / "build", f"-DCMAKE_PREFIX_PATH={self.moved}")
        build(folder / "build")
        self.assertEqual(run(folder / "build" / "lab"), "1 algorithm, then 38; buf finds 2 components\n")

    def test_cmake(self):
        self.build_with_cmake(self.folder / "first", "cmake-first")

    def test_pkg_config(self):
        self.build_with_pkg_config(self.folder / "first", "pkg-config-first")

    def test_moved(self):
        hidden = self.folder / "hidden"  # so that no file of the first prefix can be used
        (self.folder / "first").rename(hidden)
        self.addCleanup(hidden.rename, self.folder / "first")
        self.build_with_cmake(self.moved, "cmake-moved")
        self.build_with_pkg_config(self.moved, "pkg-config-moved")

    def test_version(self):
        folder = self.folder / "version"
        folder.mkdir()
        project = "cmake_minimum_required(VERSION 3.25)\nproject(version LANGUAGES CXX)\nfind_package(voxcc {} CONFIG REQUIRED)\n"
        wanted = cached("CMAKE_PROJECT_VERSION")
        for version, accepted in ((wanted, True), ("99.0", False)):
            (folder / "CMakeLists.txt").write_text(project.format(version))
            command = ("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.folder / 'first'}")
            with self.subTest(version=version):
                if accepted:
                    run(*command)
                else:
                    self.assertRaisesRegex(AssertionError, "99.0", run, *command)
        self.assertEqual(run("pkg-config", "--modversion", one(self.folder / "first", "voxcc.pc")).strip(), wanted)

    def test_package_files(self):
        """CMake and pkg-config files must not contain the build folder, the source folder, the prefix or warning flags."""
        files = [path for path in (self.folder / "first").rglob("*") if path.suffix in (".cmake", ".pc")]
        self.assertGreaterEqual(len(files), 5)
        for path in files:
            text = path.read_text()
            for word in (str(BUILD), str(ROOT), str(self.folder), "-Wall", "voxcc_flags"):
                self.assertNotIn(word, text, path)

    def test_headers(self):
        """Exactly the public headers are installed, and the header of the laboratory."""
        names = lambda root: {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
        of_lab = {"lab.h"} if cached("VOXCC_LAB") == "ON" else set()
        self.assertEqual(names(self.folder / "first" / "include" / "voxcc"), names(ROOT / "include" / "voxcc") | of_lab)

    def test_folders(self):
        """The prefix has only the usual folders. A build with tests has the Python module, too, which must not be installed."""
        libraries = pathlib.Path(cached("CMAKE_INSTALL_LIBDIR")).parts[0]
        self.assertLessEqual({path.name for path in (self.folder / "first").iterdir()}, {"bin", "include", libraries, "share"})
        self.assertEqual(list((self.folder / "first").rglob("_core*")), [])

    def test_licence(self):
        self.assertEqual(one(self.folder / "first", "LICENSE").read_text(), (ROOT / "LICENSE").read_text())

    def test_destdir(self):
        stage = self.folder / "stage"
        install("/opt/voxcc", DESTDIR=str(stage))
        names = lambda root: {path.relative_to(root) for path in root.rglob("*")}
        self.assertEqual(names(stage / "opt" / "voxcc"), names(self.folder / "first"))


@unittest.skipUnless(cached("VOXCC_IO") == "ON", "SKIPPED: this build has no program")
class InstalledProgram(Installed):
    def check_program(self, prefix):
        program = prefix / "bin" / "voxcc"
        table = run(program, "label", ROOT / "examples" / "data" / "ct_lesions.nii.gz", "--stats", "-", "-q")
        self.assertEqual(len(table.splitlines()), 1 + 22)  # the number of components in examples/data/README.md
        self.assertEqual(run(program, "label", PNG, "--stats", "-", "-q").splitlines()[1].split(",")[:2], ["1", "2"])

    def test_first(self):
        self.check_program(self.folder / "first")

    def test_moved(self):
        self.check_program(self.moved)

    def test_symbolic_link(self):
        links = self.folder / "links" / "bin"
        links.mkdir(parents=True)
        (links / "voxcc").symlink_to(self.folder / "first" / "bin" / "voxcc")
        self.check_program(links.parent)

    def test_manual_pages(self):
        """A page for voxcc and one per command, also after the prefix has been moved."""
        commands = re.findall(r"^  ([a-z]+)", run(self.moved / "bin" / "voxcc", "help").split("\nMessages:\n")[0], re.M)
        self.assertIn("label", commands)
        names = {"voxcc.1", *(f"voxcc-{command}.1" for command in commands)}
        folder = self.moved / "share" / "man" / "man1"
        self.assertEqual({path.name for path in folder.iterdir()}, names)
        for name in names:
            self.assertIn("\n.SH EXAMPLES\n", (folder / name).read_text(), name)

    def test_completions(self):
        """The scripts are in the folders of the shells. They are equal to the scripts that the installed program prints."""
        share = self.moved / "share"
        places = {"bash": "bash-completion/completions/voxcc", "zsh": "zsh/site-functions/_voxcc", "fish": "fish/vendor_completions.d/voxcc.fish"}
        for shell, place in places.items():
            self.assertEqual((share / place).read_text(), run(self.moved / "bin" / "voxcc", "help", "--format", shell), shell)

    def test_no_build_folder(self):
        """The run path of the installed files does not contain the build folder."""
        for path in (self.moved / "bin" / "voxcc", one(self.moved, "voxcc_itk-*.so"), one(self.moved, "voxcc_lab-*.so")):
            self.assertNotIn(str(BUILD), run("readelf", "--dynamic", path))


class Subdirectory(unittest.TestCase):
    def setUp(self):
        # Beside the build folder, because ccache compares relative paths. The folder is at the same depth.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="build-install-", dir=BUILD.parent))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "CMakeLists.txt").write_text(PARENT.replace("@ROOT@", str(ROOT)).replace("@EXAMPLE@", str(EXAMPLE)))

    def test_build(self):
        if shutil.which("ccache"):  # the compiler is called as in the build folder, whose objects are then in the cache
            options = [f"-G{cached('CMAKE_GENERATOR')}", f"-DVOXCC_WERROR={cached('VOXCC_WERROR')}", "-DCMAKE_BUILD_TYPE=Release",
                       "-DCMAKE_CXX_FLAGS_RELEASE=-O3"]
        else:  # without optimisation the library compiles in half of the time
            options = ["-DCMAKE_BUILD_TYPE=Plain", "-DCMAKE_CXX_FLAGS_PLAIN=-O0"]
        commands = configure(self.folder, self.folder, "-DVOXCC_CUDA=OFF", *options)  # CUDA would take minutes
        self.assertNotRegex(re.sub("-O[03]", "", commands["main.cpp"]), FLAGS_OF_VOXCC)
        build(self.folder)
        self.assertEqual(run(self.folder / "example"), OUTPUT)
        run("cmake", "--install", self.folder, "--prefix", self.folder / "prefix")
        self.assertEqual([path for path in self.folder.glob("prefix/**/*") if path.is_file()], [])  # voxcc is not installed with the other project

    def test_build_type(self):
        """The build type of the other project decides. Without one, the library is optimised: otherwise it is many times slower."""
        alone = ("-DVOXCC_CUDA=OFF", "-DVOXCC_GROUPS=OFF")  # one command per source file
        plain = configure(self.folder, self.folder / "plain", *alone, "-DCMAKE_BUILD_TYPE=Plain", "-DCMAKE_CXX_FLAGS_PLAIN=-O0")
        self.assertNotRegex(plain["main.cpp"].replace("-O0", ""), FLAGS_OF_VOXCC)
        self.assertNotIn("-O3", plain["registry.cpp"])
        none = configure(self.folder, self.folder / "none", *alone)
        self.assertNotRegex(none["main.cpp"], FLAGS_OF_VOXCC)
        self.assertIn("-O3", none["registry.cpp"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
