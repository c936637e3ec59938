"""lab/plots.py on the small tables in tests/python/plots: what the figures show, and that they can be read. Needs matplotlib."""

import functools
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

LAB = Path(__file__).resolve().parents[2] / "lab"
SAMPLES = Path(__file__).resolve().parent / "plots"
sys.path.insert(0, str(LAB))

import measurements  # noqa: E402
from papers.command import PAPERS, results  # noqa: E402
from papers.facts import read_facts  # noqa: E402
from papers.tables import usable  # noqa: E402
from plotting import draw, layout, of_docs, of_papers, of_tests, of_tools, rows  # noqa: E402
from plotting.figure import Panel  # noqa: E402
from plotting.looks import LIMIT  # noqa: E402


def of_sample(path):
    return list(of_tests.figures(measurements.read([path])) if measurements.is_table(path) else of_tools.figures(path))


SAMPLED = {f"{path.stem}: {figure.name}": figure for path in sorted(SAMPLES.glob("*.csv")) for figure in of_sample(path)}
DOCUMENTED = {f"docs: {name}": make() for name, make in of_docs.FIGURES.items()}


def of_papers_in_results():
    """A figure of each item of the papers that is measured in lab/results."""
    runs = usable(measurements.read(results()))
    return {f"paper: {figure.name}": figure for name, paper in PAPERS.items() for item in paper.items
            for figure in of_papers.figures(paper, item, read_facts(name), runs)}


IN_PAPERS = of_papers_in_results()
DRAWN = SAMPLED | DOCUMENTED | {name: figure for name, figure in IN_PAPERS.items() if name.removeprefix("paper: ") in (
    "allegretti-table2", "allegretti-table4", "allegretti-fig14", "hennequin-fig5", "hennequin-fig6", "asad-table3", "asad-fig6", "asad-fig10",
    "ziegler-iterations", "shibata-table1", "shibata-steps")}
EVERY = SAMPLED | DOCUMENTED | IN_PAPERS


@functools.cache
def picture_of(name):
    """A figure drawn in memory: (figure of matplotlib, renderer)."""
    picture = draw.drawn(DRAWN[name])
    canvas = FigureCanvasAgg(picture)
    canvas.draw()
    return picture, canvas.get_renderer()


def named(figures, name):
    """The figures whose name contains the text."""
    return [figure for key, figure in figures.items() if name in key]


# What is drawn

def test_every_test_of_the_bench_has_a_sample():
    assert {row["test"] for path in SAMPLES.glob("*.csv") if measurements.is_table(path) for row in measurements.read([path])} == \
        of_tests.TESTS.keys()


def test_every_paper_has_a_figure():
    assert {name.removeprefix("paper: ").split("-")[0] for name in IN_PAPERS} == PAPERS.keys()


def test_times_are_medians_of_the_table():
    (figure,) = named(SAMPLED, "gpu-average: average")
    panels = {panel.title: panel for panel in figure.panels}
    assert list(panels) == ["random-10-g1, 512^3", "blobs-50, 512^3", "solid, 512^3", "blobs-50, 1024^3", "hilbert-1, 128^3", "hilbert-2, 128^3",
                            "hilbert, mean of the data set"]
    blobs = panels["blobs-50, 512^3"]
    assert figure.record()["panels"][1]["series"]["block-runs"] == {"labelling": 0.3507}  # read from the CSV file by eye
    assert next(iter(blobs.series)) == "block-runs" and LIMIT not in blobs.series
    assert round(blobs.limit, 4) == 0.1675


def test_a_table_without_transfers_has_only_the_time_of_labelling():
    (figure,) = named(SAMPLED, "gpu-average: average")
    blobs, hilbert = figure.panels[1], figure.panels[4]
    assert {mark for marks in blobs.series.values() for mark in marks} == {"labelling"}
    times = hilbert.series["buf"]
    assert list(times) == ["labelling", "with allocation", "with allocation and transfers"] == sorted(times, key=times.get)


