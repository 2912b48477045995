// What the library would make of a value, asked before the program runs.
#pragma once

#include <string_view>

#include "base/settings.h"

namespace tlrun {

bool is_usable(const tl::Setting& setting, std::string_view value);

}  // namespace tlrun
