#include "tlrun/program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace tlrun {

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "which ELF machine is this?"
#endif

class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string read(std::size_t at, std::size_t size) const {
    std::string bytes(size, '\0');
    const ssize_t n = descriptor_ < 0 ? 0 : pread(descriptor_, bytes.data(), size, static_cast<off_t>(at));
    bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return bytes;
  }

 private:
  int descriptor_;
};

int error_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

// The kernel then runs it with other rights than ours, and the loader ignores LD_PRELOAD.
bool gains_rights(const std::string& path) {
  struct stat status {};
  struct statvfs mount {};
  if (stat(path.c_str(), &status) != 0) return false;
  if (statvfs(path.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) return true;
  if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 && status.st_gid != getgid()) return true;
  return getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

std::vector<Elf64_Phdr> segments_of(const File& file, const Elf64_Ehdr& elf) {
  const std::string bytes = file.read(elf.e_phoff, std::min<std::size_t>(elf.e_phnum, 256) * sizeof(Elf64_Phdr));
  std::vector<Elf64_Phdr> segments(bytes.size() / sizeof(Elf64_Phdr));
  if (!segments.empty()) std::memcpy(segments.data(), bytes.data(), segments.size() * sizeof(Elf64_Phdr));
  return segments;
}

// The loader that a program asks for; empty: none.
std::string loader_of(const File& file, const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_INTERP)
      return file.read(segment.p_offset, std::min<std::size_t>(segment.p_filesz, 4096)).c_str();
  return {};
}

// Whether a library whose name begins with `wanted` is among those that the program needs.
bool needs(const File& file, const std::vector<Elf64_Phdr>& segments, std::string_view wanted) {
  std::vector<Elf64_Dyn> entries;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::string bytes = file.read(segment.p_offset, std::min<std::size_t>(segment.p_filesz, 65536));
    entries.resize(bytes.size() / sizeof(Elf64_Dyn));
    if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Elf64_Dyn));
  }
  std::uint64_t names = 0;
  for (const Elf64_Dyn& entry : entries)
    if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD || names < segment.p_vaddr || names - segment.p_vaddr >= segment.p_filesz) continue;
    for (const Elf64_Dyn& entry : entries)
      if (entry.d_tag == DT_NEEDED &&
          file.read(names - segment.p_vaddr + segment.p_offset + entry.d_un.d_val, wanted.size()) == wanted)
        return true;
  }
  return false;
}

void judge_elf(const std::string& path, const File& file, const std::string& head, Program& program) {
  Elf64_Ehdr elf;
  if (static_cast<unsigned char>(head[EI_CLASS]) == ELFCLASS32) {
    program.why_not = path + " is a 32-bit program and the library has 64 bits";
    program.loader_objects = true;
    return;
  }
  if (head.size() < sizeof elf) return;
  std::memcpy(&elf, head.data(), sizeof elf);
  if (elf.e_machine != kMachine || elf.e_ident[EI_DATA] != ELFDATA2LSB) {
    program.why_not = path + " is built for another kind of processor";
    program.loader_objects = true;
    return;
  }
  const std::vector<Elf64_Phdr> segments = segments_of(file, elf);
  const std::string loader = loader_of(file, segments);
  const std::string_view name = std::string_view(loader).substr(loader.rfind('/') + 1);
  if (loader.empty()) {
    // The loader itself has no loader either, but loads what it is asked to.
    if (path.substr(path.rfind('/') + 1).rfind("ld-linux", 0) == 0) return;
    program.why_not = path + " is statically linked, so no library can be loaded into it";
  } else if (name.substr(0, 8) != "ld-linux") {
    program.why_not = path + " uses the loader of another C library (" + loader + ")";
    program.loader_objects = true;
  } else if (needs(file, segments, "libasan.so")) {
    program.why_not = path + " is built with AddressSanitizer's shared runtime, which must be its first library";
    program.loader_objects = true;
  } else if (gains_rights(path)) {
    program.why_not =
        path + " runs with other rights (set-uid, set-gid or capabilities), so the loader refuses libraries";
  }
}

std::string interpreter_of(const std::string& head) {
  const std::string line = head.substr(2, head.find('\n', 2) - 2);
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
}

void judge(const std::string& path, Program& program, bool is_interpreter) {
  const File file(path);
  const std::string head = file.read(0, 4096);
  if (head.size() > EI_NIDENT && std::memcmp(head.data(), ELFMAG, SELFMAG) == 0) {
    judge_elf(path, file, head, program);
  } else if (head.substr(0, 2) == "#!" && !is_interpreter) {
    const std::string interpreter = interpreter_of(head);
    if (const int error = error_of(interpreter); error != 0)
      program.error = error;
    else
      judge(interpreter, program, true);
  }
}

}  // namespace

Program find_program(const std::string& name) {
  Program program;
  program.path = name;
  program.error = name.empty() ? ENOENT : 0;
  if (name.find('/') != std::string::npos) {
    program.error = error_of(name);
  } else if (!name.empty()) {
    const char* variable = getenv("PATH");
    const std::string search = variable != nullptr ? variable : "/bin:/usr/bin";
    program.error = ENOENT;
    for (std::size_t begin = 0; begin <= search.size();) {
      const std::size_t end = std::min(search.find(':', begin), search.size());
      const std::string directory = search.substr(begin, end - begin);
      const std::string path = (directory.empty() ? "." : directory) + "/" + name;
      const int error = error_of(path);
      if (error == 0) {
        program.path = path;
        program.error = 0;
        break;
      }
      if (error == EACCES) program.error = EACCES;  // goes on searching, as a shell does
      begin = end + 1;
    }
  }
  if (program.error == 0) judge(program.path, program, false);
  return program;
}

}  // namespace tlrun
