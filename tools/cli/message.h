// The one line on stderr that says why a tool did not do all that was asked.
#pragma once

#include <string>
#include <string_view>

namespace tl::cli {

// The name that stands before each message ("tlreport: ..."). Call it once, first thing in main().
void set_tool_name(std::string_view name);

// "tool: text" as one line on stderr: control bytes in `text` (a file name may hold them) are shown as \xNN.
void error_line(std::string_view text);
// The same without the tool's name, for what is not a complaint.
void note_line(std::string_view text);

// `bytes` on one line of a terminal: control bytes as \xNN, all else as it is.
std::string one_line(std::string_view bytes);

}  // namespace tl::cli
