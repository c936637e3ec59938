#include "io/formats/dicom/dicom_folder.h"

#include "io/header_text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace voxcc::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t bytes_of_start = 132;

std::string name_of_file(const std::string& path) { return fs::path(path).filename().string(); }

// @return the extension in lower case; empty if it is only digits, as in the file name "1.2.840.3"
std::string extension_of(const std::string& path) {
    const std::string extension = lower_case(fs::path(path).extension().string());
    const bool is_number = extension.find_first_not_of("0123456789", 1) == std::string::npos;
    return extension.empty() || is_number ? "" : extension;
}

bool is_dicom_file(const std::string& path) {
    std::array<std::byte, bytes_of_start> start{};
    return is_dicom(std::span(start).first(InputFile(path).read_some(0, start)));
}

// @return at most five names
// "a, b" or "a, b, c, d, e and 3 others"
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) list += (i == 0 ? "" : ", ") + names[i];
    return names.size() <= most ? list : list + " and " + std::to_string(names.size() - most) + " others";
}

std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::error_code ignored;
        const bool is_of_voxcc = entry.path().filename().string().starts_with(".voxcc-");  // of a run that writes to the folder
        if (!entry.is_directory(ignored) && !is_of_voxcc) files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    return files;
}

[[noreturn]] void refuse_foreign(const std::string& path) {
    const std::int64_t size = InputFile(path).size();
    if (size == 0) throw Error(ErrorKind::truncated_file, path, "is empty");
    if (size < std::int64_t(bytes_of_start))
        throw Error(ErrorKind::truncated_file, path, "has " + std::to_string(size) + " bytes, too few for DICOM");
    throw Error(ErrorKind::invalid_file, path,
                "is not a DICOM file, as the others of its folder; copy it again, or move it to another folder");
}

// A folder with the extension of the slices is in the place of a slice.
void refuse_folders(const std::string& folder, const std::set<std::string>& extensions) {
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::error_code ignored;
        const std::string path = entry.path().string(), extension = extension_of(path);
        if (!extension.empty() && extensions.contains(extension) && entry.is_directory(ignored))
            throw Error(ErrorKind::invalid_file, path,
                        "is a folder, and the others of its folder are DICOM files; move it to another folder");
    }
}

// Divides the files by content, then by name. @return the DICOM files
std::vector<std::string> dicom_files(const std::string& folder, std::vector<std::string>& warnings) {
    std::vector<std::string> dicom, others, ignored;
    std::set<std::string> extensions;
    for (const std::string& path : files_in(folder)) {
        bool is_one = false;
        try {
            is_one = is_dicom_file(path);
        } catch (const Error&) {  // the name decides whether the file must be readable
        }
        (is_one ? dicom : others).push_back(path);
        if (is_one) extensions.insert(extension_of(path));
    }
    refuse_folders(folder, extensions);
    for (const std::string& path : others) {
        const std::string extension = extension_of(path);
        const bool has_other_extension = !extension.empty() && !extensions.contains(extension);
        if (!name_of_file(path).starts_with('.') && !has_other_extension) refuse_foreign(path);
        ignored.push_back(name_of_file(path));
    }
    if (!ignored.empty()) warnings.push_back("files that are not DICOM are left out: " + listed(ignored));
    return dicom;
}

void require_one_series(const std::string& folder, const std::vector<DicomObject>& objects) {
    std::map<std::string, std::vector<const DicomObject*>> series;
    for (const DicomObject& object : objects) series[object.series].push_back(&object);
    if (series.size() == 1) return;
    std::vector<std::string> names;
    for (const auto& [uid, members] : series)
        names.push_back(uid + " (" + members[0]->modality + ", " + std::to_string(members.size()) +
                        (members.size() == 1 ? " file)" : " files)"));
    throw Error(ErrorKind::several_series, folder, "holds several DICOM series: " + listed(names));
}

void require_alike(const std::vector<DicomObject>& objects) {
    const DicomObject& first = objects.front();
    for (const DicomObject& object : objects) {
        const auto refuse = [&](const std::string& what) {
            throw Error(ErrorKind::invalid_file, object.path,
                        what + " than " + name_of_file(first.path) + "; put slices of one kind in a folder");
        };
        if (object.rows != first.rows || object.columns != first.columns) refuse("has another number of rows or columns");
        if (object.photometric != first.photometric) refuse("has another photometric interpretation (" + object.photometric + ")");
        if (objects.size() == 1) return;
        if (object.frames.size() > 1) throw Error(ErrorKind::invalid_file, object.path, "has several frames; name the file itself");
        if (!object.frames[0].plane)
            throw Error(ErrorKind::invalid_file, object.path,
                        "states no position and orientation of its slice, so the order of the slices is not known; "
                        "convert the files to numbered slices, or to a format with positions");
    }
}

}  // namespace

bool is_dicom_folder(const std::string& path) {
    std::error_code error;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (!entry->is_regular_file(ignored)) continue;
        try {
            if (is_dicom_file(entry->path().string())) return true;
        } catch (const Error&) {  // read_dicom_folder() reports it if another file is DICOM
        }
    }
    return false;
}

DicomFolder read_dicom_folder(const std::string& path) {
    DicomFolder folder;
    std::vector<std::string> without_pixels;
    for (const std::string& file : dicom_files(path, folder.warnings)) {
        auto object = read_dicom(file);
        if (const auto* other = std::get_if<DicomWithoutPixels>(&object))
            without_pixels.push_back(name_of_file(file) + " (" + other->kind + ")");
        else folder.objects.push_back(std::move(std::get<DicomObject>(object)));
    }
    if (folder.objects.empty())
        throw Error(ErrorKind::unsupported_file, path,
                    "holds no DICOM images, only " + listed(without_pixels) + "; give the folder of the images");
    if (!without_pixels.empty()) folder.warnings.push_back("objects without pixels are left out: " + listed(without_pixels));
    require_one_series(path, folder.objects);
    require_alike(folder.objects);
    return folder;
}

std::vector<std::string> files_in_dicom_folder(const std::string& path) { return files_in(path); }

}  // namespace voxcc::io
