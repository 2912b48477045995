// Names of the shared memory files.
#pragma once

namespace tl::shm {

constexpr char kDirectory[] = "/dev/shm";
constexpr char kFilePrefix[] = "libtelemetry.";

}  // namespace tl::shm
