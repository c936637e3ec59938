"""Chooses rows of the tables of `voxcc bench`, and puts them into series and panels."""

from statistics import mean

from measurements import groups, parameter, shape, way, without_passes
from plotting.looks import LIMIT, step

LIMIT_ROW = "ceiling"  # the name of the streaming limit in the tables
SINGLE_GPU = "on one alone"  # the same labelling on one GPU, for comparison with a run on several GPUs; not a phase


# Parameters that the name of the volume contains, or that the name of the series contains; and seeds, of which the mean is drawn.
NOT_IN_TITLES = {"shape", "density", "granularity", "order", "generator", "seed", "level", "factor", "subdivisions", "probability",
                 "properties", "relabel", "experiment"}


def unique(values):
    return list(dict.fromkeys(values))


def series_of(row):
    """The name of the series of a row: the algorithm, how sums are computed, and the relabelling unless it is the default."""
    if row["algorithm"] == LIMIT_ROW:
        return LIMIT
    relabel = parameter(row, "relabel")
    words = [row["algorithm"], way(row) if way(row) != "none" else None, relabel if relabel != "marks" else None]
    return " ".join(filter(None, words))


def case_of(row):
    """What a row is a measurement of: rows that differ only in the session (date and version, experiment) have the same case."""
    words = " ".join(word for word in row["parameters"].split() if not word.startswith("experiment="))
    return tuple(row[name] for name in ("test", "algorithm", "connectivity", "volume", "phase", "statistic")) + (words,)


def newest(rows):
    """Of rows with the same case and device, only the newest one."""
    found = {}
    for row in sorted(rows, key=lambda row: row["date"]):
        found[row["device"], case_of(row)] = row
    return [row for row in rows if found[row["device"], case_of(row)] is row]


def place_of(row):
    """The title of the panel of a row: the volume, its extent, and the parameters that change what is measured."""
    extent = shape(row)
    others = [word.replace("=", " ") for word in row["parameters"].split() if word.split("=")[0] not in NOT_IN_TITLES and word != "allocation=pool"]
    return ", ".join([row["volume"], short(extent) if extent else "mean of the data set", *others])


def short(extent):
    """512x512x512  ->  512^3; 8192x8192x1  ->  8192^2; others unchanged, without the last x1."""
    edges = extent.split("x")
    flat = edges[:-1] if edges[-1] == "1" and len(edges) == 3 else edges
    return f"{edges[0]}^{len(flat)}" if len(set(flat)) == 1 and len(flat) > 1 else "x".join(flat)


def values(rows, of):
    """{of(row): the mean of the values}, for example over several random images of one name. Phases of one row are added."""
    found = {}
    for row in rows:
        found.setdefault(of(row), []).append(row["value"])
    return {key: mean(some) for key, some in found.items()}


def phase_times(rows):
    """The rows of the test `steps` with the times of phases, without the times of single passes and without transfers."""
    return [row for row in timed_phases(rows) if step(row["phase"]) != "transfer"]


def timed_phases(rows):
    some = [row for row in without_passes(rows) if row["unit"] == "ms" and row["statistic"] in ("median", "mean")]
    return [row for row in some if row["algorithm"] != LIMIT_ROW and row["phase"] not in ("labelling", SINGLE_GPU)
            and not row["phase"].startswith("with ")]


def added(rows, of):
    """{of(row): sum over the phases}, where each phase is the mean over the images of one name."""
    found = {}
    for (key, _), value in values(rows, lambda row: (of(row), row["phase"])).items():
        found[key] = found.get(key, 0.0) + value
    return found


def is_central(row):
    """Whether a row has the median of a volume, or the mean over a data set."""
    return row["statistic"] == ("median" if shape(row) else "mean")


MOST_VOLUMES = 12  # panels of one figure


MOST_DENSITIES = 5  # panels of one kind of volume; with more densities, the density is an axis


def by_density(rows):
    """(rows of random volumes with many densities, other rows)."""
    def kind(row):
        return row["device"], row["connectivity"], shape(row), parameter(row, "granularity")

    densities = {}
    for row in rows:
        if shape(row) and parameter(row, "granularity"):
            densities.setdefault(kind(row), set()).add(parameter(row, "density"))
    dense = {id(row) for row in rows if len(densities.get(kind(row), ())) > MOST_DENSITIES}
    return [row for row in rows if id(row) in dense], [row for row in rows if id(row) not in dense]


def of_data_sets(rows):
    """The rows to show: with more volumes than panels, the means over data sets instead of their files."""
    sets = [row for row in rows if not shape(row)]
    if sets and len({place_of(row) for row in rows if shape(row)}) > MOST_VOLUMES:
        return sets
    return rows


def panels_and_rows(rows):
    """Two functions of a row: the title of its panel, and the name of its line in the panel.

    A panel shows a volume; with too many volumes, or one algorithm, it shows an algorithm.
    """
    places = {place_of(row) for row in rows}
    series = {series_of(row) for row in rows if row["algorithm"] != LIMIT_ROW}
    if len(places) > MOST_VOLUMES or len(series) == 1 < len(places):
        return series_of, place_of
    return place_of, series_of


def limits(rows):
    """{title of the panel: streaming limit in ms} for panels per volume."""
    some = [row for row in rows if row["algorithm"] == LIMIT_ROW and row["phase"] == "labelling" and is_central(row)]
    return values(some, place_of)


def sources(rows):
    """Device, date and version of the rows, as a line below the title."""
    found = groups(rows, "device", lambda row: row["date"][:10], "version")
    return "; ".join(unique(f"{device.split(', ', 1)[-1] if device.startswith('cuda') else device}, {date}, voxcc {version}"
                            for (device, date, version), _ in sorted(found, key=lambda item: item[0])))


def number(value):
    """Three digits, or all digits before the decimal point."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def by_time(series, weight):
    """The series, the fastest first. weight: {name: time}"""
    return dict(sorted(series.items(), key=lambda item: weight.get(item[0], 0)))
