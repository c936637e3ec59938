"""The Galaxy tool of `voxcc label`."""

import re
from xml.sax.saxutils import escape, quoteattr

# Formats of volumes: the name in Galaxy -> the extension of a file of voxcc.
VOLUMES = {"nii1.gz": "nii.gz", "nii1": "nii", "nii2.gz": "nii.gz", "nii2": "nii", "tiff": "tiff", "ome.tiff": "ome.tiff", "nrrd": "nrrd",
           "mrc": "mrc", "h5": "h5", "zarr.zip": "zarr.zip", "ome_zarr.zip": "ome.zarr.zip"}  # fmt: skip
WRITTEN = ("nii1.gz", "tiff", "nrrd", "h5")  # formats of label volumes; the first is the default
FORMATS = {"nii.gz": "nii1.gz", "tsv": "tabular", "json": "json", "png": "png", "txt": "txt"}
DEFAULT_OUTPUTS = ("labels", "table")

TOOL = """<tool id="voxcc_label" name="Label connected components" version="@VERSION@+galaxy0" profile="24.0">
    <!-- tests/help/wrappers_test.py writes this file. The program voxcc must be in PATH, because no channel of conda has it. -->
    <description>of volumes and images, and measure them</description>
    <macros>
        <xml name="in_quotes">
            <sanitizer invalid_char="">
                <valid initial="string.printable">
                    <remove value="'"/>
                </valid>
            </sanitizer>
        </xml>
    </macros>
    <version_command>voxcc --version</version_command>
    <command detect_errors="exit_code"><![CDATA[
#set $extensions = @EXTENSIONS@
#set $chosen = str($outputs).split(',')
@LINKS@
voxcc label 'image.${extensions[$image.ext]}'
@ARGUMENTS@
--threads "\\${GALAXY_SLOTS:-1}" \\${GALAXY_MEMORY_MB:+--max-memory \\${GALAXY_MEMORY_MB}MB} --progress never
@MOVES@
    ]]></command>
    <inputs>
        <param name="image" type="data" format="@FORMATS@" label="Volume or image"/>
@SECTIONS@
        <param name="outputs" type="select" multiple="true" optional="false" label="Outputs">
@CHOICES@
        </param>
        <param name="label_format" type="select" label="Format of label volumes">
@WRITTEN@
        </param>
    </inputs>
    <outputs>
@OUTPUTS@
    </outputs>
    <tests>
        <test expect_num_outputs="2">
            <param name="image" value="blobs.nii.gz" ftype="nii1.gz"/>
            <section name="selection">
                <param name="min_size" value="5"/>
                <param name="sort" value="size"/>
            </section>
            <output name="labels" ftype="nii1.gz">
                <assert_contents>
                    <has_size min="100"/>
                </assert_contents>
            </output>
            <output name="table" ftype="tabular">
                <assert_contents>
                    <has_line_matching expression="label\\tvoxels\\tvolume_mm3\\t.*"/>
                    <has_n_lines min="2"/>
                </assert_contents>
            </output>
        </test>
    </tests>
    <help><![CDATA[
@HELP@
    ]]></help>
    <citations>
        <citation type="bibtex">
@software{voxcc,
    title = {voxcc: connected components of volumes and images},
    author = {{The voxcc developers}},
    version = {@VERSION@}
}
        </citation>
    </citations>
</tool>
"""


def group_name(option):
    return option.group.lower()


def parameter(option):
    """The element of an input."""
    text = option.help[0].upper() + option.help[1:]
    start = f'<param argument="{option.flag}"'
    label = f"label={quoteattr(option.flag.removeprefix('--').replace('-', ' ').capitalize())} help={quoteattr(text)}"
    if option.is_switch:
        return [f'{start} type="boolean" truevalue="{option.flag}" falsevalue="" checked="false" {label}/>']
    if option.is_file:
        multiple = ' multiple="true"' if option.is_repeatable else ""
        return [f'{start} type="data" format="{",".join(VOLUMES)}" optional="true"{multiple} {label}/>']
    if option.bounds:
        return [f'{start} type="integer" min="{option.bounds[0]}" max="{option.bounds[1]}" optional="true" {label}/>']
    if option.choices:
        values = [f'    <option value="{value}">{value}</option>' for value in option.choices]
        return [f'{start} type="select" optional="true" {label}>', *values, "</param>"]
    return [f'{start} type="text" optional="true" {label}>', '    <expand macro="in_quotes"/>', "</param>"]


