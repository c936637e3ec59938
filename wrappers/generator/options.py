"""The options of `voxcc label` that descriptors of workflow systems offer, from the output of `voxcc help label --format json`."""

import re
from dataclasses import dataclass

# A workflow runs the command once per volume. These options are for several inputs, for parts of a volume, for the terminal, or for the
# choice among implementations with equal results. --sidecar names its file itself. Without --preview-image, a picture shows the first image
# of --intensity.
LEFT_OUT = frozenset("""
    --list --shared --config --plan --part --background --holes
    --failed --bids --sidecar --skip-existing --mkdir --dry-run --force
    --device --algorithm --isa --threads --max-memory --jobs
    --preview-image --progress --quiet --verbose --log-format -h --help
""".split())

# The extension of each output, if the user of a workflow does not choose a format.
EXTENSIONS = {
    "--output": "nii.gz", "--masked-output": "nii.gz", "--size-output": "nii.gz", "--mask-output": "nii.gz",
    "--stats": "tsv", "--summary": "tsv", "--contacts": "tsv", "--local-maxima": "tsv",
    "--json": "json", "--preview": "png", "--lut": "txt",
}  # fmt: skip

# Names of outputs in workflows. Other outputs have the name of their option.
OUTPUT_NAMES = {"--output": "labels", "--stats": "table", "--summary": "volumes", "--json": "summary", "--lut": "colours"}


@dataclass(frozen=True)
class Option:
    """An option of `voxcc label`.

    Option("--min-size", "drop components below SIZE: ...", "", "SIZE", "Selection")
    """

    flag: str
    text: str
    default: str
    type: str  # "" for switches
    group: str

    @property
    def name(self):
        """min_size; outputs have the names of OUTPUT_NAMES."""
        return OUTPUT_NAMES.get(self.flag, self.flag.removeprefix("--").replace("-", "_"))

    @property
    def help(self):
        return self.text + (f" (default: {self.default})" if self.default else "")

    @property
    def content(self):
        """What an output contains: the text without extensions and without what the command line alone can do."""
        return re.sub(r"(: \.|[;,] - for stdout).*$", "", self.text)

    @property
    def is_switch(self):
        return not self.type

    @property
    def is_file(self):
        return self.type in ("PATH", "FILE")

    @property
    def is_output(self):
        return self.is_file and self.group == "Output"

    @property
    def is_repeatable(self):
        return self.text.endswith("; repeatable")

    @property
    def extension(self):
        return EXTENSIONS[self.flag]

    @property
    def choices(self):
        """The values of an option that accepts nothing else, or an empty list. "raster|size" -> ["raster", "size"]"""
        return self.type.split("|") if re.fullmatch(r"[a-z0-9.-]+(\|[a-z0-9.-]+)+", self.type) else []

    @property
    def bounds(self):
        """The least and the greatest value of a number, or None. "0..9" -> (0, 9)"""
        found = re.fullmatch(r"(\d+)\.\.(\d+)", self.type)
        return found and (int(found[1]), int(found[2]))

    def flags_after(self, words):
        """The options that the text names after some words. "a text; not with --a, --b" -> ["--a", "--b"]"""
        found = re.search(rf"(?:^|[;,] ){words} (--[\w-]+(?:, --[\w-]+)*)(?:$|;)", self.text)
        return found[1].split(", ") if found else []


@dataclass(frozen=True)
class Command:
    """The command that the descriptors run."""

    version: str
    summary: str
    description: list  # paragraphs that concern the options below
    exit_codes: list  # pairs (code, meaning), without success
    options: list
    left_out: list  # the flags that the program has and the descriptors do not have


def command_of(page):
    """@param page the object of `voxcc help label --format json`"""
    options, left_out = [], []
    for group in page["groups"]:
        for entry in group["options"]:
            flag = next((name for name in entry["names"] if name.startswith("--")), entry["names"][0])
            if not flag.startswith("-"):
                continue  # the operand IN...
            if flag in LEFT_OUT:
                left_out.append(flag)
            else:
                options.append(Option(flag, entry["text"], entry["default"], entry["type"], group["title"]))
    unknown = [option.flag for option in options if option.is_output and option.flag not in EXTENSIONS]
    if unknown:
        raise ValueError(f"wrappers/generator/options.py: state the extension of {', '.join(unknown)} in EXTENSIONS")
    description = [text for text in page["description"] if "docs/" not in text and not any(flag in text for flag in LEFT_OUT)]
    codes = [(exit["code"], exit["meaning"]) for exit in page["exit_codes"] if exit["code"] != 0]
    return Command(page["version"], page["summary"], description, codes, options, left_out)
