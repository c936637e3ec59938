// The text of a NRRD header (teem.sourceforge.net/nrrd/format.html), before any field is interpreted.
#pragma once
#include "io/files/checked_file.h"
#include "io/header_text.h"

#include <string>
#include <vector>

namespace voxcc::io {

struct NrrdText {
    Fields fields;                    // names in lower case
    std::int64_t end = 0;             // end of the text, in bytes: start of attached voxels
    std::vector<std::string> listed;  // data files, if the field is LIST
};

/// Reads fields "name: value" and skips user attributes "key:=value". An empty line ends the header; a detached header may end with the
/// file.
/// @throw Error invalid_file if the header is longer than 16 MiB; io_error
NrrdText read_nrrd_text(const InputFile& file);

/// @return the value of the field that names the data files; "" if the voxels follow the header
std::string data_file_of(const Fields& fields);

}  // namespace voxcc::io
