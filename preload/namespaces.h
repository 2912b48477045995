// unshare() and setns(), which the kernel grants for some namespaces to processes of one thread only.
#pragma once

namespace tl::preload {

// With the kernel's result: negative errno on failure.
long unshare_alone(unsigned long flags);
long setns_alone(int fd, int kind);

}  // namespace tl::preload
