"""lab/peers.py on tiny volumes: all tables are written, every target applies to an existing figure, and wrong results are detected.
lab/tables.py on small results."""

import csv
import fnmatch
import json
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

LAB = Path(__file__).resolve().parents[2] / "lab"
RESULTS = LAB / "results"
sys.path.insert(0, str(LAB))

from peers import command, engine, files, formats, labelling, measures, memory, report, targets, volumes  # noqa: E402
from peers.figures import Row, interleaved  # noqa: E402
from peers.methods import Timing  # noqa: E402

IN_MEMORY = ("labelling", "labelling statistics", "images", "images statistics", "cuda", "threads", "isa", "isa statistics",
             "cold")
CASES = {table: list(volumes.VOLUMES) for table in IN_MEMORY}
CASES["files"] = [f"{files.VOLUME} {suffix} {dtype}" for suffix, types in files.CASES.items() for dtype in types]
CASES["memory"] = list(map(str, memory.INPUTS))
CASES["measures"] = [*measures.PARTS, "percentiles"]


@pytest.mark.parametrize("target", targets.TARGETS, ids=lambda target: f"{target.table} {target.cases} {target.column}")
def test_targets_are_about_cases_that_exist(target):
    assert fnmatch.filter(CASES[target.table], target.cases)
    assert target.value > 0 and str(target)


def test_targets_have_their_values():
    def value(*figure):
        return targets.target_of(*figure).value

    assert [value("labelling", "random-50-g1", connectivity, targets.CC3D) for connectivity in (26, 18, 6)] == [22, 10, 6]
    assert value("images", "image-50-g8", 8, targets.BEST) == 4
    assert value("files", "blobs-50 .nii.gz uint32", 26, targets.CPU_SECONDS) == 5
    assert {case: value("memory", case, 26, targets.PEAK) for case in CASES["memory"]} == {
        case: 5 if "voronoi" in case or "intensity" in case else 0.5 if "blobs" in case else 1.5 for case in CASES["memory"]}


@pytest.mark.parametrize("value, verdict", [(11.2, "reached 10x: 11.2"), (6, "MISSED 10x: 6.00")])
def test_verdict_at_least(value, verdict):
    figure = Row("labelling", "blobs-50", 26).derived(targets.CC3D, "x", value)
    assert figure.verdict == verdict and figure.reached == verdict.startswith("reached")
    assert len(report.missed([figure])) == (not figure.reached)


@pytest.mark.parametrize("value, verdict", [(13.3, "reached at most 15 %: 13.3"), (16, "MISSED at most 15 %: 16.0")])
def test_verdict_at_most(value, verdict):
    assert Row("labelling statistics", "blobs-10", 6).derived(targets.ON_TOP, "%", value).verdict == verdict


def test_no_target_no_verdict():
    assert Row("labelling", "random-31-g4", 26).derived(targets.CC3D, "x", 0.1).verdict == ""
    assert Row("threads", "hilbert-6", 26).unjudged(targets.TWO_THREADS, "x", 0.1).reached


def test_rounds_alternate():
    calls = []
    results = interleaved({name: lambda name=name: calls.append(name) or len(calls) for name in "ab"}, rounds=2)
    assert calls == list("ababab") and results == {"a": [3, 5], "b": [4, 6]}


def test_default_folder_names_date_and_machine():
    about = {"machine": "AMD EPYC, 2 cores", "date": "2026-11-21"}
    assert command.default_folder(about) == RESULTS / "2026-11-21-amd-epyc-2-cores"
    assert command.default_folder(about | {"GPU": "NVIDIA H200"}).name == "2026-11-21-nvidia-h200"


def test_every_result_has_a_line_in_the_manifest_of_its_folder():
    results = {path.relative_to(RESULTS).as_posix() for path in RESULTS.rglob("*") if path.is_file()}
    listed = {f"{manifest.parent.name}/{name}" for manifest in RESULTS.glob("*/MANIFEST.md")
              for name in re.findall(r"^\| `([^`]+)` \|", manifest.read_text(), re.MULTILINE)}
    assert listed == {name for name in results if not name.endswith("/MANIFEST.md")}


