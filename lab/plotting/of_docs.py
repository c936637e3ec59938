"""The figures of the documentation, which `lab/plots.py --docs` draws from lab/results into docs/figures."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import measurements
from plotting import of_tests, of_tools
from plotting.figure import Figure

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "lab" / "results"
FOLDER = ROOT / "docs" / "figures"
EPYC, XEON, H200 = "ms, one thread of an AMD EPYC", "ms, one thread of an Intel Xeon", "ms, one NVIDIA H200"

# The panels of the figure of the tools: file, case, connectivity, title, axis, names of the rows.
TOOL_PANELS = [
    ("2026-11-21-epyc-2-cores/peers.csv.gz", "blobs-50", "26", "blobs 512^3, 50 %, 26 neighbours", EPYC, {}),
    ("2026-11-21-epyc-2-cores/peers.csv.gz", "random-50-g1", "26", "random 256^3, 50 %, 26 neighbours", EPYC, {}),
    ("2026-11-21-epyc-2-cores/peers.csv.gz", "random-10-g1", "26", "random 256^3, 10 %, 26 neighbours", EPYC, {}),
    ("2026-11-22-xeon-16-cores/peers-images.csv", "image-50-g1", "8", "image 8192^2, pixels, 8 neighbours", XEON, {}),
    ("2026-11-22-xeon-16-cores/peers-images.csv", "image-50-g8", "8", "image 8192^2, squares of 8^2, 8 neighbours", XEON, {}),
    ("2026-11-23-h200/peers-gpu.csv", "blobs-50", "26", "GPU: blobs 512^3, 50 %, 26 neighbours", H200,
     {"voxcc bke": "bke (voxcc)", "voxcc buf": "buf (voxcc)"}),
]


def tools():
    panels = []
    for file, case, connectivity, title, xlabel, names in TOOL_PANELS:
        rows = [row for row in of_tools.read(RESULTS / file) if (row["case"], row["connectivity"]) == (case, connectivity)]
        panels.append(of_tools.panel(rows, title, xlabel, names))
    return Figure("tools", "Time to label the same volume in memory: tools further left are faster",
                  "2026-11-21 to 2026-11-23. voxcc is block-runs, its default.", panels)


def of_test(name, file, beginning):
    """A figure of a table of `voxcc bench`, under the name that it has in the documentation."""
    def figure():
        found = [one for one in of_tests.figures(measurements.read([RESULTS / file])) if one.name.startswith(beginning)]
        return replace(found[0], name=name)

    return figure


FIGURES = {
    "tools": tools,
    "average-26": of_test("average-26", "2026-11-28-h100-x4/peers.csv.gz", "average-cuda_0_NVIDIA_H100_80GB_HBM3-26"),
}


def data_in(path):
    """The data that a file of draw.save contains."""
    return json.loads(unescape(re.search(r"<dc:description>(.*?)</dc:description>", path.read_text(), re.DOTALL)[1]))
