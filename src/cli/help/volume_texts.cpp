// The texts of the commands that read label volumes and tables, and of those that describe files.
#include "src/cli/help/command_texts.h"

namespace voxcc::cli {
namespace {

const std::string selectors =
    "A selector after the name of a file chooses a volume or a dataset: `'a.nii.gz[3]'`, `'a.tif[c=1,t=0]'`, `'a.ome.tif[c=DAPI]'`, "
    "`a.h5:/seg/mask`. Put brackets in quotes. See docs/manual/selectors.md.";

const CommandText stats{
    .name = "stats",
    .description = {"Writes one table row per label of a label volume, with the columns of `voxcc label --stats`. Voxels with the "
                    "same value belong to the same component, also if they do not touch.",
                    selectors},
    .examples = {{"measure the labels", "voxcc stats labels.nii.gz -o table.csv"},
                 {"add the mean, minimum and maximum of an image in each component",
                  "voxcc stats labels.nii.gz --intensity ct.nii.gz -o measured.tsv"}},
    .daily = {{"LABELS"},
              {"--output"},
              {"--contacts", "table of touching components"},
              {"--force", "overwrite existing outputs"},
              {"--intensity", "measure this image in each component"},
              {"--percentiles", "percentiles of the intensities, as in 5,50,95"},
              {"--shape", "measure surface, Euler number, diameters and axes"},
              {"--units", "unit in tables: mm, um, nm, voxel or auto"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::no_device, ExitCode::out_of_memory,
               ExitCode::cannot_create},
    .commands = {"label", "compare"},
    .pages = {"manual/table.md"}};

const CommandText compare{
    .name = "compare",
    .description = {"Compares two label volumes. They are equal if both divide the voxels into the same components; the numbers "
                    "may be different. If they differ, the command prints the first voxel that differs.",
                    selectors},
    .examples = {{"compare the components", "voxcc compare labels.nii.gz other.nii.gz"},
                 {"compare also the label numbers", "voxcc compare labels.nii.gz same.nii.gz --exact"}},
    .daily = {{"A"}, {"B"}, {"--exact"}},
    .code_1 = {"different", "the volumes are different"},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory},
    .commands = {"label"},
    .pages = {"manual/glossary.md"}};

const CommandText match{
    .name = "match",
    .description = {"Matches the objects of two label volumes of one grid, and measures how well they agree. A is the reference, or the "
                    "earlier volume. An object is all voxels with one label; with --components, a component of the voxels that are not 0. "
                    "The metrics are printed on stdout.",
                    "`tp` objects of A have a partner in B, `fn` have none, and `fp` objects of B have none. The page manual/match.md "
                    "defines all metrics.",
                    "With one file and `--volume all`, the volumes are the frames of a series. Objects are linked from frame to frame, "
                    "and tracks have splits and merges. The page manual/tracking.md defines them.",
                    selectors},
    .examples = {{"two visits: metrics, and new, grown and merged lesions",
                  "voxcc match labels.nii.gz other.nii.gz --longitudinal --stats lesions.csv --json visits.json"},
                 {"a batch: words in braces name the B of each A",
                  "voxcc match scans/*.nii.gz 'parts/{stem}.nii.gz' --summary metrics.csv"},
                 {"a series: a table of tracks, and the frames with numbers of tracks",
                  "voxcc match series.nii.gz --volume all --tracks tracks.csv -o tracked.nii.gz"}},
    .daily = {{"A...", "the reference, the earlier volume, or a series"},
              {"B", "the prediction; for several A: 'pred/{stem}.nii.gz'"},
              {"--components", "the objects are the components of masks"},
              {"--by", "iou, dice, fraction or distance (default: iou)"},
              {"--at", "least agreement, or largest distance (default: 0.5)"},
              {"--longitudinal", "what became of each object"},
              {"--volume", "all: the volumes of A are the frames of a series"},
              {"--tracks", "series: table of tracks, .txt (CTC) or .geff"},
              {"--pairs"},
              {"--stats"},
              {"--json"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"compare", "label", "stats"},
    .pages = {"manual/match.md", "manual/tracking.md"}};

const CommandText map{
    .name = "map",
    .use = CommandUse::other,
    .description =
        {"Writes a label volume with the new numbers of a table. `--table` names a table with the columns `label` and `new`; other columns "
         "are not used. Several labels may get one number, and the number 0 removes a label. The background stays 0. A label that the "
         "table does not have is an error; `--missing keep` keeps its number, and `--missing zero` removes it.",
         "`--merge` unites the pairs of a table of contacts, which `voxcc label` and `voxcc stats` write with `--contacts`. The number of "
         "united labels is the smallest of them. `--where` is a condition on the columns of this table. Other labels keep their numbers.",
         "`--fill-holes` fills background that does not touch the border and has one label around it. It gets this label. Without "
         "`--table` and `--merge`, all labels keep their numbers.",
         "`--parts N` divides the volume into N parts for several machines. `voxcc map LABELS STATE/ --parts N --part K` writes the file "
         "of part K into the folder STATE, and `voxcc map LABELS STATE/ --parts N --finish -o OUT` writes the output. All steps have "
         "the same table and the same options.",
         "The grid of the output is the grid of LABELS. See docs/manual/map.md.", selectors},
    .examples = {{"new numbers from a table; other labels are removed",
                  "voxcc map labels.nii.gz --table numbers.csv --missing zero -o mapped.nii.gz"},
                 {"unite labels that share at least 50 faces",
                  "voxcc map labels.nii.gz --merge contacts.csv --where 'faces >= 50' -o united.nii.gz"},
                 {"fill the holes of labels", "voxcc map labels.nii.gz --fill-holes -o filled.nii.gz"}},
    .daily = {{"LABELS"},
              {"--output", "label volume: .nii.gz .tif .h5 .zarr .nrrd ..."},
              {"--force", "overwrite existing outputs"},
              {"--table", "table with the columns label and new"},
              {"--missing", "other labels: keep, zero or error (default: error)"},
              {"--merge", "table of contacts whose pairs are united"},
              {"--where", "condition on its rows, as in 'faces >= 50'"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"stats", "label", "compare"},
    .pages = {"manual/map.md"}};

const CommandText tree{
    .name = "tree",
    .use = CommandUse::other,
    .description =
        {"Finds the components of all thresholds of a volume, and writes what follows from them. IMAGE has any type of voxels. "
         "NaN is never in a component, and infinite values are an error.",
         "A maximum is a set of connected voxels of one value without a higher neighbour. Its dynamics are the height by which a "
         "path must descend from it to reach a higher value. With `--sign negative`, minima and the negated values count.",
         "`--tfce` uses voxels above 0, and the other outputs use all voxels. See docs/manual/tree.md.", selectors},
    .examples = {{"threshold-free cluster enhancement, positive and negative values",
                  "voxcc tree ct.nii.gz --tfce enhanced.nii.gz --sign both -c 6"},
                 {"all maxima with their persistence", "voxcc tree ct.nii.gz --nodes maxima.csv"},
                 {"maxima that rise by at least 200", "voxcc tree ct.nii.gz --h-maxima 200 maxima.nii.gz"}},
    .daily = {{"IMAGE"},
              {"--tfce", "volume: threshold-free cluster enhancement"},
              {"--nodes", "table with one row per maximum"},
              {"--counts", "table with the number of components per threshold"},
              {"--h-maxima", "volume: 1 in maxima of at least H"},
              {"--area-opening", "volume without peaks below N voxels"},
              {"--mask", "use only voxels inside this volume"},
              {"--sign", "positive, negative or both (default: positive)"},
              {"--connectivity", "neighbours: 6 18 26, 2D: 4 8 (default: 26, 2D: 8)"},
              {"--force", "overwrite existing outputs"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory, ExitCode::cannot_create},
    .commands = {"label", "stats"},
    .pages = {"manual/tree.md"}};

const CommandText info{
    .name = "info",
    .description = {"Prints the format, shape, voxel type, spacing, affine and range of values of a file. For an HDF5 file with "
                    "several datasets, it lists the datasets.",
                    selectors},
    .examples = {{"show the properties of a volume", "voxcc info ct.nii.gz"},
                 {"the same as JSON, without reading the voxels", "voxcc info ct.nii.gz --json --no-range"}},
    .daily = {{"FILE", "volume, folder of slices, or template"},
              {"--volume", "volume of a 4D file, counted from 0"},
              {"--json"},
              {"--no-range"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory},
    .commands = {"verify", "label"},
    .pages = {"manual/formats.md"}};

const CommandText verify{
    .name = "verify",
    .description = {"Reads all data of each file, and checks sizes, checksums and the end of each file. Prints `FILE: ok` for "
                    "each intact file, and an error for each file that is truncated or corrupt. Bytes after the end of the data "
                    "give a warning. In a format without checksums, changed voxels are not seen; docs/manual/checks.md lists what is "
                    "checked in each format.",
                    selectors},
    .examples = {{"check a folder", "voxcc verify scans/*.nii.gz"},
                 {"check one file; print only errors", "voxcc verify ct.nii.gz > /dev/null"}},
    .daily = {{"FILE...", "volumes, folders of slices"}},
    .code_1 = {"some damaged", "several files were given, and some of them are damaged or cannot be read"},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::out_of_memory},
    .commands = {"info"},
    .pages = {"manual/formats.md"}};

const CommandText join{
    .name = "join",
    .description = {"Writes the rows of all tables into one table, in the order of the arguments. All tables must have the same columns. "
                    "Tables without rows add no rows.",
                    "The column `file` states the origin of each row. Tables that have this column keep its cells. For other tables, "
                    "`--file` sets the cells: `{table}` stands for the name of the table, and `{stem}` for this name without folder and "
                    "extension.",
                    "`--summary` writes one row per volume. A table without rows is a volume without components."},
    .examples = {{"the tables of several volumes", "voxcc join first.csv second.csv -o all.csv"},
                 {"the same, with the names of the volumes in the column 'file'",
                  "voxcc join first.csv second.csv --file '{stem}.nii.gz' -o all.csv"}},
    .daily = {{"TABLE..."},
              {"--list", "read more table names from FILE, one per line"},
              {"--output"},
              {"--file", "cells of the column file, as in {stem}.nii.gz"}},
    .errors = {ExitCode::usage, ExitCode::bad_data, ExitCode::no_input, ExitCode::cannot_create},
    .commands = {"label", "stats", "report"},
    .pages = {"manual/batch.md"}};

}  // namespace

std::vector<const CommandText*> texts_of_volumes() { return {&stats, &compare, &match, &tree, &map, &info, &verify, &join}; }

}  // namespace voxcc::cli
