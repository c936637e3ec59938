// Lists of label colours and names for viewers: ITK-SNAP (.txt), FSLeyes (.lut), 3D Slicer (.ctbl) and napari (.json).
#pragma once
#include "io/checked_file.h"

#include <cstdint>
#include <string>

namespace voxcc {

enum class ColourList : std::uint8_t { itk_snap, fsleyes, slicer, napari };

/// The kind of list that the extension of the path stands for; capitals count as small letters.
/// @throw Error invalid_argument, with the option --lut, for another extension
// "labels.ctbl" -> ColourList::slicer
ColourList colour_list(const std::string& path);

/// Writes the colours of the labels 1 to `labels`, named "component 1" and so on, into a file in `outputs` (not published). The background
/// is transparent. The colours are the colours of --preview, and repeat after 7 labels.
/// @throw the exceptions of colour_list(), io::OutputFiles::create() and io::OutputFile::write()
void write_colours(const std::string& path, std::uint64_t labels, io::OutputFiles& outputs);

}  // namespace voxcc