def run(voxcc, folder, *options):
    """Runs lab/peers.py and returns the figures from its JSON file."""
    program = Path(voxcc.program)
    command = [sys.executable, LAB / "peers.py", "--rounds", "1", "--size", "32", "--work", folder, "--results", folder / "results",
               "--voxcc", program, "--bench-engine", program.with_name("bench_engine"),
               "--bench-measures", program.with_name("bench_measures"), *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    written = {path.suffix: path.read_text() for path in (folder / "results").iterdir()}
    found = json.loads(written[".json"])
    assert len(written[".csv"].splitlines()) == len(found["figures"]) + 1
    assert written[".md"].count("MISSED") == len(found["missed"]) == done.stdout.count("MISSED")
    assert all(re.fullmatch(r"(reached|MISSED) .+: -?[\d.]+", figure["verdict"]) for figure in found["figures"] if figure["target"])
    return found["figures"]


def columns(figures, table):
    return {figure["column"] for figure in figures if figure["table"] == table}


def test_tables_in_memory(voxcc, tmp_path):
    figures = run(voxcc, tmp_path, "--tables", "labelling,images,threads,isa,cold", "--volumes", "random-31-g1,image-50-g8",
                  "--connectivities", "6,8", "--threads", "1,2,3", "--peers", "cc3d")
    for target in targets.TARGETS:
        if target.table in ("labelling", "labelling statistics", "images", "images statistics", "threads", "cold"):
            assert target.column in columns(figures, target.table)
    assert {"portable"} <= columns(figures, "isa") == columns(figures, "isa statistics")
    assert {"1 thread", "2 threads", "3 threads"} <= columns(figures, "threads")
    assert {(figure["case"], figure["connectivity"]) for figure in figures} == {("random-31-g1", 6), ("image-50-g8", 8)}


def test_instruction_set_is_chosen_and_recorded(voxcc, tmp_path):
    run(voxcc, tmp_path, "--tables", "cold", "--volumes", "random-31-g1", "--connectivities", "6", "--peers", "cc3d", "--isa", "portable")
    (written,) = (tmp_path / "results").glob("*-cold-portable.json")
    assert json.loads(written.read_text())["about"]["instruction set"] == "portable"


def test_instruction_set_that_is_not_used_is_an_error(tmp_path):
    """The test replaces bench_engine by a script that always reports 'portable' and does not read the volume."""
    program = tmp_path / "bench_engine"
    program.write_text("""#!/bin/sh\necho "{\\"isa\\": \\"portable\\", \\"arguments\\": \\"$*\\"}"\n""")
    program.chmod(0o755)
    (tmp_path / "hilbert-6.nii").touch()
    arguments = types.SimpleNamespace(bench_engine=program, work=tmp_path, size=None, isa="portable")
    assert "--isa portable" in engine.bench(arguments, volumes.VOLUMES["hilbert-6"], 6)["arguments"]
    arguments.isa = "avx2"
    with pytest.raises(SystemExit, match="--isa avx2: this processor does not support it; choose portable"):
        engine.bench(arguments, volumes.VOLUMES["hilbert-6"], 6)


def test_table_of_measures(voxcc, tmp_path):
    figures = run(voxcc, tmp_path, "--tables", "measures", "--volumes", "blobs-50,voronoi,field-f32", "--peers", "cc3d")
    assert {target.column for target in targets.TARGETS if target.table == "measures"} <= columns(figures, "measures")
    assert {figure["case"] for figure in figures} == set(CASES["measures"])


def test_table_of_files(voxcc, tmp_path):
    figures = run(voxcc, tmp_path, "--tables", "files", "--peers", "cc3d")
    assert {targets.CPU_SECONDS, targets.ALL_THREADS, targets.FILE_SIZE, "library + cc3d: CPU"} <= columns(figures, "files")
    assert {figure["case"] for figure in figures} == set(CASES["files"])
    assert all(figure["value"] > 0 for figure in figures)


def test_table_of_memory(voxcc, tmp_path):
    figures = run(voxcc, tmp_path, "--tables", "memory", "--volumes", "random-10-g1", "--connectivities", "26", "--peers", "cc3d,SimpleITK")
    assert {targets.PEAK, "voxcc: peak", "nibabel + cc3d: peak", "SimpleITK: peak"} <= columns(figures, "memory")
    assert {figure["case"] for figure in figures} == {"random-10-g1 .nii.gz u8, table", "random-10-g1 .nii.gz u8, no table"}


def test_other_labels_than_cc3d_are_noticed(tmp_path):
    outputs = files.Outputs(tmp_path, ".nii")
    labels = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    for name in ("voxcc-auto", "cc3d"):
        volume, table = outputs.of(name)
        formats.write(volume, labels)
        table.write_text("label,voxels\n1,1\n")
    files.verify(outputs, "auto")
    outputs.of("voxcc-auto")[1].write_text("label,voxels\n1,2\n")
    with pytest.raises(SystemExit, match="components other than"):
        files.verify(outputs, "auto")
    formats.write(outputs.of("voxcc-auto")[0], labels[:, :, ::-1])
    with pytest.raises(SystemExit, match="labels other than"):
        files.verify(outputs, "auto")


def test_other_counts_are_noticed():
    timings = {"voxcc": [Timing({}, 3)], "cc3d": [Timing({}, 3)]}
    assert labelling.same_components(volumes.VOLUMES["blobs-50"], 26, timings) == 3
    with pytest.raises(SystemExit, match="disagree"):
        labelling.same_components(volumes.VOLUMES["blobs-50"], 26, timings | {"cc3d": [Timing({}, 4)]})


@pytest.mark.parametrize("suffix", formats.FORMATS)
def test_formats_read_what_they_write(tmp_path, suffix):
    array = np.arange(2 * 3 * 4, dtype=np.uint16).reshape(2, 3, 4)
    formats.write(tmp_path / f"volume{suffix}", array)
    for _, read in formats.readers(tmp_path / f"volume{suffix}"):
        np.testing.assert_array_equal(read, array)


def test_tables_keep_the_totals_and_the_reads_of_memory(voxcc, tmp_path):
    voxcc("bench", "--algorithms", "buf,uf", "--tests", "memory", "--size", "16", "--volumes", "blobs-50", "--csv", tmp_path / "memory.csv")
    command = [sys.executable, LAB / "tables.py", tmp_path / "memory.csv", "--keep", tmp_path / "kept.csv"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "kept.csv", newline="") as file:
        kept = list(csv.DictReader(file))
    assert {(row["algorithm"], row["phase"]) for row in kept if row["statistic"] == "atomics"} == {("buf", "labelling"), ("uf", "labelling")}
    assert "| buf | " in done.stdout and "atomics" in done.stdout


def tables_of(*results):
    """The output of lab/tables.py: a dict by title, of dicts by the first cell, of the cells by column."""
    text = subprocess.run([sys.executable, LAB / "tables.py", *results], check=True, capture_output=True, text=True).stdout
    tables, title, columns = {}, "", None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            title, columns = line or title, None
        elif columns is None:
            columns = cells[1:]
        elif set(line) != set("|-"):
            tables.setdefault(title.split(", ", 1)[-1], {})[cells[0]] = dict(zip(columns, cells[1:]))
    return tables


def test_tables_show_accesses_and_phases(voxcc, tmp_path):
    results, kept = tmp_path / "results.csv", tmp_path / "kept.csv"
    voxcc("bench", "--csv", results, "--repeat", 1, "--tests", "memory,steps", "--algorithms", "uf-flat", "--volumes", "solid", "--size", 4)
    tables = {title.split("connectivity 26, ")[-1]: rows for title, rows in tables_of(results, "--keep", kept).items()}
    assert set(tables["solid: accesses and bytes per voxel"]["uf-flat"]) == {"reads", "writes", "atomics", "bytes read", "bytes written"}
    assert tables["solid: reads per voxel, by phase"]["uf-flat"]["init"] == "1"  # phase init of uf-flat reads every voxel once
    assert {"init", "merge", "compress", "number", "paint"} <= set(tables["solid: phases, ms"]["uf-flat"])
    with open(kept, newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["phase"] for row in rows if row["test"] == "memory" and row["statistic"] == "reads"} == \
        {"init", "merge", "compress", "number", "paint", "labelling"}
    assert {row["algorithm"] for row in rows if row["test"] == "steps"} == {"uf-flat"}


def test_a_cell_is_the_mean_of_its_images(tmp_path):
    header = "machine,device,driver,date,version,test,algorithm,connectivity,volume,parameters,phase,statistic,value,unit"
    row = "m,cpu,n/a,d,v,density,uf,8,random-50-g1,shape=8x8x1 density=50 granularity=1 seed={},labelling,median,{},ms"
    results = tmp_path / "results.csv"
    results.write_text("\n".join([header, row.format(1, 3), row.format(2, 5)]) + "\n")
    assert tables_of(results) == {"connectivity 8: density, uf, ms": {"1": {"50": "4"}}}


def test_sums_of_a_file_early_and_late(voxcc, tmp_path):
    volume = tmp_path / "volume.nii"
    voxcc("generate", "solid", "--size", 4, "-o", volume)

    def rows(measure):
        results = tmp_path / f"{measure}.csv"
        voxcc("bench", volume, "--measure", measure, "--algorithms", "le-kle,uf", "--repeat", 1, "--csv", results)
        with open(results, newline="") as file:
            return [row for row in csv.DictReader(file) if row["statistic"] == "components"]

    early, late = rows("early"), rows("late")
    assert [row["algorithm"] for row in early] == ["le-kle"]  # uf does not compute sums early
    assert [row["algorithm"] for row in late] == ["le-kle", "uf"]
    assert early[0]["parameters"] == "shape=4x4x4 properties=early"


def test_tables_show_passes_and_the_ways_to_compute_sums(voxcc, tmp_path):
    voxcc("bench", "--tests", "average,steps", "--volumes", "checkerboard", "--size", "12", "--repeat", "1", "--connectivity", "8", "--threads", "1",
          "--algorithms", "shibata-naive,uf", "--measure", "late,late-per-voxel", "--passes", "each", "--csv", tmp_path / "steps.csv")
    shown = subprocess.run([sys.executable, LAB / "tables.py", tmp_path / "steps.csv"], capture_output=True, text=True, check=True).stdout
    for way in ("late", "late-per-voxel"):
        assert re.search(rf"^\| shibata-naive {way}, merge/propagate \| [2-9]", shown, re.MULTILINE)
        assert f"| uf {way} |" in shown
    assert "scan 1" not in shown and "propagate 1" not in shown
