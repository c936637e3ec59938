"""Prints the steps of a Dockerfile or an Apptainer definition file as commands of a shell: python3 recipe_steps.py RECIPE

    stage NAME BASE          a new file system, from the image BASE
    folder PATH              the working folder of the following steps
    copy FROM SOURCE TARGET  FROM is the name of an earlier stage, or empty for the folder of the source
    run SCRIPT
    start COMMAND            the command of the finished container

test_containers.sh defines these commands. Instructions that the recipes of voxcc do not use are errors.
"""

import json
import re
import shlex
import sys
from pathlib import Path

from dockerfile_parse import DockerfileParser


def docker_steps(path):
    with open(path, "rb") as file:
        instructions = DockerfileParser(fileobj=file).structure
    for entry in instructions:
        name, value = entry["instruction"], entry["value"]
        words = value.split()
        if name == "FROM":
            yield "stage", words[2] if len(words) == 3 and words[1] == "AS" else "final", words[0]
        elif name == "WORKDIR":
            yield "folder", value
        elif name == "COPY":
            stage = words.pop(0).removeprefix("--from=") if words[0].startswith("--from=") else ""
            source, target = words
            yield "copy", stage, source, target
        elif name == "RUN":
            yield "run", value
        elif name == "ENTRYPOINT":
            yield "start", shlex.join(json.loads(value)) + ' "$@"'
        elif name not in ("COMMENT", "CMD"):
            raise ValueError(f"{path}: unknown instruction {name}")


def sections(lines):
    """The header lines of a stage, and its sections as pairs of a title and a list of lines."""
    header, found = {}, []
    for line in lines:
        if line.startswith("%"):
            found.append((line[1:].strip(), []))
        elif found:
            found[-1][1].append(line.strip())
        elif line.strip():
            key, value = line.split(":", 1)
            header[key.strip().lower()] = value.strip()
    return header, found


def apptainer_steps(path):
    text = "".join(line for line in Path(path).read_text().splitlines(keepends=True) if not line.startswith("#"))
    for part in re.split(r"^(?=Bootstrap:)", text, flags=re.MULTILINE)[1:]:
        header, found = sections(part.splitlines())
        if header["bootstrap"] != "docker":
            raise ValueError(f"{path}: unknown bootstrap {header['bootstrap']}")
        yield "stage", header["stage"], header["from"]
        for title, lines in found:
            name, _, stage = title.partition(" from ")
            lines = [line for line in lines if line]
            if name == "files":
                for line in lines:
                    yield "copy", stage, *line.split()
            elif name in ("post", "test"):
                yield "run", "\n".join(["set -e", *lines])
            elif name == "runscript":
                yield "start", "\n".join(lines).removeprefix("exec ")
            elif name != "help":
                raise ValueError(f"{path}: unknown section {name}")


def steps(path):
    return list(apptainer_steps(path) if str(path).endswith(".def") else docker_steps(path))


if __name__ == "__main__":
    for step in steps(sys.argv[1]):
        print(shlex.join(step))
