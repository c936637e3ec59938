#include "io/formats/slices/slice_names.h"

#include "io/files/checked_file.h"
#include "io/format_names.h"
#include "io/formats/slices/slices.h"
#include "io/shared_by_formats.h"
#include "io/unreadable.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace voxcc::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_digits = 18;  // fits 64 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_image(const std::string& name) {
    return std::ranges::any_of(slice_extensions(), [&](std::string_view extension) { return has_extension(name, {extension}); });
}

// A name split at one run of digits.
struct Numbered {
    std::string prefix, suffix;
    std::int64_t number;
};

// Splits a name. @param from_last which run of digits: 0 is the last one before the extension
// name = "a1_b22.tif", from_last = 0  ->  "a1_b", ".tif", 22
std::optional<Numbered> split(const std::string& name, int from_last) {
    std::size_t end = name.size() - fs::path(name).extension().string().size();
    for (;; --from_last) {
        while (end > 0 && !is_digit(name[end - 1])) --end;
        if (end == 0) return {};
        std::size_t begin = end;
        while (begin > 0 && is_digit(name[begin - 1])) --begin;
        if (from_last == 0) {
            if (end - begin > most_digits) return {};
            return Numbered{name.substr(0, begin), name.substr(end), std::stoll(name.substr(begin, end - begin))};
        }
        end = begin;
    }
}

std::vector<std::string> files_in(const std::string& folder) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    std::vector<std::string> names;
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
        if (std::string name = entry->path().filename().string(); !name.starts_with(".")) names.push_back(std::move(name));
    if (error) throw system_error(folder, "list the folder", error.value(), Access::read);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> image_names_in(const std::string& folder) {
    std::vector<std::string> names = files_in(folder);
    std::erase_if(names, [](const std::string& name) { return !is_image(name); });
    return names;
}

using Series = std::map<std::string, std::vector<NumberedFile>>;  // key: name with * in place of the number

Series series_by(const std::string& folder, const std::vector<std::string>& names, int from_last) {
    Series series;
    for (const std::string& name : names)
        if (const auto parts = split(name, from_last))
            series[parts->prefix + "*" + parts->suffix].push_back({parts->number, (fs::path(folder) / name).string()});
    return series;
}

// Finds the slices of a folder. Names can contain several numbers: the last one for which all files form one series counts the slices.
std::vector<NumberedFile> slices_in_folder(const std::string& folder) {
    const std::vector<std::string> names = image_names_in(folder);
    if (names.empty()) refuse_folder_without_slices(folder);
    for (int from_last = 0;; ++from_last) {
        Series series = series_by(folder, names, from_last);
        if (series.empty()) break;
        if (series.size() == 1 && series.begin()->second.size() == names.size()) return std::move(series.begin()->second);
    }
    const Series by_last = series_by(folder, names, 0);
    std::string list;
    std::size_t listed = 0;
    for (const auto& [pattern, files] : by_last) {
        if (listed++ == 5) break;
        list += (list.empty() ? "" : ", ") + pattern + " (" + std::to_string(files.size()) + ")";
    }
    if (by_last.size() > listed) list += ", ...";
    throw Error(ErrorKind::invalid_file, folder,
                (list.empty() ? "the names of its images have no numbers" : "contains several series of slices: " + list) +
                    "; choose one series with a template such as " + (fs::path(folder) / "name%04d.tif").string());
}

std::vector<NumberedFile> slices_of_template(const std::string& path) {
    auto slices = files_of_template(path);
    if (slices.empty())
        throw Error(ErrorKind::missing_part, path, "no file matches this template; check the folder, and the number of digits");
    return slices;
}

void check_numbers(const std::string& path, const std::vector<NumberedFile>& slices) {
    std::string missing;
    std::int64_t count = 0;
    for (std::size_t i = 1; i < slices.size(); ++i) {
        const std::int64_t before = slices[i - 1].number, after = slices[i].number;
        if (before == after)
            throw Error(ErrorKind::invalid_file, path,
                        "two slices have the number " + std::to_string(after) + ": " + slices[i - 1].path + ", " + slices[i].path +
                            "; remove or rename one of them");
        if (after == before + 1) continue;
        count += after - before - 1;
        if (missing.size() > 100) continue;
        missing += (missing.empty() ? "" : ", ") + std::to_string(before + 1);
        if (after > before + 2) missing += ".." + std::to_string(after - 1);
    }
    if (count > 0)
        throw Error(ErrorKind::invalid_file, path,
                    std::to_string(count) + (count == 1 ? " numbered slice is missing: " : " numbered slices are missing: ") + missing +
                        "; add the missing slices, or renumber the others");
}

}  // namespace

bool is_slice_template(const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    const std::size_t percent = name.find('%');
    if (percent == std::string::npos || path.find('%') != path.rfind('%')) return false;
    std::size_t end = percent + 1;
    while (end < name.size() && is_digit(name[end])) ++end;
    const std::string width = name.substr(percent + 1, end - percent - 1);
    return end < name.size() && name[end] == 'd' && (width.empty() || (width[0] == '0' && width.size() >= 2 && width.size() <= 3));
}

SliceTemplate parse_slice_template(const std::string& path) {
    if (!is_slice_template(path))
        throw Error(ErrorKind::unknown_format, path, "is not a template of numbered files", "a template such as name%04d.tif");
    const std::string folder = fs::path(path).parent_path().string(), name = fs::path(path).filename().string();
    const std::size_t percent = name.find('%'), d = name.find('d', percent);
    const std::string width = name.substr(percent + 1, d - percent - 1);
    return {folder.empty() ? "." : folder, name.substr(0, percent), name.substr(d + 1), width.empty() ? 0 : std::stoi(width)};
}

std::string SliceTemplate::name(std::int64_t number) const {
    std::string digits = std::to_string(number);
    if (int(digits.size()) < width) digits.insert(0, std::size_t(width) - digits.size(), '0');
    return (fs::path(folder) / (prefix + digits + suffix)).string();
}

std::vector<NumberedFile> files_of_template(const std::string& path) {
    const SliceTemplate pattern = parse_slice_template(path);
    std::vector<NumberedFile> slices;
    for (const std::string& name : files_in(pattern.folder)) {
        if (name.size() <= pattern.prefix.size() + pattern.suffix.size()) continue;
        if (!name.starts_with(pattern.prefix) || !name.ends_with(pattern.suffix)) continue;
        const std::string digits = name.substr(pattern.prefix.size(), name.size() - pattern.prefix.size() - pattern.suffix.size());
        if (digits.size() > most_digits || !std::all_of(digits.begin(), digits.end(), is_digit)) continue;
        slices.push_back({std::stoll(digits), (fs::path(pattern.folder) / name).string()});
    }
    return slices;
}

std::vector<std::string> images_in_folder(const std::string& folder) {
    std::vector<std::string> paths;
    for (const std::string& name : image_names_in(folder)) paths.push_back((fs::path(folder) / name).string());
    return paths;
}

std::vector<NumberedFile> find_slices(const std::string& path) {
    auto slices = is_slice_template(path) ? slices_of_template(path) : slices_in_folder(path);
    std::sort(slices.begin(), slices.end(),
              [](const NumberedFile& a, const NumberedFile& b) { return a.number != b.number ? a.number < b.number : a.path < b.path; });
    check_numbers(path, slices);
    return slices;
}

}  // namespace voxcc::io
