#include "io/unreadable.h"

#include "io/files/checked_file.h"
#include "io/format.h"
#include "io/format_names.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace voxcc::io {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

/// A format of another program. A file has the format if it has one of the extensions, or the magic bytes at the given offset.
struct ForeignFormat {
    std::string_view cause, advice;  // in the advice, FILE stands for the path, and STEM for the path without its extension
    std::vector<std::string_view> extensions;
    std::string_view magic;
    std::size_t offset = 0;
};

/// The first format that fits is used, so special extensions come before general magic bytes.
std::vector<ForeignFormat> foreign_formats() {
    return {
        {"is an AFNI dataset", "convert it with '3dAFNItoNIFTI FILE'", {".head", ".brik", ".brik.gz"}, ""},
        {"is an MRtrix image", "convert it with 'mrconvert FILE STEM.nii.gz'", {".mif", ".mif.gz", ".mih"}, "mrtrix image"},
        {"is a MINC image", "convert it with 'mnc2nii FILE STEM.nii'", {".mnc"}, ""},
        {"is a NIfTI image whose voxels are text", "save it as .nii with 'nifti_tool' or the program that wrote it", {".nia"}, ""},
        {"is not an MRC volume, and can be a part of a Philips PAR/REC image",
         "convert it with 'parrec2nii STEM.par'",
         {".par", ".rec"},
         ""},
        {"is a VTK XML file", "save it as .mha or legacy .vtk (structured points) in ParaView", {".vti"}, "<VTKFile"},
        {"is a VolVis volume (SLC)", "read it with VTK or ParaView, and save it as .mha", {".slc"}, ""},
        {"is a NetCDF file of version 3", "convert it to HDF5 with 'nccopy -k nc4 FILE STEM.h5'", {".nc", ".cdf"}, "CDF"},
        {"is a Stimulate image", "read it with ITK, and save it as .nii.gz", {".spr", ".sdt"}, ""},
        {"is a file of a microscope",
         "open it in Fiji with Bio-Formats, and save it as OME-TIFF",
         {".czi", ".nd2", ".lif", ".oib", ".oif", ".vsi"},
         ""},
        {"is a MATLAB file", "save the array as .nii or .tif in MATLAB", {".mat"}, "MATLAB 5.0"},
        {"is a tar archive", "unpack it with 'tar -xf FILE'", {".tar", ".tgz", ".tar.gz"}, "ustar", 257},
        {"is a ZIP archive", "unpack it with 'unzip FILE'", {".zip"}, "PK\3\4"},
        {"its format is not read compressed with zstd", "unpack it with 'zstd -d FILE'", {".zst"}, "\x28\xb5\x2f\xfd"},
        {"is compressed with bzip2", "unpack it with 'bunzip2 -k FILE'", {".bz2"}, "BZh"},
        {"is compressed with xz",
         "unpack it with 'unxz -k FILE'",
         {".xz"},
         "\xfd"
         "7zXZ"},
        {"its format is not read compressed with gzip", "unpack it with 'gunzip -k FILE'", {}, "\x1f\x8b"},
    };
}

std::string replaced(std::string text, std::string_view name, const std::string& by) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + by.size())) text.replace(at, name.size(), by);
    return text;
}

std::string stem_of(const std::string& path) {
    const std::string whole = has_extension(path, {".gz"}) ? without_extension(path, ".gz") : path;
    return without_extension(whole, fs::path(whole).extension().string());
}

bool fits(const ForeignFormat& format, const std::string& path, std::string_view start) {
    const bool named = std::ranges::any_of(format.extensions, [&](std::string_view e) { return has_extension(path, {e}); });
    return named || (!format.magic.empty() && start.size() > format.offset && start.substr(format.offset).starts_with(format.magic));
}

[[noreturn]] void refuse(const std::string& path, const std::string& cause, const std::string& advice) {
    throw Error(ErrorKind::unsupported_file, path, cause + "; " + replaced(replaced(advice, "FILE", path), "STEM", stem_of(path)));
}

/// The format of a file that a user can name instead of its folder; empty if it has none, or if it can be a slice.
std::string kind_of(const std::string& name) {
    const Format* format = format_of_name(name);
    return format && format->slice_extensions.empty() ? std::string(format->name) : std::string();
}

std::string extension_of(const std::string& name) {
    const std::string last = fs::path(name).extension().string();
    return last == ".gz" ? fs::path(name).stem().extension().string() + last : last;
}

struct Volumes {
    std::string kind;
    std::vector<std::string> names;
};

/// The largest group of files with the same extension. An unreadable folder gives no files.
Volumes volumes_in(const std::string& folder) {
    std::map<std::string, Volumes> groups;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const std::string kind = kind_of(name);
        if (kind.empty() || name.starts_with(".")) continue;
        Volumes& group = groups[extension_of(name)];
        group.kind = kind;
        group.names.push_back(name);
    }
    Volumes largest;
    for (const auto& [extension, group] : groups)
        if (group.names.size() > largest.names.size()) largest = group;
    return largest;
}

}  // namespace

void refuse_unknown_format(const std::string& path) {
    const InputFile file(path);
    if (file.size() == 0) throw Error(ErrorKind::invalid_file, path, "the file is empty");
    std::string start(512, '\0');
    start.resize(file.read_some(0, std::as_writable_bytes(std::span(start))));
    if (has_extension(path, {".raw", ".bin"})) throw Error(ErrorKind::no_header, path, "has no header that states its size and type");
    for (const ForeignFormat& format : foreign_formats())
        if (fits(format, path, start)) refuse(path, std::string(format.cause), std::string(format.advice));
    throw Error(ErrorKind::invalid_file, path,
                "is not in a known image format; readable: " + joined(readable_extensions()) + "; convert it to one of these formats");
}

void refuse_folder_without_slices(const std::string& folder) {
    const Volumes volumes = volumes_in(folder);
    if (volumes.names.empty())
        throw Error(
            ErrorKind::missing_part, folder,
            "no image in this folder; give a folder of numbered slices (" + joined(slice_extensions()) + "), or the name of a file");
    const std::string count = std::to_string(volumes.names.size()) + " " + volumes.kind;
    const fs::path parent(folder);
    if (volumes.names.size() == 1)
        throw Error(ErrorKind::missing_part, folder, count + " file here; name it, as in " + (parent / volumes.names[0]).string());
    throw Error(ErrorKind::missing_part, folder,
                count + " files here; name them, as in " + (parent / ("*" + extension_of(volumes.names[0]))).string());
}

}  // namespace voxcc::io
