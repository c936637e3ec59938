"""The colours, markers, line styles and hatches of all figures. Does not need matplotlib.

An algorithm has the same colour and marker in every figure, and a phase the same colour. The colours are the palette of Okabe and Ito, which
readers without full colour vision can tell apart, and grey. Series with equal colours have different markers, fills or line styles.
"""

import itertools
from dataclasses import dataclass

BLACK, ORANGE, SKY, GREEN, YELLOW = "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"
PALE, WHITE = "#DDDDDD", "#FFFFFF"
LIMIT = "streaming limit"


@dataclass(frozen=True)
class Look:
    """How a series looks: `fill` is a fill style of matplotlib, `line` a line style of matplotlib."""

    colour: str
    marker: str
    fill: str = "full"
    line: object = "-"


def family(colour, **markers):
    return {name.replace("_", "-"): Look(colour, marker) for name, marker in markers.items()}


ALGORITHMS = {
    **family(VERMILION, block_runs="*", ha4="o", ha4_64="s", ha8="^"),
    **family(BLUE, buf="o", buf_ic="s", le_hle="^", shibata_naive="<", shibata_slow="h", shibata="X"),
    **family(SKY, bke="D", bke_ic="d", ziegler_gather="p", ziegler_max_gather="s", ziegler_links="v", ziegler_masters="P",
             ziegler_master_slave="*", playne="X", playne_block="o"),
    **family(GREEN, uf="v", uf_flat="<", uf_ic=">", le_kle="s", le_kle_f4="D", le_kle_p4="*", le_hybrid_global="h"),
    **family(ORANGE, ke="P", le_hybrid_f8="X"),
    **family(BLACK, ole="s", lbuf="h", dlp="D", tm=">", tm_single="v", tm_32x8="<", tm_32x32="P", le_hybrid_p4="p"),
    **family(PURPLE, be="^", le_hybrid="P"),
}
TOOLS = {"voxcc": ALGORITHMS["block-runs"], "cc3d": Look(BLUE, "D"), "scipy": Look(GREEN, "o"), "scikit-image": Look(ORANGE, "s"),
         "SimpleITK": Look(PURPLE, "v"), "OpenCV BBDT": Look(SKY, "^"), "OpenCV SPAGHETTI": Look(SKY, "h"), "CuPy": Look(BLACK, "^"),
         "cuCIM": Look(GREY, "8")}
LIMIT_LOOK = Look(BLACK, "", line=":")

# How sums are computed (or how labels are made) changes fill and line, never colour and marker.
VARIANTS = {"none": ("full", "-"), "ordinary": ("full", "-"), "early": ("none", "--"), "late": ("left", "-."), "late-per-voxel": ("bottom", ":"),
            "analysis": ("top", (0, (6, 1, 1, 1, 1, 1))), "scan": ("right", (0, (9, 3)))}
OTHER_STYLES = list(itertools.product(("none", "left", "bottom", "top", "right", "full"),
                                      ("--", "-.", ":", (0, (9, 3)), (0, (6, 1, 1, 1, 1, 1)), "-")))
OTHER_LOOKS = [Look(colour, marker) for marker, colour in itertools.product(
    "osD^v<>PXpdh", (BLUE, VERMILION, GREEN, ORANGE, BLACK, PURPLE, SKY, GREY))]

# Names in the tables of the papers: the algorithm, and how it computes sums.
PAPER_NAMES = {"F8": ("le-hybrid-f8", "none"), "F4": ("le-hybrid", "none"), "P4": ("le-hybrid-p4", "none"),
               "shared flag": ("le-hybrid", "none"), "global flag": ("le-hybrid-global", "none"),
               "naive": ("ha4-64", "late-per-voxel"), "ha4 analysis": ("ha4-64", "analysis"), "late (voxcc)": ("ha4-64", "late"),
               **{f"{said} {short}": (name, way) for short, name in (("LE", "le-hybrid"), ("TM", "tm")) for said, way in (
                   ("ordinary", "none"), ("early", "early"), ("late", "late-per-voxel"), ("voxcc's late", "late"))}}


def styled(algorithm, variant):
    look, (fill, line) = ALGORITHMS[algorithm], VARIANTS[variant]
    return Look(look.colour, look.marker, fill, line)


def look_of(name):
    """The fixed look of a series, or None if its name does not begin with a known name: 'bke', 'le-hle early', 'F8', 'cc3d'."""
    if name == LIMIT:
        return LIMIT_LOOK
    if name in TOOLS:
        return TOOLS[name]
    if name in PAPER_NAMES:
        return styled(*PAPER_NAMES[name])
    first, *words = name.split()
    if first in ALGORITHMS:
        return styled(first, next((word for word in words if word in VARIANTS), "none"))
    before = name.split(",")[0]
    return styled(*PAPER_NAMES[before]) if before in PAPER_NAMES else None


def others_of(look):
    """Looks with the same colour and marker."""
    return (Look(look.colour, look.marker, fill, line) for fill, line in OTHER_STYLES)


def looks_of(names):
    """{name: Look}: the fixed looks, and free ones for other names. No two names have the same look."""
    found = {}
    for name in dict.fromkeys(names):
        look = look_of(name)
        wanted = OTHER_LOOKS if look is None else [look, *others_of(look)]
        known = found.values() if look else [*found.values(), *filter(None, map(look_of, names))]
        found[name] = next(one for one in wanted if one not in known)
    return found


# Phases: the step (the word before the slash) has a colour and a hatch; the second and further phases of a step have other hatches.
STEPS = {"allocation": (PALE, ""), "init": (YELLOW, ""), "local": (BLUE, ""), "join": (ORANGE, "//"), "label": (SKY, "//"), "merge": (GREEN, ""),
         "compress": (VERMILION, ""), "number": (PURPLE, "\\\\"), "measure": (GREY, ".."), "paint": (SKY, ""), "transfer": (PALE, "xx")}
OTHER_STEP = (WHITE, "..")
HATCHES = ("", "//", "\\\\", "..", "xx", "++", "--", "||", "oo", "////", "....", "\\\\\\\\", "xxxx", "++++", "----", "||||")


def step(phase):
    """The step of a phase: merge/scan  ->  merge."""
    return phase.split("/")[0]


def ordered(phases):
    """The phases in the order of STEPS; phases of one step in the order in which they are given."""
    known = list(STEPS)
    return sorted(dict.fromkeys(phases), key=lambda phase: known.index(step(phase)) if step(phase) in STEPS else len(known))


def phase_looks(phases):
    """{phase: (colour, hatch)}. No two phases have the same colour and hatch."""
    found = {}
    for phase in ordered(phases):
        colour, hatch = STEPS.get(step(phase), OTHER_STEP)
        used = set(found.values())
        found[phase] = next((colour, one) for one in (hatch, *HATCHES) if (colour, one) not in used)
    return found


# What a symbol of a dot plot shows. "" is the marker of the series itself.
MARKS = {"labelling": "", "with allocation": "|", "with allocation and transfers": "x", "phases without transfers": "", "transfers": "x",
         "voxcc": "", "paper": "+", "median": "", "10 %": "|", "90 %": "|", "least": "<", "greatest": ">", "mean of the family": "",
         "reads": "o", "writes": "s", "atomics": "^", "bytes read": "D", "bytes written": "p", "time": "", "passes": "", LIMIT: "1"}
