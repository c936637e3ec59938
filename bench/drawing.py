"""What bench/plots.py draws with: bars, curves, areas, and files of pictures. Needs matplotlib."""

import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "voxcc"  # the same table gives the same file
import matplotlib.pyplot as plt  # noqa: E402
from stacks import colour_of  # noqa: E402


class Pictures:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self, figure, *parts):
        name = "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", str(part)).strip("_") for part in parts)
        path = self.folder / f"{name}.svg"
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)
        print(path)


def bars(axes, names, stacks, unit):
    """Draws stacked bars. stacks: {part: [height per name]}. A part has the same colour in every figure."""
    bottom = [0.0] * len(names)
    for part, heights in stacks.items():
        if any(heights):
            axes.bar(range(len(names)), heights, bottom=bottom, label=part, color=colour_of(part))
            bottom = [b + h for b, h in zip(bottom, heights)]
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
    axes.set_ylabel(unit)
    if len(stacks) > 1:
        axes.legend(fontsize="small")


def bars_beside(axes, names, kinds, unit):
    """Draws bars next to each other. kinds: {kind: [height per name]}."""
    width = 0.8 / len(kinds)
    for i, (kind, heights) in enumerate(kinds.items()):
        axes.bar([x + i * width for x in range(len(names))], heights, width, label=kind, align="edge")
    axes.set_xticks([x + 0.4 for x in range(len(names))], names, rotation=60, ha="right")
    axes.set_ylabel(unit)
    axes.legend(fontsize="x-small", ncols=4)


def curves(axes, lines, xlabel, ylabel):
    """Draws curves. lines: {name: [(x, y)]}"""
    for name, points in lines.items():
        axes.plot(*zip(*sorted(points)), marker=".", label=name)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="x-small", ncols=2)


def areas(axes, lines, xlabel, ylabel):
    """Draws areas on top of each other. lines: {name: [(x, y)]}, all with the same x."""
    xs = sorted({x for points in lines.values() for x, _ in points})
    heights = [[dict(points).get(x, 0) for x in xs] for points in lines.values()]
    axes.stackplot(xs, heights, labels=list(lines))
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.legend(fontsize="x-small", ncols=2)
