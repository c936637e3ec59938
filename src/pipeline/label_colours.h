// Label colours for viewers: lists of colours and names for ITK-SNAP (.txt), FSLeyes (.lut), 3D Slicer (.ctbl) and napari (.json), and the
// table inside a TIFF.
#pragma once
#include "io/files/checked_file.h"
#include "io/io.h"

#include <cstdint>
#include <string>
#include <vector>

namespace voxcc {

enum class ColourList : std::uint8_t { itk_snap, fsleyes, slicer, napari };

/// The colours of the labels 1, 2, ...; after the last one, they repeat.
std::vector<io::Colour> label_palette();

/// The colours of the values 0 to 255: black, and the colours of the labels 1 to 255.
std::vector<io::Colour> colour_table();

/// The kind of list that the extension of the path stands for; capitals count as small letters.
/// @throw Error invalid_argument, with the option --lut, for another extension
// "labels.ctbl" -> ColourList::slicer
ColourList colour_list(const std::string& path);

/// Writes the colours of the labels 1 to `labels`, named "component 1" and so on, into a file in `outputs` (not published). The background
/// is transparent. The colours are the colours of --preview, and repeat after 18 labels.
/// @throw the exceptions of colour_list(), io::OutputFiles::create() and io::OutputFile::write()
void write_colours(const std::string& path, std::uint64_t labels, io::OutputFiles& outputs);

}  // namespace voxcc
