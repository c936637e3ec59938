"""Prints a value of the conda recipe as rattler-build renders it: python3 conda_recipe.py KEY, as in tests.0.script

The elements of a list are printed one per line.
"""

import sys
from pathlib import Path

from rattler_build import RenderConfig, Stage0Recipe, VariantConfig
from rattler_build.tool_config import PlatformConfig


def rendered():
    """The recipe for Linux on x86-64, with the variants that conda-forge sets in its own files."""
    recipe = Stage0Recipe.from_file(str(Path(__file__).parent / "conda" / "recipe.yaml"))
    variants = VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]})
    (variant,) = recipe.render(variants, RenderConfig(platform=PlatformConfig(target_platform="linux-64")))
    return variant.recipe.to_dict()


if __name__ == "__main__":
    value = rendered()
    for key in sys.argv[1].split("."):
        value = value[int(key)] if key.isdigit() else value[key]
    print(*([value] if isinstance(value, str) else value), sep="\n")
