#include "src/pipeline/chosen_volume.h"

#include "io/files/file_identity.h"
#include "src/errors/program_error.h"
#include "src/messages/report.h"
#include "src/options/test_volume_options.h"
#include "src/pipeline/axis_positions.h"
#include "src/pipeline/generated_reader.h"
#include "src/pipeline/input.h"
#include "src/pipeline/selector.h"

#include <algorithm>

namespace voxcc {
namespace {

[[noreturn]] void refuse(const std::string& input, const std::string& cause, const std::string& remedy,
                         ErrorKind kind = ErrorKind::invalid_argument) {
    throw ProgramError(kind, input, cause, remedy);
}

/// The functions of io for files, and the functions for inputs that are computed.
io::VolumeInfo describe_path(const std::string& path, const io::OpenOptions& options) {
    return is_generated(path) ? describe_generated(path, options) : io::describe_volume(path, options);
}
std::unique_ptr<io::VolumeReader> open_path(const std::string& path, const io::OpenOptions& options) {
    return is_generated(path) ? open_generated(path, options) : io::open_volume(path, options);
}
std::vector<std::string> files_of_path(const std::string& path, const io::OpenOptions& options) {
    return is_generated(path) ? std::vector<std::string>{} : io::files_of_volume(path, options);
}

/// Whether a file has a dataset of this path. Nothing that prevents the answer is an error here.
bool has_dataset(const std::string& path, const std::string& dataset, const io::OpenOptions& open) {
    try {
        return std::ranges::any_of(describe_path(path, open).datasets, [&](const io::Dataset& d) { return d.path == dataset; });
    } catch (const Error&) {
        return false;
    }
}

/// Reads the selector. A dataset that has the complete text as its path wins.
// ":/a[3]" -> {"/a[3]", {}, {}} if the file has this dataset, else {"/a", {3}, {}}
Selector selector_of(const std::string& input, const SelectedFile& file, const io::OpenOptions& open) {
    const std::string& text = file.selector;
    if (text.starts_with(':') && text.ends_with(']') && has_dataset(file.path, text.substr(1), open))
        return {.dataset = text.substr(1), .volumes = {}, .axes = {}};
    return parse_selector(text, input);
}

/// The first of several choices.
// "/raw, /seg/mask" -> "/raw"
std::string first_of(const std::string& choices) { return choices.substr(0, choices.find_first_of(", ")); }

/// The remedy of errors about a choice that a selector makes; empty for other errors.
std::string remedy_of(const Error& error, const ChosenVolume& volume) {
    const std::string &choices = error.choices(), dataset = volume.open.dataset.empty() ? "" : ":" + volume.open.dataset;
    switch (error.kind()) {
        case ErrorKind::no_such_volume:
        case ErrorKind::several_volumes:
            if (choices.empty()) return "leave the number out";
            return "choose one of " + choices + ", as in '" + volume.path + dataset + "[0]'";
        case ErrorKind::no_such_dataset:
        case ErrorKind::several_datasets:
            if (choices.empty()) return "list the datasets with 'voxcc info'";
            return "choose one, as in '" + volume.path + ":" + first_of(choices) + "': " + choices;
        default: return "";
    }
}

/// --dataset is not used for other formats, because a batch can have files of several formats. A selector belongs to one file.
void check_dataset(const ChosenVolume& volume, const io::VolumeInfo& info) {
    if (volume.by == ChosenVolume::By::selector && !volume.open.dataset.empty() && info.dataset.empty())
        refuse(volume.input, "is a file of the format " + info.format + ", which has no datasets",
               "leave out ':" + volume.open.dataset + "'");
}

/// Calls f(). Replaces the remedies that name options if a selector chooses.
template <class F>
auto with_remedies(const ChosenVolume& volume, const F& f) {
    try {
        return f();
    } catch (const Error& error) {
        const std::string remedy = volume.by == ChosenVolume::By::selector ? remedy_of(error, volume) : "";
        if (remedy.empty()) throw;
        check_dataset(volume, describe_path(volume.path, volume.open));
        throw ProgramError(error.kind(), error.subject(), error.cause(), remedy);
    }
}

/// Whether both files have several volumes, of the same number.
bool have_equal_numbers_of_volumes(const ChosenVolume& a, const ChosenVolume& b) {
    const std::int64_t volumes = describe_path(a.path, a.open).volumes;
    return volumes > 1 && volumes == describe_path(b.path, b.open).volumes;
}

/// An input, divided and combined with the options, but without the choice of a volume.
struct Parts {
    ChosenVolume each;
    Selector selector;
};

Parts parts_of(const std::string& input, const InputOptions& options) {
    const SelectedFile file = divide_input(input);
    Parts parts{{input, file.path, open_options(options)}, {}};
    parts.selector = selector_of(input, file, parts.each.open);
    if (!file.selector.empty()) parts.each.by = ChosenVolume::By::selector;
    if (!parts.selector.dataset.empty()) {
        if (!options.dataset.empty()) refuse(input, "chooses a dataset, and so does --dataset", "leave out one of them");
        parts.each.open.dataset = parts.selector.dataset;
    }
    if (parts.selector.chooses_volumes() && !options.volume.empty())
        refuse(input, "chooses volumes, and so does --volume", "leave out one of them");
    return parts;
}

std::vector<std::int64_t> numbers_from(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t number = first; number <= last; ++number) numbers.push_back(number);
    return numbers;
}

/// The numbers of all volumes of a selector with numbers, or of --volume all.
std::vector<std::int64_t> numbers_in(const Parts& parts, const io::VolumeInfo& info) {
    if (!parts.selector.chooses_volumes()) return numbers_from(0, info.volumes - 1);
    if (!parts.selector.volumes) return numbers_of(parts.each.input, parts.selector, info);
    const NumberRange range = *parts.selector.volumes;
    const std::int64_t last = range.last.value_or(range.first);
    if (last >= info.volumes)
        refuse(parts.each.input,
               "has no volume " + std::to_string(last) + ", because it holds " + counted(std::uint64_t(info.volumes), "volume"),
               info.volumes == 1 ? "leave the range out" : "choose from [0.." + std::to_string(info.volumes - 1) + "]",
               ErrorKind::no_such_volume);
    return numbers_from(range.first, last);
}

bool is_list(const Parts& parts, const InputOptions& options) { return options.volume == "all" || parts.selector.has_range(); }

/// The volume of a selector without a range.
ChosenVolume one_of(const Parts& parts) {
    ChosenVolume one = parts.each;
    if (parts.selector.volumes) one.open.volume = parts.selector.volumes->first;
    if (!parts.selector.axes.empty()) one.open.volume = numbers_of(one.input, parts.selector, describe(parts.each)).front();
    return one;
}

}  // namespace

