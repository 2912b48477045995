// _Fork, the fork that runs no handlers: the child must let go of its parent's rings all the same.

#include <unistd.h>

#include "base/attributes.h"
#include "drain/lifecycle.h"
#include "real.h"

extern "C" {

TL_EXPORT pid_t _Fork(void) {
  const pid_t child = tl::preload::real._Fork();
  if (child == 0) tl::drain::on_fork_child();
  return child;
}

}  // extern "C"