def test_rows_with_scan_are_series_of_their_own():
    figures = named(SAMPLED, "average-steps:")
    assert len(figures) == 2  # average and steps; the CPU has no transfers
    for figure in figures:
        for panel in figure.panels:
            assert panel.series.keys() == {"uf", "uf scan", "ke", "ke scan", "le-kle", "le-kle scan", "block-runs", "buf", "tm"}


def test_phases_are_drawn_without_transfers_and_transfers_apart():
    (steps,), (transfers,) = named(SAMPLED, "gpu-steps: steps"), named(SAMPLED, "gpu-steps: transfers")
    assert {phase for panel in steps.panels for phases in panel.series.values() for phase in phases} == {
        "allocation", "init", "local", "join", "merge", "compress", "number", "measure", "paint"}
    assert {panel.title for panel in steps.panels} == {"blobs-50, 512^3", "random-10-g1, 512^3"}
    assert list(steps.panels[0].series) == list(steps.panels[1].series) == ["block-runs", "bke", "buf"]
    for panel in transfers.panels:
        assert all(marks["transfers"] > marks["phases without transfers"] for marks in panel.series.values())


def test_single_passes_and_runs_on_one_gpu_are_not_phases():
    phases = {"local": 1.0, "merge/scan": 3.0, "merge/scan 1": 2.0, "merge/scan 2": 1.0, "merge/borders": 0.5, "on one alone": 9.0,
              "labelling": 4.5, "transfer/upload": 7.0}
    template = next(row for row in measurements.read([SAMPLES / "gpu-steps.csv"]) if row["algorithm"] == "block-runs")
    some = [{**template, "phase": phase, "value": value} for phase, value in phases.items()]
    (panel,) = of_tests.stack_panels(rows.phase_times(some))
    assert list(panel.series.values()) == [{"local": 1.0, "merge": 3.5}]


def test_bars_that_differ_much_are_shares():
    even = of_tests.stack_panel("even", {"a": {"local": 1.0, "merge": 3.0}, "b": {"local": 8.0}})
    uneven = of_tests.stack_panel("uneven", {"a": {"local": 1.0, "merge": 3.0}, "b": {"local": 800.0}})
    assert even.series["a"] == {"local": 1.0, "merge": 3.0} and even.notes == {} and even.xlabel.startswith("ms")
    assert uneven.series == {"a": {"local": 25.0, "merge": 75.0}, "b": {"local": 100.0}} and uneven.xlabel == "% of the time"
    assert uneven.notes == {"a": "4.00 ms", "b": "800 ms"}


def test_density_is_in_percent_and_the_limit_is_a_line():
    (figure,) = named(SAMPLED, "density-granularity: granularity")
    assert [panel.title for panel in figure.panels] == [f"granularity {grain}" for grain in (1, 2, 4, 8, 16)]
    for panel in figure.panels:
        assert panel.xlabel == "foreground, %" and panel.scales == "y"
        assert {x for points in panel.series.values() for x, _ in points} == {0.0, 50.0, 100.0}
        assert {"block-runs", "buf", "uf", "le-kle", LIMIT} == panel.series.keys()


def test_a_point_is_the_mean_of_its_images():
    some = [{"volume": "v", "value": value, "parameters": f"seed={seed}"} for seed, value in ((1, 3.0), (2, 5.0))]
    assert rows.values(some, lambda row: row["volume"]) == {"v": 4.0}


def test_titles_have_the_parameters_that_change_what_is_measured():
    row = {"volume": "random-50-g1", "parameters": "shape=512x512x512 density=50 granularity=1 seed=3 relabel=scan experiment=asad/fig5"}
    assert rows.place_of(row) == "random-50-g1, 512^3"
    assert rows.place_of({**row, "parameters": "shape=8x4x1 allocation=fresh criterion=equal"}) == \
        "random-50-g1, 8x4, allocation fresh, criterion equal"
    assert rows.place_of({**row, "parameters": "allocation=pool"}) == "random-50-g1, mean of the data set"


