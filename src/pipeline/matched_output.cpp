#include "src/pipeline/matched_output.h"

#include "src/errors/program_error.h"
#include "src/pipeline/label_map.h"

#include <algorithm>

namespace voxcc {
namespace {

std::uint64_t largest_of(const std::vector<std::uint64_t>& numbers) { return numbers.empty() ? 0 : std::ranges::max(numbers); }

/// Writes one volume. @param painter null with a conversion
void write_one(const io::LabelVolume& file, std::unique_ptr<LabelConversion> conversion, const Painter* painter,
               const WritingContext& context) {
    std::vector<VolumeToWrite> volumes;
    volumes.push_back({file, std::move(conversion)});
    write_volumes(volumes, {painter, file.like->extent.rows()}, context);
}

}  // namespace

io::LabelVolume numbered_volume(const MatchOptions& options, const io::VolumeInfo& like, std::uint64_t largest, const std::string& noun,
                                const WritingContext& context) {
    io::LabelVolume file{.path = options.output, .like = &like, .compress = options.compress, .largest = largest};
    file.type = options.dtype ? *options.dtype : io::smallest_label_type(options.output, largest);
    if (largest > largest_label(file.type))
        throw Error(ErrorKind::labels_too_large, options.output,
                    "the " + noun + " " + std::to_string(largest) + " does not fit into " + std::string(name_of(file.type)));
    file.zarr = options.zarr;
    file.threads = context.pool.size();
    return file;
}

std::vector<std::uint64_t> partner_numbers(const MatchedVolumes& volumes, const std::string& path) {
    const auto &a = volumes.overlap.a.labels(), &b = volumes.overlap.b.labels();
    std::uint64_t next = 0;
    for (const LabelBits label : a)
        if (!is_negative(label, volumes.type_a)) next = std::max(next, label);
    std::vector<std::uint64_t> numbers(b.size(), 0);
    for (const MatchCandidate& pair : volumes.partners) {
        if (is_negative(a[pair.a], volumes.type_a))
            throw ProgramError(
                ErrorKind::invalid_file, path,
                "has the negative label " + label_text(a[pair.a], volumes.type_a) + ", and label volumes have no negative labels",
                "give the labels new numbers first, with voxcc map");
        numbers[pair.b] = a[pair.a];
    }
    for (const std::size_t row : ascending_labels(volumes.overlap.b.labels(), volumes.type_b)) {
        if (numbers[row] != 0) continue;
        if (++next == 0)
            throw ProgramError(ErrorKind::labels_too_large, path, "has the largest label of 64 bits, and no number is left for new objects",
                               "give the labels new numbers first, with voxcc map");
        numbers[row] = next;
    }
    return numbers;
}

void write_with_numbers(io::VolumeReader& b, const MatchedVolumes& volumes, const std::vector<std::uint64_t>& numbers,
                        const MatchOptions& options, const WritingContext& context) {
    const LabelSums& objects = volumes.overlap.b;
    NewLabels labels;
    for (std::size_t row = 0; row < numbers.size(); ++row)
        labels.add(NewLabels::Label::of_volume(objects.labels()[row], volumes.type_b), numbers[row]);
    const io::LabelVolume file = numbered_volume(options, b.info(), largest_of(numbers), "label", context);
    const LabelMap map(labels, volumes.type_b, MapOptions::Missing::zero);
    FoundLabels found;
    b.rewind();
    b.use_threads(context.pool.size());
    write_one(file, to_new_labels(b, {map, file.type}, found, nullptr), nullptr, context);
    std::vector<LabelBits> expected;
    for (const std::size_t row : ascending_labels(objects.labels(), volumes.type_b)) expected.push_back(objects.labels()[row]);
    if (found.all().sorted(volumes.type_b) != expected) throw Error(ErrorKind::changed_file, options.b, "has changed while it was read");
}

void write_with_numbers(Labelling& components, const io::VolumeInfo& b, const MatchedVolumes& volumes,
                        const std::vector<std::uint64_t>& numbers, const MatchOptions& options, const WritingContext& context) {
    std::vector<std::uint64_t> final_numbers(numbers.size());
    for (std::size_t row = 0; row < numbers.size(); ++row) final_numbers[std::size_t(volumes.overlap.b.labels()[row] - 1)] = numbers[row];
    const io::LabelVolume file = numbered_volume(options, b, largest_of(numbers), "label", context);
    const Painter painter(components, b.extent, Axis::z, file.type, final_numbers, context.pool);
    write_one(file, nullptr, &painter, context);
}

}  // namespace voxcc
