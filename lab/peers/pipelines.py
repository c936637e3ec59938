"""Runs a peer from file to file: python -m peers.pipelines NAME SOURCE TARGET TABLE CONNECTIVITY RULE

Reads a volume, labels it, measures the components, and writes a table (CSV) and a label volume (u32). Prints JSON: CPU seconds (user +
system) and wall seconds of these steps. The start of the interpreter and the imports are not included.
"""

import csv
import importlib.util
import json
import resource
import sys
import time

from . import formats


def with_cc3d(source, target, table, connectivity, rule):
    """Reads and writes with the library of the format; labels with cc3d and measures with cc3d.statistics."""
    import cc3d
    import numpy as np

    labels = cc3d.connected_components(formats.read(source), connectivity=connectivity, binary_image=rule == "binary", out_dtype=np.uint32)
    sums = cc3d.statistics(labels)
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["label", "voxels", *"kji", *(f"bbox_{axis}_{end}" for axis in "kji" for end in ("min", "max"))])
        for label in range(1, len(sums["voxel_counts"])):
            box = [bound for extent in sums["bounding_boxes"][label] for bound in (extent.start, extent.stop - 1)]
            writer.writerow([label, sums["voxel_counts"][label], *sums["centroids"][label], *box])
    formats.write(target, labels)


def with_simpleitk(source, target, table, connectivity, rule):
    """Uses SimpleITK for all steps, with one thread. The perimeter is not computed, because it takes the most time."""
    import SimpleITK

    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    image = SimpleITK.ReadImage(source)
    if image.GetPixelID() in (SimpleITK.sitkFloat32, SimpleITK.sitkFloat64):
        image = image != 0  # SimpleITK labels only integers
    labels = SimpleITK.ConnectedComponent(image, connectivity == 26)
    shapes = SimpleITK.LabelShapeStatisticsImageFilter()
    shapes.ComputePerimeterOff()
    shapes.Execute(labels)
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["label", "voxels", *"xyz", *(f"start_{axis}" for axis in "ijk"), *(f"size_{axis}" for axis in "ijk")])
        for label in shapes.GetLabels():
            writer.writerow([label, shapes.GetNumberOfPixels(label), *shapes.GetCentroid(label), *shapes.GetBoundingBox(label)])
    SimpleITK.WriteImage(labels, target)


PIPELINES = {"cc3d": with_cc3d, "SimpleITK": with_simpleitk}


def import_all(name, suffix):
    """Imports all modules that a pipeline uses. tifffile imports imagecodecs, if installed, only when it decodes deflate."""
    modules = {"SimpleITK"} if name == "SimpleITK" else {"numpy", "cc3d", formats.LIBRARY[suffix]}
    if suffix == ".tif" and importlib.util.find_spec("imagecodecs"):
        modules.add("imagecodecs")
    for module in modules:
        importlib.import_module(module)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    name, source, target, table, connectivity, rule = sys.argv[1:]
    import_all(name, formats.format_of(source))
    cpu, wall = cpu_seconds(), time.perf_counter()
    PIPELINES[name](source, target, table, int(connectivity), rule)
    print(json.dumps({"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - wall}))


if __name__ == "__main__":
    main()
