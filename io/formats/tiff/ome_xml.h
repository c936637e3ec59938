// The elements of OME-XML that describe the volumes of an OME-TIFF. Schema: www.openmicroscopy.org/Schemas/OME/2016-06
#pragma once
#include <voxcc/error.h>
#include "io/formats/tiff/tiff_metadata.h"

#include <map>

namespace voxcc::io {

using Attributes = std::map<std::string, std::string, std::less<>>;

/// Says in which file and pages some planes are.
struct TiffData {
    Attributes attributes;
    NamedFile file;  // of its element UUID; empty if it has none
};

struct OmeXml {
    std::string uuid;                // of the file that holds the text; empty if it states none
    std::vector<Attributes> pixels;  // one per image
    std::vector<TiffData> tiff_data;
    std::vector<std::string> channel_names;  // of the elements Channel of all images, in their order; "" without a name; at most 65536
    std::string metadata_file;               // of an element BinaryOnly: the file with the metadata of a set
};

/// @param path for messages
/// @throw Error invalid_file if the text is not well-formed or has a document type declaration, which could define entities; out_of_memory
OmeXml parse_ome_xml(const std::string& path, const std::string& text);

/// Throws "OME-XML: CAUSE" about `path`.
[[noreturn]] void refuse_ome(const std::string& path, const std::string& cause, ErrorKind kind = ErrorKind::invalid_file);

/// @return the value of an attribute that is a whole number, 0 or larger; empty without the attribute. @throw Error invalid_file
std::optional<std::int64_t> whole_number(const std::string& path, const Attributes& attributes, std::string_view name);

/// Finds the file and page of each plane. Opens the further files of a set with description.open_further_file().
/// @param stack with its axes
/// @return empty without TiffData: the pages are then in the order of the axes
/// @throw Error about the content if a plane has no page or two, or a page has two planes; errors of open_further_file()
std::vector<PlanePlace> places_of_planes(const TiffDescription& description, const PageStack& stack, const OmeXml& ome);

}  // namespace voxcc::io
