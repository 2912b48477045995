// What of limits on memory the recording must know of, before they are set; however the program sets them.
#pragma once

#include <sys/resource.h>

namespace tl::preload {

void heed_limit(int resource, const rlimit* limit);  // null: it is only read
void heed_mlockall(int flags);

}  // namespace tl::preload
