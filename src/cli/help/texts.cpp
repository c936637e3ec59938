#include "src/cli/help/command_texts.h"

#include "io/format_names.h"
#include "src/cli/help/wrap.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace voxcc::cli {
namespace {

const std::string selectors =
    "A selector after the name of a file chooses a volume or a dataset: `'a.nii.gz[3]'`, `'a.tif[c=1,t=0]'`, `'a.ome.tif[c=DAPI]'`, "
    "`a.h5:/seg/mask`. Put brackets in quotes. See docs/manual/selectors.md.";

const CommandText program{
    .name = "",
    .description = {"voxcc reads 3D volumes and 2D images, labels their connected components, measures each component, and writes "
                    "label volumes and tables. It reads " +
                        io::readable_formats() + ".",
                    "The same input and options give the same bytes for any device, algorithm and number of threads. Results go "
                    "to stdout or to files, messages go to stderr. Outputs appear only when they are complete."},
    .examples = {{"label the components of a mask; write the label volume and a table",
                  "voxcc label mask.nii.gz -o components.nii.gz --stats table.csv"},
                 {"show the options of a command", "voxcc help label"}},
    .code_1 = {"different", "`compare`: the volumes are different; `label`, `verify`: some inputs failed"},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::no_device, ExitCode::out_of_memory,
               ExitCode::cannot_create},
    .commands = {},
    .pages = {"manual/tutorial.md", "manual/recipes.md", "manual/formats.md", "manual/glossary.md"}};

const CommandText label{
    .name = "label",
    .description =
        {"Reads each input, finds its foreground, connects foreground voxels that are neighbours, and numbers the "
         "components 1 to K. Without a volume, a table, `--json` or `--preview`, the command prints the number of "
         "components.",
         "The extension of the output sets its format: " + as_code(io::writable_extensions(), ", ") +
             ". Labels of an OME-Zarr image are written to `IMAGE.zarr/labels/NAME`. A "
             "name that ends with `/`, or a template such as `labels%04d.tif`, writes numbered TIFF slices. With several "
             "inputs, put words in braces into names. `{stem}` stands for the name of the input without folder and extension. "
             "`{dir}` stands for its folder, `{parent}` for the name of this folder. `{sub}`, `{ses}` and others stand for "
             "entities of BIDS in its path, and a column of `--list` for its cell. Words work in names of outputs, the mask "
             "and images. `--stats` without a word "
             "writes one table for all inputs, and "
             "`--json` one summary. See docs/manual/batch.md.",
         "`-` as an input is " + io::formats_of_pipes() +
             " data from stdin. `-o -` writes NIfTI to stdout, `-o -.nii.gz` "
             "compressed NIfTI, and `-o -.nrrd` NRRD. See docs/manual/selectors.md.",
         "Rules of `--threshold` with numbers are `nonzero`, `'>T'`, `'>=T'`, `'<T'`, `'<=T'`, `'==V,...'`, `'!=V,...'` "
         "and `'abs>T'`. A bare `T` is the same as `'>=T'`. The ranges `LO:HI`, `LO:` and `:HI` include their ends. "
         "Levels that are computed from the image are `otsu`, `li`, `triangle`, `yen`, `p99` (a percentile) and `40%` (of "
         "the range). `--seed-threshold` keeps the components that contain a voxel of a second rule. Put rules with `>`, `<` or `!` in "
         "quotes, because the shell would interpret them. Thresholds apply "
         "to scaled values. NaN is background.",
         "A selector after the name of an input, a mask or an image chooses a volume or a dataset: `'a.nii.gz[3]'`, "
         "`'a.nii.gz[0..4]'` (a range), `'a.tif[c=1,t=0]'`, `'a.ome.tif[c=DAPI]'`, `'a.ome.tif[c=*]'`, `a.h5:/seg/mask`. Put "
         "brackets in quotes. The selector becomes a part of `{stem}`, as in `a_3`. See docs/manual/selectors.md.",
         "`--volume all` and ranges label each volume by itself. The outputs hold all volumes: 4D files (all formats except "
         "slices), and tables with the column `volume`. If the name of `-o` has `{volume}`, each volume has a file of its own. "
         "See docs/manual/outputs.md.",
         "`--config` names a TOML file with long option names as keys, for example `min-size = \"5mm3\"`. The command "
         "line has priority over environment variables. Environment variables have priority over the file.",
         "`--skip-existing` compares each input with its summary of an earlier run. It skips an input if the version, "
         "the options, and the checksums of all files that are read or written are equal. The names in `--json` and "
         "`--stats` need a word such as `{stem}` for several inputs. An output that has changed is replaced with `--force` "
         "only. See docs/manual/batch.md.",
         "With `--bids`, `-o` is the folder of a BIDS dataset. Each input must have a name of BIDS. Its entities are kept, as in "
         "`sub-01/anat/sub-01_dseg.nii.gz`; a table and a sidecar are written beside it. See docs/manual/dicom-and-bids.md.",
         "`--dry-run` labels nothing. It prints the plan, and ends with exit code 71 if a volume does not fit into memory."},
    .examples = {{"label a mask; write the label volume and a table", "voxcc label mask.nii.gz -o components.nii.gz --stats table.csv"},
                 {"voxels above 200; components of at least 10 mm3; the largest has label 1",
                  "voxcc label ct.nii.gz --threshold '>200' --min-size 10mm3 --sort size -o large.nii.gz"},
                 {"a folder of volumes; one label volume per input, one table for all",
                  "voxcc label scans/*.nii.gz -o 'out/{stem}.nii.gz' --mkdir --stats all.csv"}},
    .daily = {{"IN...", "files, folders of slices, or - for stdin"},
              {"--output", "label volume: .nii.gz .tif .h5 .zarr .nrrd ..."},
              {"--stats"},
              {"--preview", "picture of the components: .png"},
              {"--force", "overwrite existing outputs"},
              {"--threshold", "foreground: nonzero, '>T', LO:HI, otsu, p99, ..."},
              {"--mask", "label only voxels inside this volume"},
              {"--connectivity", "neighbours: 6, 18, 26; in 2D 4 or 8 (default: 26)"},
              {"--multilabel", "connect only voxels with equal values"},
              {"--min-size", "drop components below SIZE, as in 100 or 5mm3"},
              {"--sort", "number by first voxel, or largest = 1"},
              {"--fill-holes"},
              {"--intensity", "measure this image in each component"}},
    .code_1 = {"some failed", "some inputs failed; the outputs of the other inputs are complete"},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::no_device, ExitCode::out_of_memory,
               ExitCode::cannot_create},
    .commands = {"stats", "info", "algorithms"},
    .pages = {"manual/outputs.md", "manual/table.md", "manual/foreground.md", "manual/formats.md"}};

