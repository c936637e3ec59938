"""Refuses sub-interpreters. If the module _core is loaded in one, the calls of the main interpreter fail from then on."""

import importlib


def is_main():
    """Whether this is the main interpreter of the process. True if Python cannot tell."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # Python 3.13 and later; earlier
        try:
            interpreters = importlib.import_module(name)
        except ImportError:
            continue
        return _number(interpreters.get_current()) == _number(interpreters.get_main())
    return True


def _number(interpreter):
    """The number of an interpreter. Python 3.13 returns it in a tuple."""
    return int(interpreter[0] if isinstance(interpreter, tuple) else interpreter)


if not is_main():
    raise ImportError("voxcc does not support sub-interpreters; import it in the main interpreter, or use processes or threads")
