// The program that is to be run: where it is, and whether a library can be loaded into it.
#pragma once

#include <string>

namespace tlrun {

struct Program {
  std::string path;             // what exec will be given
  int error = 0;                // ENOENT: no such program; EACCES and others: it cannot be executed
  std::string why_not;          // in words: nothing can be recorded because ...; empty: it can
  bool loader_objects = false;  // its loader would complain about the library on stderr, so it is not preloaded at all
};

// As execvp searches. A script is judged by its interpreter, one level deep.
Program find_program(const std::string& name);

}  // namespace tlrun
