// Whether this process is one of those that are to be recorded.
#pragma once

#include <string_view>

#include "drain/environment.h"

namespace tl::drain {

// By TL_ONLY and TL_FOLLOW. Of a process that an exec has made; what a fork makes knows by itself.
bool is_selected(const Environment& environment, std::string_view program);

}  // namespace tl::drain
