"""The colours, markers and hatches of lab/plotting/looks.py: all are different, also for readers without full colour vision."""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))

from plotting import looks  # noqa: E402

# Machado, Oliveira, Fernandes 2009: what a reader without red cones or without green cones sees, for linear RGB.
SIMULATIONS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "full colour vision": np.eye(3),
}
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
LEAST_DISTANCE = 20.0  # in CIELAB; 2.3 is just noticeable for two large areas side by side


def lab(colour, simulation):
    """A colour #RRGGBB as a point in CIELAB, as seen with a kind of colour vision."""
    encoded = np.array([int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(SIMULATIONS[simulation]) @ linear, 0, 1)
    ratios = np.array(TO_XYZ) @ seen / [0.9505, 1, 1.089]
    x, y, z = np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one, other, simulation):
    return np.linalg.norm(lab(one, simulation) - lab(other, simulation))


def test_distances_are_known_ones():
    assert distance("#FFFFFF", "#000000", "full colour vision") == pytest.approx(100, abs=0.1)
    assert distance("#FF0000", "#00FF00", "full colour vision") == pytest.approx(170.6, abs=1)  # CIE76, from tables
    assert distance("#FF0000", "#7F6600", "deuteranopia") < 0.4 * distance("#FF0000", "#7F6600", "full colour vision")


def alike(named, simulation):
    """The pairs of {name: (colour, shape)} with the same shape whose colours are too close."""
    return [(a, b) for (a, (colour, shape)), (b, (other, others_shape)) in combinations(named.items(), 2)
            if shape == others_shape and distance(colour, other, simulation) < LEAST_DISTANCE]


def test_too_similar_colours_are_found():
    assert alike({"a": (looks.GREEN, "o"), "b": (looks.GREY, "o"), "c": (looks.BLUE, "o"), "d": (looks.GREY, "s")}, "deuteranopia") == [("a", "b")]


@pytest.mark.parametrize("simulation", SIMULATIONS)
@pytest.mark.parametrize("named", [looks.ALGORITHMS, looks.TOOLS], ids=["algorithms", "tools"])
def test_series_differ_in_marker_or_visibly_in_colour(named, simulation):
    assert alike({name: (look.colour, look.marker) for name, look in named.items()}, simulation) == []


@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_phases_differ_in_hatch_or_visibly_in_colour(simulation):
    assert alike(looks.STEPS, simulation) == []


def test_every_algorithm_of_the_program_has_a_look_of_its_own(voxcc):
    names = [line.split()[0] for line in voxcc("algorithms").stdout.splitlines()]
    assert set(names) <= looks.ALGORITHMS.keys()
    assert len(set(looks.ALGORITHMS.values())) == len(looks.ALGORITHMS)


def test_look_does_not_depend_on_the_other_series():
    alone = {name: looks.looks_of([name])[name] for name in looks.ALGORITHMS}
    assert looks.looks_of(looks.ALGORITHMS) == alone == looks.looks_of(reversed(looks.ALGORITHMS))


@pytest.mark.parametrize("variant", ["early", "late", "late-per-voxel", "analysis", "scan"])
def test_variants_keep_colour_and_marker(variant):
    found = looks.looks_of(["uf", f"uf {variant}"])
    plain, other = found["uf"], found[f"uf {variant}"]
    assert (plain.colour, plain.marker) == (other.colour, other.marker)
    assert plain.fill != other.fill and plain.line != other.line


def test_names_without_a_fixed_look_get_different_looks():
    names = ["uf", *(f"machine {i}" for i in range(40)), "shared flag, level 3", "shared flag, level 5", "buf with transfers", "buf"]
    found = looks.looks_of(names)
    assert len(set(found.values())) == len(names)
    assert found["uf"] == looks.ALGORITHMS["uf"]
    assert found["shared flag, level 5"].colour == looks.ALGORITHMS["le-hybrid"].colour


def test_phases_of_a_step_have_its_colour_and_different_hatches():
    phases = ["merge/scan", "merge/first scan", *(f"merge/global merge {i}" for i in range(1, 9)), "local", "join", "own phase"]
    found = looks.phase_looks(phases)
    assert len(set(found.values())) == len(phases)
    assert {colour for phase, (colour, _) in found.items() if phase.startswith("merge/")} == {looks.GREEN}
    assert looks.phase_looks(["join"])["join"] == found["join"] == looks.STEPS["join"]


def test_phases_have_one_order():
    assert looks.ordered(["paint", "own phase", "merge/scan", "join", "allocation", "merge/first scan"]) == [
        "allocation", "join", "merge/scan", "merge/first scan", "paint", "own phase"]
