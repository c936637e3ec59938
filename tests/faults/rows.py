"""The titles of the rows of the fault matrix; docs/develop/reliability.md explains each row."""

TITLES = dict(enumerate((
    "empty file", "truncated file", "bytes after the data", "changed byte in a compressed stream", "wrong checksum or length of gzip",
    "unusual gzip streams", "name states another format", "random mutations", "invalid dimensions", "huge volume in a small file",
    "valid file that expands enormously", "invalid header fields", "byte orders", "unusable affines", "orientations and spacings",
    "mask or image of another geometry", "spacing of TIFF", "voxel types", "NaN, infinity and other special values", "scaled values",
    "labels above 2^53", "kinds of TIFF", "TIFF pages that differ", "odd shapes", "1 to 5 dimensions", "extreme contents", "long axes and many voxels",
    "label type at its limits", "most components", "HDF5 that names other files", "HDF5 filters and plugins", "detached data files",
    "hostile file names", "inputs and outputs that are not files", "full disk", "failed system calls", "folders that cannot be written",
    "existing outputs", "killed while writing", "signals and closed pipes", "two processes, one output", "outputs in other programs",
    "repeated runs", "failed allocations", "memory limit of a control group", "other limits", "network file systems", "no usable GPU",
    "no GPU memory", "GPU errors", "compute-sanitizer", "large batches", "--skip-existing", "locale, umask, folder and names", "configuration",
    "exact statistics", "flat and thin components", "random volumes", "transformed volumes", "data races", "invalid options",
    "exit status after errors of HDF5"), 1))
