// What stderr can show: a terminal can redraw a line and show colours.
#pragma once
#include <cstddef>

namespace voxcc {

/// @return whether stderr is a terminal that obeys control codes: TERM is set, and is not "dumb"
bool stderr_obeys_codes();

/// @return whether messages on stderr may have colours: stderr_obeys_codes(), and NO_COLOR is unset or empty (https://no-color.org)
bool stderr_shows_colours();

/// @return the number of columns of the terminal of stderr, or 80 if it is not known
std::size_t stderr_columns();

}  // namespace voxcc
