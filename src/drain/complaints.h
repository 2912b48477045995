// What the library says where a dump cannot be made. `error`: -errno of the attempt.
#pragma once

namespace tl::drain {

// One line on the program's stderr.
void say_unwritable(const char* path, int error);
// For the report, if there will be one.
void warn_of_no_dump(int error);

}  // namespace tl::drain
