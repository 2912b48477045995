// Limits on the program's memory, and memory that must not be paged out: from then on the kernel may refuse even a
// little, and the results of small requests must be looked at.

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/attributes.h"
#include "limit_hooks.h"
#include "record/allocations.h"

namespace tl::preload {

void heed_limit(int resource, const rlimit* limit) {
  if ((resource == RLIMIT_AS || resource == RLIMIT_DATA) && limit != nullptr && limit->rlim_cur != RLIM_INFINITY)
    record::look_at_results();
}

void heed_mlockall(int flags) {
  if ((flags & MCL_FUTURE) != 0) record::look_at_results();
}

}  // namespace tl::preload

namespace {

// Looked up at each call: it is rare, and the pointer to our own function only tells the type.
template <class Function>
Function* next_one(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Before the limit is set, that no request falls between. (rlimit64 is the same type of the same values.)
extern "C" {

TL_EXPORT int setrlimit(__rlimit_resource_t resource, const rlimit* limit) noexcept {
  tl::preload::heed_limit(resource, limit);
  return next_one(&setrlimit, "setrlimit")(resource, limit);
}
TL_EXPORT int setrlimit64(__rlimit_resource_t resource, const rlimit64* limit) noexcept {
  tl::preload::heed_limit(resource, reinterpret_cast<const rlimit*>(limit));
  return next_one(&setrlimit64, "setrlimit64")(resource, limit);
}
TL_EXPORT int prlimit(pid_t process, enum __rlimit_resource resource, const rlimit* limit, rlimit* before) noexcept {
  tl::preload::heed_limit(resource, limit);
  return next_one(&prlimit, "prlimit")(process, resource, limit, before);
}
TL_EXPORT int prlimit64(pid_t process, enum __rlimit_resource resource, const rlimit64* limit,
                        rlimit64* before) noexcept {
  tl::preload::heed_limit(resource, reinterpret_cast<const rlimit*>(limit));
  return next_one(&prlimit64, "prlimit64")(process, resource, limit, before);
}
TL_EXPORT int mlockall(int flags) noexcept {
  tl::preload::heed_mlockall(flags);
  return next_one(&mlockall, "mlockall")(flags);
}

}  // extern "C"