def sections(options):
    """The elements of the inputs, in the groups of the help."""
    lines = []
    for group in dict.fromkeys(option.group for option in options):
        lines.append(f'<section name="{group.lower()}" title={quoteattr(group)} expanded="false">')
        for option in options:
            if option.group == group:
                lines += [f"    {line}" for line in parameter(option)]
        lines.append("</section>")
    return lines


def link(variable, name):
    """The command that gives a file of Galaxy an extension, because voxcc gets the format of some files from it."""
    return f"ln -s '{variable}' '{name}.${{extensions[{variable}.ext]}}' &&"


def links(options):
    """The commands before voxcc, in the language of Cheetah."""
    lines = [link("$image", "image")]
    for option in options:
        value = f"${group_name(option)}.{option.name}"
        if option.is_repeatable:
            lines += [f"#for $number, $file in enumerate({value} or [])", link("$file", f"{option.name}_${{number}}"), "#end for"]
        else:
            lines += [f"#if {value}", link(value, option.name), "#end if"]
    return lines


def argument(option):
    """The argument of an option, in the language of Cheetah."""
    value = f"${group_name(option)}.{option.name}"
    if option.is_switch:
        return [value]
    if option.is_repeatable:
        return [f"#for $number, $file in enumerate({value} or [])",
                f"{option.flag} '{option.name}_${{number}}.${{extensions[$file.ext]}}'", "#end for"]  # fmt: skip
    if option.is_file:
        return [f"#if {value}", f"{option.flag} '{option.name}.${{extensions[{value}.ext]}}'", "#end if"]
    return [f"#if str({value}) not in ('', 'None')", f"{option.flag} '{value}'", "#end if"]


def file_name(option):
    return f"{option.name}.${{extensions[str($label_format)]}}" if option.extension == "nii.gz" else f"{option.name}.{option.extension}"


def when_chosen(option, line):
    return [f"#if '{option.name}' in $chosen", line, "#end if"]


def output(option):
    """The element of an output."""
    text = option.name.replace("_", " ")
    lines = [f'<data name="{option.name}" format="{FORMATS[option.extension]}" label="${{tool.name}} on ${{on_string}}: {text}">',
             f"    <filter>'{option.name}' in outputs</filter>"]  # fmt: skip
    if option.extension == "nii.gz":
        changes = [f'        <when input="label_format" value="{format}" format="{format}"/>' for format in WRITTEN[1:]]
        lines += ["    <change_format>", *changes, "    </change_format>"]
    return [*lines, "</data>"]


def choice(value, text, *, selected):
    return f'<option value="{value}"{" selected=" + quoteattr("true") if selected else ""}>{escape(text)}</option>'


def indented(lines, columns):
    return "\n".join(f"{' ' * columns}{line}" for line in lines)


def tool(command):
    """The text of the tool."""
    outputs = [option for option in command.options if option.is_output]
    settings = [option for option in command.options if not option.is_output]
    files = [option for option in settings if option.is_file]
    arguments = [line for option in settings for line in argument(option)]
    arguments += [line for option in outputs for line in when_chosen(option, f"{option.flag} '{file_name(option)}'")]
    moves = [line for option in outputs for line in when_chosen(option, f"&& mv '{file_name(option)}' '${option.name}'")]
    help_text = "\n\n".join(re.sub("`+", "``", paragraph) for paragraph in command.description)
    values = {
        "VERSION": command.version,
        "EXTENSIONS": str(VOLUMES),
        "LINKS": indented(links(files), 0),
        "ARGUMENTS": indented(arguments, 0),
        "MOVES": indented(moves, 0),
        "FORMATS": ",".join(VOLUMES),
        "SECTIONS": indented(sections(settings), 8),
        "CHOICES": indented([choice(o.name, o.content, selected=o.name in DEFAULT_OUTPUTS) for o in outputs], 12),
        "WRITTEN": indented([choice(name, VOLUMES[name], selected=name == WRITTEN[0]) for name in WRITTEN], 12),
        "OUTPUTS": indented([line for option in outputs for line in output(option)], 8),
        "HELP": help_text,
    }
    text = TOOL
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