io::VolumeInfo describe(const ChosenVolume& volume) {
    return with_remedies(volume, [&] {
        io::VolumeInfo info = describe_path(volume.path, volume.open);
        check_dataset(volume, info);
        return info;
    });
}

bool chooses_list(const std::string& input, const InputOptions& options) {
    try {
        return is_list(parts_of(input, options), options);
    } catch (const Error&) {
        return options.volume == "all";
    }
}

ChosenVolumes choose_volumes(const std::string& input, const InputOptions& options) {
    const Parts parts = parts_of(input, options);
    if (!is_list(parts, options)) return {{one_of(parts)}, ChosenVolumes::Form::one};
    ChosenVolumes chosen{{}, ChosenVolumes::Form::list};
    for (const std::int64_t number : numbers_in(parts, describe(parts.each))) {
        chosen.volumes.push_back(parts.each);
        chosen.volumes.back().open.volume = number;
    }
    return chosen;
}

ChosenVolume choose_volume(const std::string& input, const InputOptions& options) {
    const Parts parts = parts_of(input, options);
    if (parts.selector.has_range())
        refuse(input, "chooses several volumes, but one is needed", "choose one, as in '" + parts.each.path + "[0]'",
               ErrorKind::several_volumes);
    return one_of(parts);
}

ChosenVolume choose_number(const std::string& input, const InputOptions& options, std::int64_t number) {
    InputOptions own = options;
    own.volume.clear();
    Parts parts = parts_of(input, own);
    if (parts.selector.chooses_volumes() && !parts.selector.has_range())
        refuse(input, "chooses one volume, but volume " + std::to_string(number) + " is needed",
               "write {volume} into the selector, as in [{volume}]");
    parts.each.open.volume = number;
    return parts.each;
}

InputOptions options_of_companion(InputOptions options) {
    options.dataset.clear();
    options.volume.clear();
    options.colours = io::Colours::refuse;
    options.raw.reset();
    return options;
}

ChosenVolume choose_companion(const std::string& input, const InputOptions& options, const ChosenVolume& image) {
    ChosenVolume chosen = choose_volume(input, options_of_companion(options));
    const bool has_selector = chosen.by == ChosenVolume::By::selector;
    chosen.by = ChosenVolume::By::selector;  // no option chooses in a companion
    chosen.open.kept = image.open.kept;
    if (has_selector) return chosen;
    const auto place = io::identity_of(chosen.path);
    if (place && place == io::identity_of(image.path)) {
        chosen.open.dataset = image.open.dataset;
        chosen.open.volume = image.open.volume;
    } else if (image.open.volume && have_equal_numbers_of_volumes(chosen, image)) {
        chosen.open.volume = image.open.volume;
    }
    return chosen;
}

std::unique_ptr<io::VolumeReader> open(const ChosenVolume& volume) {
    return with_remedies(volume, [&] {
        auto reader = open_path(volume.path, volume.open);
        check_dataset(volume, reader->info());
        return reader;
    });
}

io::VolumeInfo describe_input(const std::string& input, const InputOptions& options) { return describe(parts_of(input, options).each); }

std::vector<std::string> files_of_input(const std::string& input, const InputOptions& options) {
    const SelectedFile file = divide_input(input);
    io::OpenOptions open = open_options(options);
    try {
        const Selector selector = selector_of(input, file, open);
        if (!selector.dataset.empty()) open.dataset = selector.dataset;
    } catch (const Error&) {
        return files_of_path(file.path, open);  // the error is reported when the input is opened
    }
    return files_of_path(file.path, open);
}

}  // namespace voxcc
