"""lab/papers.py and lab/plots.py --paper: the numbers of the papers, the rules that check their statements, tables and figures."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

LAB = Path(__file__).resolve().parents[2] / "lab"
sys.path.insert(0, str(LAB))

import measurements  # noqa: E402
from papers import claims, command, rules, tables  # noqa: E402
from papers.facts import UNREADABLE, read_facts  # noqa: E402
from papers.page import page  # noqa: E402
from plotting.of_docs import data_in  # noqa: E402

ITEMS = {
    "allegretti": "table2 table3 table4 fig13 fig14 fig15 fig16 fig17 hilbert",
    "hennequin": "fig5 fig6 granularity percolation",
    "asad": "table1 table3 table4 table5 table6 table7 table8 table9 fig5 fig6 fig7 fig8 fig9 fig10",
    "ziegler": "iterations colours",
    "shibata": "table1 table2 table3 table4 table5 table6 table7 table8 steps",
}


def measurement(**columns):
    """A row of the table of voxcc bench."""
    row = {"machine": "host", "device": "cuda:0, NVIDIA H200", "driver": "n/a", "date": "2026-01-01T00:00:00Z", "version": "0.1.0",
           "test": "average", "algorithm": "buf", "connectivity": "26", "volume": "hilbert-1", "parameters": "shape=128x128x128",
           "phase": "labelling", "statistic": "median", "value": 1.0, "unit": "ms"}
    assert columns.keys() <= row.keys()
    return row | columns


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, measurements.COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def run(program, *arguments):
    return subprocess.run([sys.executable, str(LAB / program), *map(str, arguments)], capture_output=True, text=True, timeout=120)


def numbers(paper, item, quantity):
    """{(volume, algorithm): number} of a quantity."""
    return {(f.volume, f.algorithm): f.number for f in read_facts(paper) if f.item == item and f.quantity == quantity}


# The numbers of the papers, checked against each other.

@pytest.mark.parametrize("paper", ITEMS)
def test_facts_are_complete(paper):
    facts = read_facts(paper)
    assert all(f.item and f.quantity and f.value and f.page_or_section for f in facts)
    assert len(set(facts)) == len(facts)


@pytest.mark.parametrize("table", range(1, 9))
def test_passes_of_shibata_add_up_to_his_totals(table):
    times = {f.quantity: f.number for f in read_facts("shibata") if f.item == f"table{table}"}
    total = times.pop("total")
    assert sum(times.values()) == pytest.approx(total, rel=1e-12) and len(times) == {7: 5, 8: 4}.get(table, 11)


def test_reads_saved_by_inline_compression_are_differences():
    reads = numbers("allegretti", "table3", "reads in compression")
    for (volume, name), saved in numbers("allegretti", "table3", "reads saved by inline compression").items():
        assert abs(reads[volume, name] - reads[volume, f"{name}-ic"] - saved) <= 1, (volume, name)  # the paper rounds means


def test_memory_of_properties_is_48_bytes_per_pixel():
    labels, properties = (numbers("asad", "table1", f"memory of the {what}") for what in ("labels", "properties"))
    assert len(labels) == 4 and all(properties[place] == 12 * megabytes for place, megabytes in labels.items())


def test_errors_of_table_6_follow_from_its_times():
    means, deviations = (numbers("asad", "table6", quantity) for quantity in ("mean time", "deviation"))
    errors = numbers("asad", "table6", "error of the mean")
    assert len(errors) == 6
    for (_, name), error in errors.items():
        of_times = (means["patterns", name] - means["data sets", name]) / deviations["data sets", name]
        assert of_times == pytest.approx(error, abs=0.02)  # the times have one decimal


def test_images_of_the_families_add_up():
    images = {volume: number for (volume, _), number in numbers("asad", "table3", "images").items()}
    assert images.pop("all") == sum(images.values())


# Rules

GRID = tables.Grid({("a", "0"): 4, ("a", "10"): 6, ("a", "20"): 5, ("b", "0"): 2, ("b", "10"): 4, ("b", "20"): 6})


@pytest.mark.parametrize("rule, claim, found, state", [
    ("ratio", {"over": "a", "under": "b", "low": 0.8, "high": 2}, "0.833 to 2", rules.AGREES),
    ("ratio", {"over": "a", "under": "b", "low": 1.4, "high": 2}, "0.833 to 2", rules.PARTLY),
    ("ratio", {"over": "a", "under": "b", "low": 3}, "0.833 to 2", rules.DIFFERS),
    ("ratio", {"over": "a", "under": "b", "columns": ["0"], "high": 1.9}, "2", rules.AGREES),
    ("ratio", {"over": "a", "under": "b", "columns": ["0"], "high": 1.9, "strict": True}, "2", rules.DIFFERS),
    ("column ratio", {"over": "10", "under": "0", "low": 1.5, "high": 2}, "1.5 to 2", rules.AGREES),
    ("column ratio", {"over": "10", "under": "0", "rows": ["b"], "low": 3}, "2", rules.DIFFERS),
    ("value", {"row": "a", "low": 4, "high": 6}, "4 to 6", rules.AGREES),
    ("value", {"row": "a", "low": 200}, "4 to 6", rules.DIFFERS),
    ("below", {"rows": ["b"], "others": ["a"]}, "2 of 3 columns", rules.PARTLY),
    ("below", {"rows": ["b"], "others": ["a"], "columns": ["0", "10"]}, "2 of 2 columns", rules.AGREES),
    ("below", {"rows": ["a"], "others": ["b"], "columns": ["0"]}, "0 of 1 columns", rules.DIFFERS),
    ("greatest", {"row": "a", "columns": ["0"]}, "1 of 1 columns", rules.AGREES),
    ("greatest", {"row": "b"}, "1 of 3 columns", rules.PARTLY),
    ("peak", {"row": "a", "at": 10}, "at 10", rules.AGREES),
    ("peak", {"row": "a", "at": 15, "within": 5}, "at 10", rules.AGREES),
    ("peak", {"row": "b", "at": 10}, "at 20, the last column", rules.DIFFERS),
    ("peak", {"row": "b", "at": 20}, "at 20, the last column", rules.PARTLY),
    ("rises", {"row": "b"}, "2 to 6", rules.AGREES),
    ("rises", {"row": "a"}, "4 to 5", rules.PARTLY),
    ("falls", {"row": "b"}, "2 to 6", rules.DIFFERS),
    ("crossing", {"row": "a", "other": "b", "at": 20}, "from 20 on", rules.AGREES),
    ("crossing", {"row": "a", "other": "b", "at": 0, "within": 10}, "from 20 on", rules.DIFFERS),
    ("crossing", {"row": "b", "other": "a", "at": 0}, "nowhere up to the last column", rules.DIFFERS),
])
def test_rule(rule, claim, found, state):
    assert rules.RULES[rule](GRID, claim) == rules.Outcome(found, state)


@pytest.mark.parametrize("rule, claim", [
    ("ratio", {"over": "a", "under": "c"}), ("column ratio", {"over": "30", "under": "0"}), ("value", {"row": "c"}),
    ("below", {"rows": ["c"], "others": ["a"]}), ("greatest", {"row": "c"}), ("peak", {"row": "c", "at": 0}), ("rises", {"row": "c"}),
    ("falls", {"row": "a", "from": 10}), ("crossing", {"row": "a", "other": "c", "at": 0})])
def test_rule_without_its_numbers_has_no_outcome(rule, claim):
    assert rules.RULES[rule](GRID, claim) is None


def test_every_rule_is_tested():
    tested = {mark.args[1][i][0] for mark in test_rule.pytestmark for i in range(len(mark.args[1]))}
    assert tested == rules.RULES.keys()


# Statements

@pytest.mark.parametrize("paper", ITEMS)
def test_statements_hold_for_the_numbers_of_their_paper(paper):
    facts, notes = read_facts(paper), claims.read_notes()
    checked = [one for item in command.PAPERS[paper].items for one in claims.check_all(notes, paper, item.name, item.tables(facts, []))]
    assert checked and all(one.verdict in ("not measured", "not compared") or one.claim["where"] == "appendix B" for one in checked)
    wrong = [str(one) for one in checked if one.paper and one.paper.state != rules.AGREES]
    assert [text for text in wrong if "greatest relative deviation" not in text] == []


def test_notes_are_about_items_that_exist():
    assert {paper: set(items) - set(ITEMS[paper].split()) for paper, items in claims.read_notes().items()} == {paper: set() for paper in ITEMS}


@pytest.mark.parametrize("paper", ITEMS)
def test_every_item_has_a_statement(paper):
    notes = claims.read_notes()[paper]
    assert [item for item in ITEMS[paper].split() if not notes.get(item, {}).get("claims")] == ["table5"] * (paper == "asad")


def test_a_statement_says_where_it_fails_and_why():
    table = tables.Table("t", "times", "ms", ours=GRID)
    claim = {"says": "A takes 3 times as long as B", "where": "page 1", "table": "t", "rule": "ratio", "over": "a", "under": "b", "low": 3,
             "reason": "It has more steps."}
    assert str(claims.check(claim, [table])) == (
        "A takes 3 times as long as B (page 1). voxcc: 0.833 to 2. **Does not agree.** It has more steps.")
    assert str(claims.check(claim | {"low": 0.5}, [table])).endswith("**Agrees.**")


@pytest.mark.parametrize("change, message", [
    ({"rule": "ratios"}, "'ratios' is not a rule"), ({"table": "u"}, "'u' is not a table; use t"), ({"hihg": 3}, "unknown or missing fields")])
def test_wrong_notes_are_errors(change, message):
    claim = {"says": "S", "where": "W", "table": "t", "rule": "value", "row": "a"} | change
    with pytest.raises(claims.NotesError, match=message):
        claims.check(claim, [tables.Table("t", "times", "ms", ours=GRID)])


# Our measurements

def test_times_of_different_sessions_are_not_compared():
    old = [measurement(algorithm=name, value=1.0) for name in ("buf", "bke", "be", "uf")]
    new = [measurement(algorithm=name, value=2.0, date="2026-01-02T00:00:00Z") for name in ("buf", "bke", "be")]
    few = [measurement(algorithm=name, value=3.0, date="2026-01-03T00:00:00Z") for name in ("buf", "bke")]
    chosen = tables.of_one_session(old + new + few)
    assert {(run["algorithm"], run["value"]) for run in chosen} == {("buf", 2.0), ("bke", 2.0), ("be", 2.0)}
    assert {run["value"] for run in tables.of_one_session(old + few)} == {1.0}


def test_a_cell_sums_phases_and_averages_volumes():
    runs = [measurement(volume=volume, phase=phase, value=value) for volume, phase, value in
            (("u", "merge/scan", 1.0), ("u", "merge/first scan", 2.0), ("v", "merge/scan", 5.0))]
    assert tables.measured(runs, lambda run: "buf", tables.step)["ours"].cells == {("buf", "merge"): 4.0}


def test_rows_that_do_not_compare_are_left_out():
    one, two_gpus = measurement(), measurement(device="cuda:0,1, 2 x NVIDIA H200")
    assert tables.usable([one, dict(one), two_gpus, measurement(parameters="shape=8x8x8 relabel=scan")]) == [one]


def test_sessions_with_other_allocation_are_not_averaged():
    rows = [measurement(parameters=f"shape=8x8x8{words}", value=value, date=f"2026-01-0{day}T00:00:00Z")
            for day, (words, value) in enumerate([("", 1.0), (" allocation=fresh", 3.0)], start=1)]
    assert tables.measured(rows, lambda run: "a", lambda run: "b")["ours"].cells == {("a", "b"): 3.0}


def test_single_passes_are_not_added_to_their_phase():
    phases = ["merge/scan", "merge/scan 1", "merge/scan 2", "merge/global merge 1", "merge/global merge 2"]
    rows = measurements.without_passes([measurement(phase=phase) for phase in phases])
    assert [row["phase"] for row in rows] == ["merge/scan", "merge/global merge 1", "merge/global merge 2"]


def test_items_have_the_names_of_the_bench():
    assert {name: " ".join(item.name for item in paper.items) for name, paper in command.PAPERS.items()} == ITEMS


@pytest.mark.parametrize("paper", command.PAPERS.values(), ids=command.PAPERS)
def test_the_bench_measures_every_item(voxcc, paper):
    listed = re.findall(rf"^{paper.name} ([a-z0-9 ]+): ", voxcc("bench", "--paper", paper.name, "--list").stdout, re.MULTILINE)
    assert {item.measured_by or item.name for item in paper.items if item.measurable} <= set(" ".join(listed).split())


# One measurement, as `voxcc bench --paper` writes it, and the place in the tables of an item where it must appear.
PLACES = [
    ("allegretti table2", {"algorithm": "ke", "connectivity": "8", "volume": "xdocs", "phase": "with allocation", "statistic": "mean",
                           "parameters": "experiment=allegretti/table2 allocation=fresh"}, ("data sets", "ke", "XDOCS")),
    ("allegretti table3", {"test": "memory", "phase": "compress", "statistic": "reads", "unit": "1/voxel", "connectivity": "8",
                           "volume": "set/medical/1.png", "parameters": "shape=2x1x1"}, ("data sets", "buf", "Medical")),
    ("allegretti table4", {"test": "steps", "algorithm": "ole", "phase": "merge/scan", "statistic": "calls", "unit": "1", "connectivity": "8",
                           "volume": "random-40-g1-mt19937", "parameters": "shape=2048x2048x1 density=40 granularity=1 seed=2"},
     ("iterations", "ole", "40")),
    ("allegretti fig13", {"test": "steps", "phase": "merge", "connectivity": "8", "volume": "blobs-50", "parameters": "shape=2048x2048x1"},
     ("blobs-50 2048x2048x1", "buf", "merge")),
    ("allegretti fig13", {"test": "steps", "phase": "allocation", "connectivity": "8", "volume": "blobs-50",
                          "parameters": "shape=2048x2048x1 allocation=fresh"}, ("allocation", "buf", "blobs-50 2048x2048x1")),
    ("allegretti fig14", {"test": "steps", "phase": "compress/copy", "algorithm": "be"}, ("Hilbert", "be", "compress")),
    ("allegretti fig15", {"test": "granularity", "connectivity": "8", "volume": "random-30-g8-mt19937",
                          "parameters": "shape=2048x2048x1 density=30 granularity=8"}, ("g8", "buf", "30")),
    ("allegretti fig16", {"device": "cpu, 2 threads", "algorithm": "block-runs", "connectivity": "8", "volume": "blobs-10",
                          "parameters": "shape=2048x2048x1"}, ("times", "block-runs on the CPU", "blobs-10 2048x2048x1")),
    ("hennequin fig5", {"connectivity": "4", "algorithm": "playne", "volume": "random-65-g4-mt19937",
                        "parameters": "shape=2048x2048x1 density=65 granularity=4"}, ("by density", "playne", "65")),
    ("hennequin fig6", {"connectivity": "4", "algorithm": "ha4-64", "test": "steps", "phase": "measure/properties", "volume": "random-65-g4",
                        "parameters": "shape=2048x2048x1 density=65 granularity=4 properties=late-per-voxel"},
     ("features", "naive", "mean over all densities")),
    ("hennequin percolation", {"connectivity": "4", "algorithm": "ha4", "volume": "random-64-g4",
                               "parameters": "shape=2048x2048x1 density=64 granularity=4"}, ("by density", "ha4", "64")),
    ("asad table1", {"test": "properties", "algorithm": "le-hybrid", "connectivity": "8", "statistic": "own memory", "unit": "B",
                     "volume": "leveling", "value": 2.0**20, "parameters": "shape=1024x1024x1 level=3 properties=early"},
     ("memory", "properties, early", "1024^2")),
    ("asad table3", {"test": "properties", "algorithm": "tm", "connectivity": "8", "statistic": "mean", "volume": "spiral",
                     "parameters": "shape=8192x8192x1 properties=late-per-voxel"}, ("mean", "spiral", "late TM")),
    ("asad table4", {"test": "properties", "algorithm": "tm", "connectivity": "8", "statistic": "mean", "volume": "all",
                     "parameters": "shape=16384x16384x1 properties=ordinary"}, ("mean", "16384^2", "ordinary TM")),
    ("asad table6", {"algorithm": "le-hybrid", "connectivity": "8", "volume": "davis/bear/1.png",
                     "parameters": "shape=8192x8192x1 experiment=asad/table5"}, ("times", "ordinary LE", "data sets: mean")),
    ("asad table8", {"test": "model", "algorithm": "tm", "connectivity": "8", "volume": "all", "statistic": "c of deviation", "unit": "1",
                     "parameters": "properties=early"}, ("parameters", "early TM", "c")),
    ("asad fig5", {"test": "steps", "algorithm": "le-hybrid-p4", "connectivity": "8", "phase": "merge/first scan", "volume": "subdivision-1-4",
                   "parameters": "shape=8192x8192x1 level=1 subdivisions=4"}, ("subdivision", "P4", "4")),
    ("asad fig6", {"test": "steps", "algorithm": "le-hybrid-global", "connectivity": "8", "phase": "merge/scan",
                   "volume": "random-instancing-5-5-30", "parameters": "shape=8192x8192x1 level=5 subdivisions=5 probability=0.3"},
     ("random-instancing", "global flag, level 5", "0.3")),
    ("asad fig7", {"test": "properties", "algorithm": "tm", "connectivity": "8", "phase": "local/local merge", "volume": "leveling",
                   "parameters": "shape=8192x8192x1 level=7 properties=early"}, ("leveling early TM", "local/local merge", "7")),
    ("asad fig8", {"test": "properties", "algorithm": "tm", "connectivity": "8", "volume": "scaling",
                   "parameters": "shape=8192x8192x1 level=2 factor=0.5 properties=ordinary"}, ("scaling", "ordinary TM", "0.5")),
    ("asad fig9", {"test": "properties", "algorithm": "tm", "connectivity": "8", "volume": "scaling",
                   "parameters": "shape=8192x8192x1 level=2 factor=0.5 properties=ordinary"}, ("distribution", "ordinary TM", "median")),
    ("asad fig10", {"test": "model", "algorithm": "tm", "connectivity": "8", "volume": "all", "statistic": "mean",
                    "parameters": "shape=512x512x1 properties=ordinary"}, ("mean", "ordinary TM", "512^2")),
    ("ziegler iterations", {"test": "steps", "algorithm": "ziegler-links", "connectivity": "4", "phase": "merge/propagate", "unit": "1",
                            "statistic": "calls", "volume": "blobs-50", "parameters": "shape=1024x768x1"},
     ("iterations", "ziegler-links", "blobs-50 1024x768, 4 neighbours")),
    ("ziegler colours", {"algorithm": "ziegler-links", "connectivity": "8", "volume": "photos/cat.png",
                         "parameters": "shape=640x480x1 criterion=colour:25"},
     ("times", "ziegler-links", "cat.png 640x480, 8 neighbours, colour:25")),
    ("shibata table7", {"test": "steps", "device": "cpu, 1 threads", "algorithm": "shibata", "connectivity": "8", "phase": "merge/propagate 3",
                        "volume": "dry-earth", "parameters": "shape=768x768x1"}, ("passes", "1 threads, dry-earth", "pass 3")),
    ("shibata steps", {"test": "steps", "algorithm": "shibata-slow", "connectivity": "8", "phase": "merge/propagate", "statistic": "calls",
                       "unit": "1", "volume": "spiral", "parameters": "shape=256x256x1"}, ("passes", "shibata-slow", "spiral 256x256")),
]


@pytest.mark.parametrize("where, columns, place", PLACES, ids=[where for where, *_ in PLACES])
def test_a_measurement_appears_in_the_table_of_its_item(where, columns, place):
    name, item = where.split()
    found = command.PAPERS[name].item(item).tables(read_facts(name), [measurement(**columns)])
    key, row, column = place
    (table,) = [table for table in found if table.key == key]
    assert table.ours.at(row, column) is not None, [(other.key, other.ours.cells) for other in found]


# The page

def test_table_from_made_up_measurements(tmp_path):
    rows = [measurement(algorithm=name, volume=f"hilbert-{order}", phase="with allocation", value=value * order, parameters=parameters)
            for name, value in (("buf", 0.1), ("be", 0.4)) for order in (1, 2, 3)
            for parameters in ("shape=128x128x128", "shape=128x128x128 allocation=fresh")]
    for row in rows:
        if "fresh" not in row["parameters"]:
            row["value"] = 100  # times with a memory pool do not count
    done = run("papers.py", write(tmp_path / "made-up.csv", rows), "--paper", "allegretti", "--item", "hilbert")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "| | source | mean | order 1 | order 2 | order 3 |" in lines
    assert "| buf | paper | 2.119 | - | - | - |" in lines
    assert "| buf | voxcc | 0.2 | 0.1 | 0.2 | 0.3 |" in lines
    assert "| be | voxcc | 0.8 | 0.4 | 0.8 | 1.2 |" in lines
    assert "| uf | paper | 3.504 | - | - | - |" in lines and not any(line.startswith("| uf | voxcc") for line in lines)
    assert any(line.startswith("- BE takes 2.5 times the time of BUF") and "voxcc: 4. **Does not agree.**" in line for line in lines)
    assert any("rows buf-ic, bke, bke-ic, uf" in line and "--paper allegretti --item hilbert" in line for line in lines)


def test_data_sets_are_recognised_by_their_folders(tmp_path):
    rows = [measurement(algorithm="ke", connectivity="8", volume=path, phase="with allocation", value=value,
                        parameters="shape=1200x1600x1 allocation=fresh")
            for path, value in (("yacclab/XDOCS/1.png", 1.0), ("yacclab/xdocs/2.png", 3.0), ("yacclab/other/3.png", 9.0))]
    done = run("papers.py", write(tmp_path / "made-up.csv", rows), "--paper", "allegretti", "--item", "table2")
    assert "| ke | voxcc | - | - | - | - | - | - | 2 | - | - | - |" in done.stdout.splitlines()


def test_passes_of_shibata_are_in_one_line(tmp_path):
    where = {"test": "steps", "algorithm": "shibata", "volume": "zigzag-spiral", "parameters": "shape=1280x1280x1", "connectivity": "8"}
    rows = [measurement(**where, phase=phase, value=value) for phase, value in
            (("init/prepare", 0.5), ("merge/propagate", 3.0), ("merge/propagate 1", 2.0), ("merge/propagate 2", 1.0), ("number", 7.0))]
    done = run("papers.py", write(tmp_path / "made-up.csv", rows), "--paper", "shibata", "--item", "table2")
    line = next(line for line in done.stdout.splitlines() if "voxcc |" in line)
    assert [cell.strip() for cell in line.split("|")][1:6] == ["NVIDIA H200, zigzag-spiral", "voxcc", "0.5", "2", "1"]
    assert line.endswith("| 3.5 |")  # the total


@pytest.mark.parametrize("program", ["papers.py", "plots.py"])
@pytest.mark.parametrize("options, message", [
    (("--paper", "allegretti", "--item", "table9"), "'table9' is not an item of allegretti; use table2, "),
    (("--paper", "nobody"), "'nobody' is not a paper; use allegretti, hennequin, asad, ziegler, shibata"),
    (("--item", "table2"), "--item: needs --paper")])
def test_unknown_items_are_errors(tmp_path, program, options, message):
    if program == "plots.py":
        pytest.importorskip("matplotlib")
        options += ("--out", tmp_path / "figures")
    done = run(program, write(tmp_path / "made-up.csv", [measurement()]), *options)
    assert done.returncode != 0 and message in done.stderr and done.stdout == ""


def complete_page(runs):
    return page(command.PAPERS.values(), {name: read_facts(name) for name in ITEMS}, runs, claims.read_notes())


@pytest.mark.parametrize("paper", ITEMS)
def test_page_shows_every_fact(paper):
    facts, text = read_facts(paper), " ".join(complete_page([]).split())  # without line ends
    in_tables = {fact for item in command.PAPERS[paper].items for table in item.tables(facts, []) if table.shown for fact in table.paper.facts}
    for fact in set(facts) - in_tables:
        assert (fact.quantity if fact.value == UNREADABLE else f"{fact.quantity} {fact.value}") in text, fact


def test_page_has_a_heading_and_short_lines():
    lines = complete_page([]).splitlines()
    assert lines[:2] == ["# The numbers of the papers beside ours", ""]
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []


def test_page_of_the_repository_is_up_to_date():
    runs = tables.usable(measurements.read(command.results()))
    assert (LAB.parent / "docs" / "reference" / "papers.md").read_text() == complete_page(runs), "run python3 lab/papers.py"


# Figures

def test_figures_of_a_paper(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [measurement(test="granularity", algorithm=name, volume=f"random-{density}-g{grain}", value=1.0,
                        parameters=f"shape=256x256x256 density={density} granularity={grain}")
            for name in ("buf", "bke") for density in (0, 50, 100) for grain in (1, 4)]
    table = write(tmp_path / "made-up.csv", rows)
    done = run("plots.py", "--paper", "allegretti", "--item", "fig17", table, "--out", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "figures").iterdir()
    assert file.name == "allegretti-fig17.svg"
    assert [panel["title"] for panel in data_in(file)["panels"]] == ["granularity 1, voxcc", "granularity 4, voxcc"]
    done = run("plots.py", "--paper", "allegretti", "--item", "fig15", table, "--out", tmp_path / "figures")
    assert done.returncode != 0 and "voxcc bench --device cuda --paper allegretti --item fig15" in done.stderr


def test_figures_of_a_test(tmp_path):
    pytest.importorskip("matplotlib")
    table = write(tmp_path / "made-up.csv", [measurement(test="steps", phase="merge/scan"), measurement(algorithm="ceiling", test="steps")])
    done = run("plots.py", table, "--out", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["steps-cuda_0_NVIDIA_H200-26.svg"]
