// The markers SOP (ISO/IEC 15444-1, annex A.8.1), which may stand before the packets of a tile and number them.
#pragma once
#include "io/formats/jpeg2000/codestream.h"

namespace voxcc::io {

/// Whether the markers of each tile are numbered 0, 1, 2, ... Packets without a marker then follow the others. If there is a gap, bytes of
/// a marker are probably damaged. Reads all coded data.
// markers 0, 1, 3 of a tile  ->  false
bool numbers_packets_without_gap(const InputFile& file, const Codestream& codestream);

}  // namespace voxcc::io
