"""The Nextflow module of `voxcc label`, in the form of the modules of nf-core."""

import textwrap

DEFAULT_OUTPUTS = ("labels", "table", "summary")  # ext.outputs chooses others

MAIN = """// Made by: tests/help/wrappers_test.py --update
process VOXCC_LABEL {
    tag "${meta.id}"
    label 'process_medium'

    input:
    tuple val(meta), path(image), @INPUTS@

    output:
    @EMISSIONS@
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    @ARGUMENTS@
    def memory_argument = task.memory ? "--max-memory ${task.memory.toMega()}MB" : ''
    def flags = [
        @FLAGS@
    ]
    def outputs = (task.ext.outputs ?: @DEFAULT_OUTPUTS@).collect { name -> flags[name] }.join(' ')
    \"\"\"
    voxcc label ${image} @USES@ ${args} \\\\
        ${outputs} \\\\
        --threads ${task.cpus} ${memory_argument} --progress never

    @VERSIONS@
    \"\"\"

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    \"\"\"
    touch @TOUCHED@

    @VERSIONS@
    \"\"\"
}
"""

VERSIONS = """cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        voxcc: \\$(voxcc --version | sed -n '1s/voxcc //p')
    END_VERSIONS"""

META = """# Made by: tests/help/wrappers_test.py --update
name: "voxcc_label"
description: "@SUMMARY@"
keywords:
  - connected components
  - labelling
  - segmentation
  - image analysis
tools:
  - "voxcc":
      description: "@SUMMARY@"
      licence: ["Apache-2.0"]
input:
  - - meta:
        type: map
        description: "information on the volume, such as [ id:'sub-01' ]"
@INPUTS@
output:
@OUTPUTS@
  versions:
    - "versions.yml":
        type: file
        description: "version of voxcc"
        pattern: "versions.yml"
authors:
  - "The voxcc developers"
"""


def filled(template, **values):
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    return template


def inputs_of(command):
    return [option for option in command.options if option.is_file and not option.is_output]


def outputs_of(command):
    return [option for option in command.options if option.is_output]


def file_name(option, prefix="${prefix}"):
    """The name of an output: "${prefix}_labels.nii.gz"."""
    return f"{prefix}_{option.name}.{option.extension}"


def argument(option):
    """The argument of an input that may be an empty list. Several files of a repeatable option are separated by its flag."""
    files = f"[{option.name}].flatten().join(' {option.flag} ')" if option.is_repeatable else option.name
    return f"def {option.name}_argument = {option.name} ? \"{option.flag} ${{{files}}}\" : ''"


def main(command):
    """The text of main.nf."""
    inputs, outputs = inputs_of(command), outputs_of(command)
    defaults = [option for option in outputs if option.name in DEFAULT_OUTPUTS]
    emissions = [f'tuple val(meta), path("{file_name(option)}"), emit: {option.name}, optional: true' for option in outputs]
    flags = [f"{option.name}: \"{option.flag} '{file_name(option)}'\"," for option in outputs]
    return filled(
        MAIN,
        INPUTS=", ".join(f"path({option.name})" for option in inputs),
        EMISSIONS="\n    ".join(emissions),
        ARGUMENTS="\n    ".join(argument(option) for option in inputs),
        FLAGS="\n        ".join(flags),
        DEFAULT_OUTPUTS=str([option.name for option in defaults]),
        USES=" ".join(f"${{{option.name}_argument}}" for option in inputs),
        TOUCHED=" ".join(f"'{file_name(option)}'" for option in defaults),
        VERSIONS=VERSIONS,
    )


def described(text, indentation):
    """The line `description` of meta.yml."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return textwrap.fill(f'description: "{quoted}"', 115, initial_indent=indentation, subsequent_indent=f"{indentation}  ")


def meta(command):
    """The text of meta.yml."""
    inputs = [("image", "volume or image to label"), *((option.name, option.help) for option in inputs_of(command))]
    input_lines = [f"    - {name}:\n        type: file\n{described(text, ' ' * 8)}" for name, text in inputs]
    output_lines = []
    for option in outputs_of(command):
        output_lines.append(
            f"  {option.name}:\n    - - meta:\n          type: map\n"
            f"          description: \"information on the volume, such as [ id:'sub-01' ]\"\n"
            f"      - \"{file_name(option)}\":\n          type: file\n{described(option.content, ' ' * 10)}\n"
            f"          pattern: \"{file_name(option, '*')}\""
        )
    summary = f"{command.summary[0].upper()}{command.summary[1:]}"
    return filled(META, SUMMARY=summary, INPUTS="\n".join(input_lines), OUTPUTS="\n".join(output_lines))
