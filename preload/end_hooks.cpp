// The ways out that no exit handler sees: _exit and _Exit, and the exec family. Whatever is a signal's or a raw system
// call's doing leaves its records in shared memory. (posix_spawn, system and popen end no program: their child never
// comes by here.)

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/attributes.h"
#include "drain/lifecycle.h"
#include "os/syscall.h"
#include "real.h"

using tl::dump::EndReason;
using tl::preload::real;

namespace {

// Runs the real call between the end of the recording and, when it came back, its resumption.
template <class Exec>
int around_exec(Exec exec) {
  tl::drain::finish(EndReason::exec);
  const int result = exec();
  tl::drain::resume();
  return result;
}

[[noreturn]] void leave_now(int status) {
  tl::drain::finish(EndReason::exit);
  for (;;) tl::os::call(SYS_exit_group, status);
}

// execl and its kin have their arguments on the stack: how many there are with the closing null, and the array of them.
std::size_t count_arguments(va_list arguments) {
  std::size_t count = 2;
  while (va_arg(arguments, char*) != nullptr) ++count;
  return count;
}
void collect_arguments(char** out, const char* first, va_list arguments) {
  *out = const_cast<char*>(first);
  while (*out != nullptr) *++out = va_arg(arguments, char*);
}

}  // namespace

// `first` may be null, whatever the declaration in unistd.h says: programs do it, and then the array is just that null.
#define TL_ARGUMENT_ARRAY(array, first)                                                      \
  const char* array##_first = first;                                                         \
  asm("" : "+r"(array##_first)); /* or the compiler takes the declaration's word */          \
  va_list list, again;                                                                       \
  va_start(list, first);                                                                     \
  va_copy(again, list);                                                                      \
  const std::size_t array##_count = array##_first == nullptr ? 1 : count_arguments(list);    \
  char** const array = static_cast<char**>(__builtin_alloca(array##_count * sizeof(char*))); \
  collect_arguments(array, array##_first, again);                                            \
  va_end(again)

extern "C" {

TL_EXPORT void _exit(int status) { leave_now(status); }
TL_EXPORT void _Exit(int status) { leave_now(status); }

TL_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) {
  return around_exec([&] { return real.execve(path, arguments, environment); });
}
TL_EXPORT int execv(const char* path, char* const arguments[]) {
  return around_exec([&] { return real.execve(path, arguments, environ); });
}
TL_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) {
  return around_exec([&] { return real.execvpe(file, arguments, environment); });
}
TL_EXPORT int execvp(const char* file, char* const arguments[]) {
  return around_exec([&] { return real.execvpe(file, arguments, environ); });
}
TL_EXPORT int execveat(int directory, const char* path, char* const arguments[], char* const environment[], int flags) {
  return around_exec([&] { return real.execveat(directory, path, arguments, environment, flags); });
}
TL_EXPORT int fexecve(int fd, char* const arguments[], char* const environment[]) {
  return around_exec([&] { return real.fexecve(fd, arguments, environment); });
}

TL_EXPORT int execl(const char* path, const char* first, ...) {
  TL_ARGUMENT_ARRAY(arguments, first);
  va_end(list);
  return around_exec([&] { return real.execve(path, arguments, environ); });
}
TL_EXPORT int execlp(const char* file, const char* first, ...) {
  TL_ARGUMENT_ARRAY(arguments, first);
  va_end(list);
  return around_exec([&] { return real.execvpe(file, arguments, environ); });
}
TL_EXPORT int execle(const char* path, const char* first, ...) {
  TL_ARGUMENT_ARRAY(arguments, first);  // which leaves `list` behind the closing null
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return around_exec([&] { return real.execve(path, arguments, environment); });
}

}  // extern "C"
