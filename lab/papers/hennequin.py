"""Hennequin, Lacassagne, Cabaret, Meunier 2018: figures 5 and 6, and the density of percolation."""

from measurements import shape, way
from papers.items import Item, Paper
from papers.tables import Grid, Table, measured, merged, number_in, on_gpu, pick, plain, stated, step, step_times, totals

LABELLING = ("playne", "playne-block", "dlp", "ha4", "ha4-64")
FIGURE_5 = ("playne", "dlp", "ha4", "ha4-64")
FASTEST = "ha4-64"
BUMP = tuple(str(percent) for percent in range(59, 70))  # the densities on both sides of the bump at 64 %
GRANULARITIES = ("1", "2", "4", "8", "16")
ANALYSES = {"late-per-voxel": "naive", "analysis": "ha4 analysis", "late": "late (voxcc)"}


def images(runs):
    """The measurements on images of 2048^2 with 4 neighbours."""
    return [run for run in pick(on_gpu(runs), connectivity="4") if shape(run) == "2048x2048x1"]


def grain(run):
    number = number_in(run, "granularity")
    return f"granularity {number}" if number in GRANULARITIES else None


def density(run):
    return number_in(run, "density")


def name(run):
    return run["algorithm"] if run["algorithm"] in LABELLING else None


def steps_over_density(runs, algorithm):
    some = [run for run in step_times(pick(runs, algorithm=algorithm)) if grain(run) == "granularity 4" and step(run) != "allocation"]
    return Table(f"steps of {algorithm}", f"steps of {algorithm}, granularity 4, columns: foreground in percent", "ms", drawn_as="areas",
                 xlabel="foreground, %", **measured(some, step, density))


def speed_up(facts, times):
    """The speed-up of ha4-64 over playne and dlp, in the mean over all densities, by granularity."""
    means = measured(times, name, grain)["ours"]
    others = [other for other in ("playne", "dlp") if other in means.rows and FASTEST in means.rows]
    ours = {(f"{other} / {FASTEST}", column): means.at(other, column) / means.at(FASTEST, column) for other in others
            for column in means.columns if means.at(other, column) and means.at(FASTEST, column)}
    said = merged(*(stated(facts, lambda f: f"{other} / {FASTEST}", lambda f: f.volume, quantity="mean speed-up over playne or dlp")
                    for other in ("playne", "dlp")))
    return Table("speed-up", "mean over all densities: time of playne and dlp, divided by the time of ha4-64", "x", said, Grid(ours), times)


def fig5(facts, runs):
    times = totals(plain(images(runs)), "average", "density")
    of_figure = [run for run in times if grain(run) == "granularity 4"]
    means = measured(of_figure, name, grain)["ours"]
    rate = Grid({place: 1000 / value for place, value in means.cells.items()})
    said_rate = stated(facts, lambda f: f.algorithm, lambda f: "granularity 4", quantity="images per second")
    return [Table("by density", "2048^2, granularity 4, 4 neighbours, columns: foreground in percent", "ms", drawn_as="curves",
                  xlabel="foreground, %", **measured(of_figure, name, density), wanted_rows=FIGURE_5),
            speed_up([f for f in facts if f.volume == "granularity 4"], of_figure),
            Table("images per second", "images of 2048^2 per second, from the mean time over all densities", "1/s", said_rate, rate, of_figure),
            *(steps_over_density(plain(images(runs)), algorithm) for algorithm in LABELLING)]


def granularity(facts, runs):
    return [speed_up(facts, [run for run in totals(plain(images(runs)), "granularity") if grain(run)])]


def fig6(facts, runs):
    def analysis(item):
        return item.algorithm if hasattr(item, "algorithm") else ANALYSES.get(way(item))

    paper = stated(facts, analysis, lambda f: "mean over all densities", item="fig6", quantity="mean time of the features")
    some = [run for run in step_times(pick(images(runs), algorithm=FASTEST)) if grain(run) == "granularity 4" and step(run) == "measure"]
    return [Table("features", "time of the features, 2048^2, granularity 4", "ms", paper,
                  **measured(some, analysis, lambda run: "mean over all densities")),
            Table("by density", "time of the features, columns: foreground in percent", "ms", drawn_as="curves", xlabel="foreground, %",
                  **measured(some, analysis, density))]


def percolation(facts, runs):
    times = [run for run in totals(plain(images(runs)), "average", "density", "granularity") if grain(run) == "granularity 4"]
    near = sorted((run for run in times if density(run) in BUMP), key=lambda run: BUMP.index(density(run)))
    command = (f"voxcc bench --device cuda --tests average --algorithms {','.join(LABELLING)} --connectivity 4 --size 2048 --volumes "
               f"$(seq -s, -f random-%g-g4-mt19937 {BUMP[0]} {BUMP[-1]}) --csv hennequin-bump.csv")
    return [Table("by density", "2048^2, granularity 4, 4 neighbours, columns: foreground in percent", "ms", drawn_as="curves",
                  xlabel="foreground, %", **measured(near, name, density), wanted_rows=FIGURE_5, wanted_columns=BUMP, command=command)]


PAPER = Paper(
    "hennequin",
    'A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier, "A new direct connected component labeling and analysis algorithm for GPUs", '
    "DASIP 2018",
    (Item("fig5", "Figure 5: labelling by density, and images per second", fig5),
     Item("fig6", "Figure 6: features of the components", fig6),
     Item("granularity", "Section V: speed-up by granularity", granularity),
     Item("percolation", "The bump at the percolation threshold", percolation)))
