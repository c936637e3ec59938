"""Errors of the program voxcc as exceptions of label_file(), whose messages name the arguments of label_file()."""

import re

from . import _errors

# Options of the program that are arguments of label_file() with other names. Other arguments have the name of their option.
OTHER_NAMES = {"multilabel": "values", "force": "overwrite=True"}
SHORT = {"-t": "threads", "-o": "output", "-c": "connectivity", "-f": "overwrite=True"}
OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*\b|(?<![\w-])-[a-z]\b")


def with_arguments(text, names):
    """A text with the names of arguments instead of options. Options that are not arguments, and quoted commands, stay as they are."""

    def argument(match):
        option = match[0]
        if not option.startswith("--"):
            return SHORT.get(option, option)
        name = option[2:].replace("-", "_")
        name = OTHER_NAMES.get(name, name)
        return name if name.partition("=")[0] in names else option

    parts = re.split(r"('voxcc [^']*')", text)
    return "".join(part if part.startswith("'voxcc ") else OPTION.sub(argument, part) for part in parts)


def remedy_for(remedy, names):
    """A remedy that can be typed in Python. Alternatives that need another option are left out, if one is left."""
    if re.search(r"'?voxcc label --help'?", remedy):
        return "see help(voxcc.label_file)"
    text = with_arguments(remedy.replace(" (-t)", ""), names)
    alternatives = [part for part in text.split(", or ") if not OPTION.search(re.sub(r"'voxcc [^']*'", "", part))]
    return ", or ".join(alternatives) if alternatives else f"use the program voxcc instead of label_file(): {remedy}"


def exception_of(message, names):
    """The exception for an error in the log of the program. @param names the arguments of label_file()"""
    cause, exit_code = message["cause"], message["exit"]
    kind = _errors.EXCEPTIONS.get(exit_code, _errors.Failure)
    if exit_code == 73 and not re.search("^exists|is an input", cause):  # the output cannot be created
        is_absent = "does not exist" in cause or "No such file or directory" in cause
        kind = _errors.NotFound if is_absent else _errors.FileSystemFailure
    subject = message["file"]
    if subject.startswith("-"):
        subject = with_arguments(subject, names)
    return kind(subject, with_arguments(cause, names), remedy_for(message["remedy"], names))