def test_many_volumes_give_a_panel_per_algorithm():
    one = measurements.read([SAMPLES / "gpu-steps.csv"])
    many = [{**row, "volume": f"{row['volume']}-{i}"} for row in one for i in range(10)]
    (steps,) = [figure for figure in of_tests.figures(many) if figure.name.startswith("steps")]
    assert [panel.title for panel in steps.panels] == ["block-runs", "buf", "bke"]
    assert all(len(panel.series) == 20 for panel in steps.panels)


def test_the_newest_of_equal_measurements_counts():
    old = measurements.read([SAMPLES / "gpu-average.csv"])
    new = [{**row, "date": "2030-01-01T00:00:00Z", "value": 2 * row["value"]} for row in old]
    assert [row["value"] for row in rows.newest(new + old)] == [row["value"] for row in new]


def test_machines_have_figures_of_their_own():
    one = measurements.read([SAMPLES / "gpu-steps.csv"])
    found = list(of_tests.figures(one + [{**row, "machine": "other"} for row in one]))
    assert [figure.name for figure in found if figure.name.startswith("steps")] == [
        f"steps-{machine}_cuda_0_NVIDIA_H200-26" for machine in ("host", "other")]


def test_passes_are_drawn_without_the_times():
    table = measurements.read([of_docs.RESULTS / "2026-11-23-h200" / "allegretti-table4.csv"])
    (figure,) = of_tests.figures(table)
    (panel,) = figure.panels
    assert figure.name.startswith("passes") and panel.xlabel == "foreground, %" and panel.ylabel == "passes"
    assert max(panel.series["ole"], key=lambda point: point[1])[0] == 40  # as in table 4 of the paper


@pytest.mark.parametrize("kind, greatest, ranges", [("stacks", 9.0, [(1, 9), (1, 9)]), ("stacks", 11.0, [(1, 1), (11, 11)]),
                                                    ("dots", 11.0, [(1, 11), (1, 11)])])
def test_panels_have_one_range_unless_linear_axes_differ_much(kind, greatest, ranges):
    panels = [Panel(kind, "title", {"buf": {"local": value}}, "ms") for value in (1.0, greatest)]
    assert layout.spans(panels) == ranges


def test_lines_have_one_order_in_all_panels():
    times = {("large", "a"): 50.0, ("small", "a"): 1.0, ("small", "b"): 2.0}  # b was not measured on the large volume
    order = of_tests.common_order(times)
    assert order["a"] < order["b"]


@pytest.mark.parametrize("name", sorted(path.relative_to(of_docs.RESULTS).as_posix() for path in results()))
def test_every_result_of_the_bench_can_be_drawn(name):
    found = list(of_tests.figures(measurements.read([of_docs.RESULTS / name])))
    assert found and all(figure.panels and figure.source for figure in found)
    drawn = {word for figure in found for panel in figure.panels for one in (panel.title, *panel.series) for word in one.split()}
    shown = {row["algorithm"] for row in measurements.read([of_docs.RESULTS / name])} - {"ceiling"}
    assert shown <= drawn


def test_accesses_are_drawn_by_unit():
    (figure,) = named(SAMPLED, "memory: memory")
    assert {panel.xlabel: {mark for marks in panel.series.values() for mark in marks} for panel in figure.panels} == {
        "accesses per voxel": {"reads", "writes", "atomics"}, "bytes per voxel": {"bytes read", "bytes written"}}


def test_fits_are_drawn_beside_the_measurements():
    (figure,) = named(SAMPLED, "model: model")
    mean, deviation = figure.panels
    assert mean.fits.keys() == mean.series.keys() == deviation.series.keys()
    assert all(text.startswith("c = ") for text in mean.notes.values())


