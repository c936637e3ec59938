"""The Boutiques descriptor of `voxcc label`."""

import json


def key(name):
    return f"[{name.upper()}]"


def value_of(option):
    """The members that describe the value of an option."""
    if option.is_switch:
        return {"type": "Flag"}
    if option.is_file and not option.is_output:
        return {"type": "File"}
    if option.bounds:
        return {"type": "Number", "integer": True, "minimum": option.bounds[0], "maximum": option.bounds[1]}
    return {"type": "String", **({"value-choices": option.choices} if option.choices else {})}


def input_of(option, names):
    """@param names the names of all options by their flags"""
    conflicts = [names[flag] for flag in option.flags_after("not with") if flag in names]
    needs = [names[flag] for flag in option.flags_after("needs") if flag in names]
    return {
        "id": option.name,
        "name": option.flag,
        "description": option.help,
        "value-key": key(option.name),
        "command-line-flag": option.flag,
        "optional": True,
        **value_of(option),
        # The flag is repeated in front of each file.
        **({"list": True, "list-separator": f" {option.flag} "} if option.is_repeatable else {}),
        **({"disables-inputs": conflicts} if conflicts else {}),
        **({"requires-inputs": needs} if needs else {}),
    }


def output_of(option):
    return {
        "id": f"{option.name}_file",
        "name": option.name.replace("_", " "),
        "description": option.content,
        "path-template": key(option.name),
        "optional": True,
    }


def descriptor(command):
    """The text of the descriptor. Each option is an input; the inputs with the name of an output file have an output file."""
    names = {option.flag: option.name for option in command.options}
    image = {"id": "image", "name": "image", "description": "volume or image to label", "type": "File", "value-key": "[IMAGE]"}
    keys = " ".join(key(option.name) for option in command.options)
    return json.dumps({
        "name": "voxcc label",
        "description": " ".join(command.description),
        "author": "The voxcc developers",
        "tool-version": command.version,
        "schema-version": "0.5",
        "command-line": f"voxcc label [IMAGE] {keys} --progress never",
        "inputs": [image, *(input_of(option, names) for option in command.options)],
        "output-files": [output_of(option) for option in command.options if option.is_output],
        "error-codes": [{"code": code, "description": meaning} for code, meaning in command.exit_codes],
        "tags": {"domain": ["image analysis", "neuroinformatics", "microscopy"]},
    }, indent=2) + "\n"  # fmt: skip