const CommandText split{
    .name = "split",
    .use = CommandUse::parts,
    .description =
        {"Plans the labelling of one volume in parts, which several machines can label at the same time. The plan states the input, the "
         "options of the labelling, and the parts: cubes, or slabs of complete slices. Prints the number of parts as JSON.",
         "The steps that follow are `voxcc label --plan PLAN --part K -o STATE/` for each part, `voxcc merge --plan PLAN STATE/ -o "
         "MERGED/`, `voxcc relabel --plan PLAN --part K STATE/ MERGED/` for each part, and `voxcc relabel --plan PLAN --finish STATE/ "
         "MERGED/ -o OUT`. The label volume and the table have the bytes of one run of `voxcc label`. See docs/manual/scale.md.",
         "With `--fill-holes`, the holes are found first: run `voxcc label --plan PLAN --part K --background -o STATE/` for each part, "
         "`voxcc merge --plan PLAN --background STATE/ -o MERGED/`, and `voxcc label --plan PLAN --part K --holes MERGED/ -o STATE/` for "
         "each part. `voxcc merge` and `voxcc relabel` follow. Such plans have `\"rounds\": 2` in the JSON.",
         "The threshold of `otsu` and other levels is computed here, from the complete input. `--per-slice`, `--delta`, `--colour`, "
         "`--split-signs`, `--seed-threshold`, `--per-value`, `--percentiles` and `--local-maxima` are not possible in parts."},
    .examples = {{"plan cubes of 256 voxels per edge", "voxcc split ct.nii.gz --threshold '>200' --part-size 256 -o cubes.json"},
                 {"show the number of parts", "voxcc split ct.nii.gz --part-size 256 --dry-run"}},
    .daily = {{"IN"},
              {"--output", "the plan: .json"},
              {"--dry-run", "print the number of parts, and write no plan"},
              {"--threshold", "foreground: nonzero, '>T', LO:HI, otsu, p99, ..."},
              {"--min-size", "drop components below SIZE, as in 100 or 5mm3"},
              {"--parts", "cubes (bricks) or complete slices (slabs)"},
              {"--part-size", "voxels per edge, or slices (default: 1024)"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"label", "merge", "relabel"},
    .pages = {"manual/scale.md"}};

const CommandText merge{
    .name = "merge",
    .use = CommandUse::parts,
    .description =
        {"Joins the components of all parts of a plan, and gives each part its final numbers. Reads the faces of the parts and "
         "one count per row, and no voxels. STATE is the folder of `voxcc label --plan`. Prints the number of components as "
         "JSON. If the folder of the results is complete, the command keeps it. See docs/manual/scale.md.",
         "With `--background`, finds the holes of a plan with `--fill-holes`, and prints their number. STATE is then the folder of "
         "`voxcc label --plan PLAN --background`. Results of both kinds can be in one folder."},
    .examples = {{"join the parts of a plan", "voxcc merge --plan plan.json state/ -o merged/"},
                 {"print only the number of components", "voxcc merge --plan plan.json state/ -o merged/ -q"}},
    .daily = {{"STATE"}, {"--plan"}, {"--background"}, {"--output"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"split", "label", "relabel"},
    .pages = {"manual/scale.md"}};

const CommandText relabel{
    .name = "relabel",
    .use = CommandUse::parts,
    .description = {"Paints parts of a plan with their final numbers. STATE is the folder of `voxcc label --plan`, MERGED is the folder of "
                    "`voxcc merge`. A part that is painted already is kept.",
                    "With `--finish`, checks that all parts are painted, and writes the label volume and the table. They have the bytes "
                    "that one run of `voxcc label` writes. See docs/manual/scale.md."},
    .examples = {{"paint the parts 0 to 3", "voxcc relabel --plan plan.json --part 0..3 state/ merged/"},
                 {"write the label volume and the table",
                  "voxcc relabel --plan plan.json --finish state/ merged/ -o joined.nii.gz --stats table.csv"}},
    .daily = {{"STATE"},
              {"MERGED"},
              {"--plan"},
              {"--part", "parts, as in 3 or 0..31 (default: all parts)"},
              {"--finish", "write the outputs from all painted parts"},
              {"--output"},
              {"--stats"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"split", "label", "merge"},
    .pages = {"manual/scale.md"}};

const CommandText generate{
    .name = "generate",
    .use = CommandUse::other,
    .description =
        {"Writes a test volume of zeros and ones. The voxels are the same on every machine. For some kinds, the number "
         "of components is known; the command then prints it on stderr.",
         "Each option applies to the kinds that its text names.",
         "Commands that read a volume also take the name `'generate:KIND?OPTION=VALUE&OPTION=VALUE'`, as in "
         "`voxcc label 'generate:blobs?size=64'`. The volume is then computed and not stored. See docs/develop/test-volumes.md."},
    .examples = {{"smooth shapes in a cube of 64 voxels per edge", "voxcc generate blobs --size 64 -o blobs.nii.gz"},
                 {"random voxels, 30 % of them foreground",
                  "voxcc generate random --shape 100,80,50 --density 0.3 --seed 7 -o random.tif"}},
    .daily = {{"KIND", "hilbert, random, spiral, blobs, ridge, ..."},
              {"--size", "edge of a cube in voxels (default: 128)"},
              {"--shape", "voxels along each axis; X,Y for an image"},
              {"--density", "random, blobs: part of foreground (default: 0.5)"},
              {"--scale", "blobs: smoothing in voxels (default: 8)"},
              {"--seed", "random seed (default: 1)"},
              {"--output", "volume; its extension sets the format"}},
    .errors = {ExitCode::usage, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"bench", "label"},
    .pages = {"develop/test-volumes.md"}};

const CommandText algorithms{
    .name = "algorithms",
    .use = CommandUse::other,
    .description = {"Prints one line per algorithm: name, connectivities, devices and origin. Every algorithm gives the same labels."},
    .examples = {{"list the algorithms", "voxcc algorithms"}, {"list them with all properties as JSON", "voxcc algorithms --json"}},
    .daily = {{"--json"}},
    .errors = {ExitCode::usage},
    .commands = {"label", "bench"},
    .pages = {"develop/algorithms.md"}};

const CommandText bench{
    .name = "bench",
    .use = CommandUse::other,
    .description = {"Measures labelling algorithms on generated volumes or on files, and writes a table of times. `--paper` "
                    "repeats the experiments of a source paper."},
    .examples = {{"two algorithms on one generated volume",
                  "voxcc bench --size 32 --volumes blobs-50 --algorithms block-runs,buf --repeat 3 --csv times.csv"},
                 {"the experiments of a paper", "voxcc bench --paper hennequin --list"}},
    .daily = {{"IN...", "volumes (default: generated volumes)"},
              {"--volumes", "such as random-50-g1, blobs-50"},
              {"--size", "edge of volumes and images in voxels"},
              {"--csv"},
              {"--algorithms", "names from 'voxcc algorithms', or all"},
              {"--repeat", "timed runs per algorithm (default: 10)"},
              {"--paper", "experiments of a paper; --list lists them"},
              {"--device", "cpu, cuda:N, or all (default: cpu)"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::no_device, ExitCode::out_of_memory,
               ExitCode::cannot_create},
    .commands = {"algorithms", "generate"},
    .pages = {"develop/bench.md", "develop/performance.md"}};

const CommandText report{
    .name = "report",
    .description = {"Writes one web page for one volume or a batch: slices with labels, plots of the sizes, a table that sorts and "
                    "filters, outliers and provenance. The page works without a network.",
                    "The tables are outputs of `voxcc label --stats`, `voxcc stats` or `voxcc match --stats`. In `--images`, `--labels` "
                    "and `--beside`, `{file}` stands for the cell of the column `file`, and `{stem}` for the name of that file, or of the "
                    "table, without extension. Their names may end in selectors, as in `'{file}[0]'`.",
                    "The page has links to volumes, marks such as checked and wrong, and downloads as CSV. `--summary` writes one row "
                    "per volume."},
    .examples = {{"the page of one volume, from the table, the image and the label volume",
                  "voxcc report parts.csv --images ct.nii.gz --labels labels.nii.gz -o report.html"},
                 {"the page of a batch, whose table has the column 'file'",
                  "voxcc report batch.csv --images '{file}' --labels 'parts/{stem}.nii.gz' -o report.html"},
                 {"two label volumes; 'voxcc match -o' gives partners the same labels",
                  "voxcc report parts.csv --labels labels.nii.gz --beside other.nii.gz -o report.html"}},
    .daily = {{"TABLE...", "tables of 'voxcc label' or 'voxcc stats'"},
              {"--images", "image behind the slices"},
              {"--labels", "label volume over the slices"},
              {"--provenance", "summary of 'voxcc label --json'"},
              {"--output"},
              {"--force", "overwrite existing outputs"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"label", "stats", "match"},
    .pages = {"manual/report.md"}};

const CommandText help{
    .name = "help",
    .use = CommandUse::other,
    .description = {"Prints the help of voxcc or of a command, the same as `voxcc COMMAND --help`.",
                    "`--format` prints it in other forms: `markdown` (a page of docs/reference/cli), `man` (a manual page), and `bash`, "
                    "`zsh` and `fish` (completions for all commands)."},
    .examples = {{"show the options of a command", "voxcc help label"},
                 {"load the completions into this bash session", "source <(voxcc help --format bash)"}},
    .daily = {{"COMMAND"}, {"--format", "text, markdown, man, bash, zsh, fish, ..."}},
    .errors = {ExitCode::usage},
    .commands = {"label"},
    .pages = {"manual/install.md"}};

constexpr std::array exit_table{ExitText{ExitCode::ok, "", "success"},
                                ExitText{ExitCode::usage, "usage", "wrong command line"},
                                ExitText{ExitCode::bad_data, "data", "invalid, truncated or corrupt data"},
                                ExitText{ExitCode::no_input, "input", "an input does not exist"},
                                ExitText{ExitCode::no_device, "device", "a device or instruction set does not exist"},
                                ExitText{ExitCode::internal, "", "error inside voxcc; please report it"},
                                ExitText{ExitCode::out_of_memory, "memory", "out of memory"},
                                ExitText{ExitCode::cannot_create, "output", "an output cannot be created or may not be overwritten"},
                                ExitText{ExitCode::io_error, "", "read or write error, or the disk is full"},
                                ExitText{ExitCode::no_permission, "", "no permission"},
                                ExitText{ExitCode::bad_config, "", "wrong configuration file or environment variable"},
                                ExitText{ExitCode::interrupted, "", "ended by SIGINT (129: SIGHUP, 143: SIGTERM)"}};

constexpr std::array variables{
    VariableText{"VOXCC_NAME", "value of the option `--name`; `VOXCC_MIN_SIZE` is `--min-size`, a switch is `true` or `false`"},
    VariableText{"NO_COLOR", "if it is set and not empty, messages have no colours"},
    VariableText{"CI", "if it is set, `--progress auto` draws no progress bar"}};

}  // namespace

const CommandText& text_of_command(std::string_view name) {
    static const CommandText none;
    std::vector<const CommandText*> texts{&program, &label, &split, &merge, &relabel, &generate, &algorithms, &bench, &report, &help};
    std::ranges::copy(texts_of_volumes(), std::back_inserter(texts));
    for (const CommandText* text : texts)
        if (text->name == name) return *text;
    return none;
}

std::span<const ExitText> exit_texts() { return exit_table; }

std::string exit_line(const CommandText& text) {
    std::string line = "0 ok";
    if (!text.code_1.word.empty()) line += ", 1 " + text.code_1.word;
    std::string separator = "; error: ";
    for (const ExitText& exit : exit_table)
        if (std::ranges::find(text.errors, exit.code) != text.errors.end()) {
            line += separator + std::to_string(int(exit.code)) + " " + std::string(exit.word);
            separator = ", ";
        }
    return line;
}

std::span<const VariableText> variable_texts() { return variables; }

}  // namespace voxcc::cli
