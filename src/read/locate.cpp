#include "read/locate.h"

#include <cstring>
#include <filesystem>
#include <utility>

#include "shm/dump_file.h"
#include "shm/salvage.h"

namespace tl::read {

namespace {

// One spelling for a path, whether its last part exists or not: the library resolved its own against the working
// directory, and a report is asked for by any name.
std::string canonical(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path made =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  return made.empty() ? path : made.string();
}

shm::Wrote append(void* context, const void* bytes, std::size_t size, shm::Weight) {
  auto* memory = static_cast<std::vector<unsigned char>*>(context);
  const auto* first = static_cast<const unsigned char*>(bytes);
  memory->insert(memory->end(), first, first + size);
  return shm::Wrote::all;
}

struct Search {
  std::string wanted;
  Located* out;
  std::string real_path;  // of the dump, where its name differs from what was asked for
};

// The text of a fixed array that another process wrote: it may lack its zero.
template <std::size_t N>
std::string text_of(const char (&array)[N]) {
  return std::string(array, strnlen(array, N));
}

// Whether `wanted` is a file that the process has filled, and gone on or is about to go on in the next one.
bool is_earlier_part(const shm::Control& control, const std::string& wanted) {
  if (control.rotate_files == 0) return false;
  const std::string output = text_of(control.output);
  for (const shm::PartFile& part : control.parts)
    if (part.inode != 0 && canonical(output + (part.suffix == 0 ? "" : "." + std::to_string(part.suffix))) == wanted)
      return true;
  return false;
}

shm::PartFile own_part(const shm::Control& control) {
  return control.parts[control.rotate_files == 0 ? 0 : (control.part - 1) % control.rotate_files % kMaxRotateFiles];
}

bool visit(void* context, shm::Leftover& leftover) {
  auto& search = *static_cast<Search*>(context);
  const shm::Control& control = leftover.control();
  const bool created = control.created.load(std::memory_order_acquire) != 0;  // pairs with the writer's release
  const std::string dump = created ? text_of(control.created_path) : text_of(control.output);
  if (dump.empty()) return true;
  if (is_earlier_part(control, search.wanted) && !(created && canonical(dump) == search.wanted)) {
    if (!leftover.process_is_alive()) shm::salvage(leftover, dump::EndReason::killed, 0);
    return false;
  }
  if (canonical(dump) != search.wanted) return true;
  // A file that this process did not make is another one's: the process was only going to use the name, or its own dump
  // was moved away.
  const bool is_there = std::filesystem::exists(search.wanted);
  if (is_there && !shm::DumpFile::is_it(search.wanted.c_str(), own_part(control))) return true;

  Located& out = *search.out;
  if (!leftover.process_is_alive()) {
    const shm::Salvaged salvaged = shm::salvage(leftover, dump::EndReason::killed, 0);
    if (salvaged == shm::Salvaged::written) {
      if (!is_there) search.real_path = text_of(control.created_path);
      return false;
    }
    if (salvaged == shm::Salvaged::nothing) return true;
  } else {
    out.running = true;
  }
  // The file before the snapshot: the counts must not be older than the records.
  if (created) out.has_file = out.file.open(dump).empty();
  std::vector<unsigned char> blocks;
  if (shm::snapshot(leftover, !out.has_file, {append, &blocks})) out.memory = Source(std::move(blocks));
  return false;
}

}  // namespace

std::string locate(const std::string& path, Located& out) {
  Search search{canonical(path), &out, {}};
  shm::for_each_leftover(visit, &search);
  if (out.has_file || out.memory.size() > 0) return {};
  const std::string failure = out.file.open(search.real_path.empty() ? path : search.real_path);
  out.has_file = failure.empty();
  return failure;
}

}  // namespace tl::read
