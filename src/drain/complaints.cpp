#include "drain/complaints.h"

#include <errno.h>

#include "base/limits.h"
#include "base/text.h"
#include "os/file.h"
#include "record/process.h"

namespace tl::drain {

namespace {

const char* why(int error) {
  switch (-error) {
    case ENOENT:
      return "no such directory";
    case ENOTDIR:
      return "not a directory";
    case EISDIR:
      return "that is a directory";
    case EROFS:
      return "a read-only file system";
    case EOPNOTSUPP:
      return "its file system holds no files of others";
    case EFBIG:
      return "a limit on the size of files";
    case EMFILE:
      return "no descriptor is left to the program";
    case ENFILE:
      return "no descriptor is left on the machine";
    case ENOSPC:
      return "no room, on the disk or below a limit on the size of files";
    case EDQUOT:
      return "the quota is used up";
    default:
      return "no permission to write";
  }
}

}  // namespace

void say_unwritable(const char* path, int error) {
  char buffer[kMaxPathBytes + 256];
  TextBuilder line(buffer, sizeof buffer);
  line.add("libtelemetry: the dump cannot be written to '").add(path).add("' (").add(why(error));
  line.add("); accepted: TL_OUTPUT as a file in a directory that can be written to\n");
  os::say(line.view());
}

// What waits in memory meanwhile finds no room there at some time, and counts as lost since its ring was full.
void warn_of_no_dump(int error) {
  char text[256];
  TextBuilder line(text, sizeof text);
  line.add("the dump could not be made for a while (").add(why(error));
  line.add("): records waited in memory, and are lost, cause ring_full, where that was full");
  record::warn("no_dump", line.view());
}

}  // namespace tl::drain
