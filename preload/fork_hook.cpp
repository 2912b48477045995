// Forks that run no handlers: _Fork, and clone where it makes a process with memory of its own. The child must let go
// of its parent's rings all the same.

#include <sched.h>
#include <stdarg.h>

#include <unistd.h>

#include "base/attributes.h"
#include "drain/lifecycle.h"
#include "real.h"

namespace {

struct Child {
  int (*body)(void*);
  void* argument;
};

int begin_child(void* child_address) {
  const Child child = *static_cast<Child*>(child_address);  // in the child's copy of the parent's stack
  tl::drain::on_fork_child();
  return child.body(child.argument);
}

}  // namespace

extern "C" {

TL_EXPORT int clone(int (*body)(void*), void* stack, int flags, void* argument, ...) {
  va_list list;
  va_start(list, argument);
  void *const parent_tid = va_arg(list, void*), *const tls = va_arg(list, void*),
              *const child_tid = va_arg(list, void*);
  va_end(list);
  const auto real = tl::preload::real.clone;
  if ((flags & CLONE_VM) != 0 || body == nullptr) return real(body, stack, flags, argument, parent_tid, tls, child_tid);
  Child child{body, argument};
  return real(begin_child, stack, flags, &child, parent_tid, tls, child_tid);
}

TL_EXPORT pid_t _Fork(void) {
  const pid_t child = tl::preload::real._Fork();
  if (child == 0) tl::drain::on_fork_child();
  return child;
}

}  // extern "C"