def test_ratios_beside_tools_are_over_voxcc():
    (figure,) = named(SAMPLED, "tools:")
    g1 = figure.panels[0]
    assert list(g1.series) == ["voxcc", "OpenCV SPAGHETTI", "OpenCV BBDT", "cc3d"] and round(g1.limit) == 41
    assert g1.notes == {"voxcc": "136 ms", "cc3d": "807 ms, 5.91 x", "OpenCV BBDT": "799 ms, 5.86 x", "OpenCV SPAGHETTI": "747 ms, 5.48 x"}


# Whether the figures can be read

def series_looks(picture):
    """The looks of the entries of the legends."""
    for legend in picture.legends:
        for handle in legend.legend_handles:
            if isinstance(handle, Line2D):
                yield handle.get_color(), handle.get_marker(), handle.get_fillstyle(), handle.get_linestyle(), str(handle._unscaled_dash_pattern)
            else:
                yield handle.get_facecolor(), handle.get_hatch()


@pytest.mark.parametrize("name", DRAWN)
def test_no_two_series_look_the_same(name):
    picture, _ = picture_of(name)
    found = list(series_looks(picture))
    assert len(found) == len(set(found))
    for axes in picture.axes:
        lines = [line for line in axes.lines if not line.get_label().startswith("_")]
        looks = [(line.get_color(), line.get_marker(), line.get_fillstyle(), str(line._unscaled_dash_pattern), tuple(line.get_ydata())[:1]
                  if line.get_linestyle() == "None" else None) for line in lines]
        assert len(looks) == len(set(looks)), axes.get_title(loc="left")


@pytest.mark.parametrize("name", DRAWN)
def test_axes_have_labels_and_the_figure_a_title(name):
    picture, _ = picture_of(name)
    assert picture.get_suptitle().strip() and picture.axes
    for axes, panel in zip(picture.axes, DRAWN[name].panels, strict=True):
        assert axes.get_title(loc="left") and axes.get_xlabel()
        assert axes.get_ylabel() or panel.kind in ("dots", "stacks")


@pytest.mark.parametrize("name", EVERY)
def test_values_are_not_negative(name):
    for panel in EVERY[name].panels:
        assert panel.series, panel.title
        if panel.title.startswith("parameters"):
            continue  # the constant of a fitted curve can be negative
        values = [value for one in panel.series.values() for value in (one.values() if isinstance(one, dict) else (y for _, y in one))]
        assert values and min(values) >= 0, panel.title


@pytest.mark.parametrize("name", DRAWN)
def test_bars_begin_where_the_previous_ends(name):
    picture, _ = picture_of(name)
    for axes, panel in zip(picture.axes, DRAWN[name].panels):
        if panel.kind == "stacks":
            bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
            assert all(bar.get_width() >= 0 for bar in bars)
            for row, phases in enumerate(panel.series.values()):
                ends = [bar.get_x() + bar.get_width() for bar in bars if round(bar.get_y() + bar.get_height() / 2) == row]
                assert max(ends) == pytest.approx(sum(phases.values()))


def boxes(texts, renderer):
    """The bounding boxes of the visible texts, slightly smaller, since the boxes contain empty space around the letters."""
    return [(text.get_text(), text.get_window_extent(renderer).shrunk(0.98, 0.8)) for text in texts if text.get_visible() and text.get_text().strip()]


def overlaps(named_boxes):
    return [(a, b) for (a, one), (b, other) in combinations(named_boxes, 2) if one.overlaps(other)]


def test_overlaps_are_found():
    one, two = matplotlib.transforms.Bbox([[0, 0], [2, 2]]), matplotlib.transforms.Bbox([[1, 1], [3, 3]])
    assert overlaps([("a", one), ("b", two)]) == [("a", "b")]
    assert overlaps([("a", one), ("b", two.translated(5, 0))]) == []


