// Files by raw system calls. Descriptors are close-on-exec. Results below 0 are negative errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tl::os {

int open_read(const char* path);
int open_append(const char* path);                // never follows a link in the last component
int create_new(const char* path, unsigned mode);  // O_EXCL, no link followed, exactly this mode whatever the umask
void close(int fd);

// All bytes or a negative errno; on failure the file may hold a part.
long write_all(int fd, const void* bytes, std::size_t size);
// At most `capacity` bytes from the start; how many there were to read, or negative errno.
long read_file(const char* path, void* buffer, std::size_t capacity);

// `wanted`, or `wanted.1`, `wanted.2`, ... whichever is the first that does not exist yet, created with mode 0600. The
// name that it got is put into `created` (capacity bytes), the number that follows the dot into `suffix`, 0 for none.
int create_with_free_suffix(const char* wanted, char* created, std::size_t capacity, std::uint64_t& suffix);

// A file with mode 0600 in the directory that `wanted` would be in, without a name, which it gets by the second:
// negative errno where the file system does not know that, -EEXIST where there is one of that name.
int create_nameless(const char* wanted);
int name_file(int fd, const char* path);

// 0 if a file of this name, or of this name with a suffix, could be made; else negative errno.
int check_new_file(const char* path);

// For the few lines that the watched program's stderr gets. Only at start, before the program could have put a file of
// its own on descriptor 2.
void say(std::string_view line);

}  // namespace tl::os
