// The terminal that the command writes to: its width, and colors where it shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace webnn::inline v0_1::tool {

enum class Style { strong, good, bad, faint };

enum class Colors { automatic, always, never };
/// Whether styled() shows colors, from now on. This is `automatic` at the start.
void set_colors(Colors colors);

/// The text in that style if the standard output, or the descriptor, is a terminal that shows
/// colors; else the text alone. NO_COLOR in the environment turns colors off, TERM=dumb too, unless
/// set_colors() says what to do.
std::string styled(std::string_view text, Style style, int descriptor = 1);

/// The columns of the standard output. 0 if it is not a terminal and COLUMNS does not say a number.
std::size_t terminal_width();

/// A help text in lines of at most so many columns; 0 changes nothing. Descriptions stay in their
/// column, and a line of an example continues after a backslash, so that it can be copied.
std::string wrapped(std::string_view help, std::size_t width);

}  // namespace webnn::inline v0_1::tool