@pytest.mark.parametrize("name", DRAWN)
def test_texts_do_not_overlap(name):
    picture, renderer = picture_of(name)
    texts = [picture._suptitle]
    for axes in picture.axes:
        for axis, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
            texts += [label for label, place in zip(axis.get_ticklabels(), axis.get_ticklocs()) if low <= place <= high]
        texts += [axes.xaxis.label, axes.yaxis.label, axes._left_title, *axes.texts]
    for legend in picture.legends:
        texts += legend.get_texts()
    assert overlaps(boxes(texts, renderer)) == []


@pytest.mark.parametrize("name", DRAWN)
def test_texts_and_legends_are_outside_the_data_and_inside_the_figure(name):
    picture, renderer = picture_of(name)
    outside = [(legend.get_texts()[0].get_text(), legend.get_window_extent(renderer)) for legend in picture.legends]
    for axes in picture.axes:
        outside += boxes([axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.get_yticklabels()], renderer)
    for text, box in outside:
        assert picture.bbox.padded(2).containsx(box.x0) and picture.bbox.padded(2).containsx(box.x1), text
        assert picture.bbox.padded(2).containsy(box.y0) and picture.bbox.padded(2).containsy(box.y1), text
        for axes in picture.axes:
            assert not axes.get_window_extent(renderer).shrunk(0.99, 0.98).overlaps(box), (text, axes.get_title(loc="left"))


# The program

def run(*arguments):
    return subprocess.run([sys.executable, LAB / "plots.py", *map(str, arguments)], capture_output=True, text=True, timeout=120)


def test_files_contain_their_data(tmp_path):
    done = run(SAMPLES / "model.csv", SAMPLES / "tools.csv", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    files = {path.stem: path for path in tmp_path.iterdir()}
    assert sorted(done.stdout.split()) == sorted(map(str, files.values()))
    expected = {figure.name: figure.record() for figure in named(SAMPLED, "model:") + named(SAMPLED, "tools:")}
    assert {name: of_docs.data_in(path) for name, path in files.items()} == expected


def test_the_same_table_gives_the_same_file(tmp_path):
    (figure,) = named(SAMPLED, "model: model")
    assert draw.save(figure, tmp_path / "a").read_bytes() == draw.save(figure, tmp_path / "b").read_bytes()


@pytest.mark.parametrize("arguments, message", [
    ((), "no CSV file is given"), (("--docs", SAMPLES / "model.csv"), "--docs: not with CSV files"),
    ((SAMPLES / "../requirements.txt",), "is not a table of voxcc bench"), (("missing.csv",), "missing.csv")])
def test_wrong_arguments_are_errors(tmp_path, arguments, message):
    done = run(*arguments, "--out", tmp_path / "figures")
    assert done.returncode != 0 and message in done.stderr and done.stdout == "" and not (tmp_path / "figures").exists()
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    done = run(SAMPLES / "memory.csv", "--out", tmp_path / "file")
    assert done.returncode != 0 and done.stderr.startswith("error: ") and "choose another folder" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and done.stdout == ""


def test_tests_that_are_not_known_are_errors(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text((SAMPLES / "memory.csv").read_text().replace(",memory,", ",speed,"))
    done = run(table, "--out", tmp_path / "figures")
    assert done.returncode != 0 and "'speed' is not a known test; use average" in done.stderr


# docs/figures

def test_figures_of_the_documentation_are_up_to_date():
    assert {path.stem for path in of_docs.FOLDER.glob("*.svg")} == of_docs.FIGURES.keys()
    for name in of_docs.FIGURES:
        assert of_docs.data_in(of_docs.FOLDER / f"{name}.svg") == DOCUMENTED[f"docs: {name}"].record(), "run lab/plots.py --docs"


def test_figures_of_the_documentation_are_small_and_shown():
    pages = "".join(path.read_text() for path in of_docs.ROOT.glob("docs/**/*.md") if path.parent != of_docs.FOLDER)
    for path in of_docs.FOLDER.glob("*.svg"):
        assert path.stat().st_size <= 150_000 and f"figures/{path.name})" in pages, path.name
        assert f"`{path.name}`" in (of_docs.FOLDER / "README.md").read_text()
