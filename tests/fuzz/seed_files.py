"""The folder of the seeds, and random volumes for them; part of make_seeds.py."""

import numpy

NEXT_FILE = b"\n==next file==\n"  # pairs.cpp
rng = numpy.random.default_rng(1)


def volume(dtype, shape=(3, 4, 5)):
    """Labels in blocks, so that compression has something to do."""
    return (numpy.indices(shape).sum(axis=0) // 3 % 4 * rng.integers(0, 3, shape)).astype(dtype)


class Seeds:
    def __init__(self, folder):
        self.folder = folder

    def add(self, target, name, content):
        path = self.folder / target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
