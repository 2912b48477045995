// A program that changes its user or groups: glibc changes all threads that it knows, and it does not know the drain.
// It follows here, so that no thread of the process keeps rights that the program gave up.

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/attributes.h"
#include "drain/lifecycle.h"

namespace {

template <class Function>
int around(Function* own, const char* name, auto... arguments) {
  // Looked up at each call: it is rare, and the pointer to our own function only tells the type.
  const int result = reinterpret_cast<decltype(own)>(dlsym(RTLD_NEXT, name))(arguments...);
  if (result == 0) tl::drain::follow_credentials();
  return result;
}

}  // namespace

extern "C" {

TL_EXPORT int setuid(uid_t user) noexcept { return around(&setuid, "setuid", user); }
TL_EXPORT int setgid(gid_t group) noexcept { return around(&setgid, "setgid", group); }
TL_EXPORT int seteuid(uid_t user) noexcept { return around(&seteuid, "seteuid", user); }
TL_EXPORT int setegid(gid_t group) noexcept { return around(&setegid, "setegid", group); }
TL_EXPORT int setreuid(uid_t real, uid_t effective) noexcept { return around(&setreuid, "setreuid", real, effective); }
TL_EXPORT int setregid(gid_t real, gid_t effective) noexcept { return around(&setregid, "setregid", real, effective); }
TL_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  return around(&setresuid, "setresuid", real, effective, saved);
}
TL_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  return around(&setresgid, "setresgid", real, effective, saved);
}
TL_EXPORT int setgroups(size_t count, const gid_t* groups) noexcept {
  return around(&setgroups, "setgroups", count, groups);
}
TL_EXPORT int initgroups(const char* user, gid_t group) { return around(&initgroups, "initgroups", user, group); }

}  // extern "C"
