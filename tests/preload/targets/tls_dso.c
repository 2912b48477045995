// Case C1 (c): 64 KiB of thread-local storage in a library that is opened late.
static __thread char storage[65536];

__attribute__((visibility("default"))) char* tls_touch(int value) {
  for (unsigned i = 0; i < sizeof storage; i += 4096) storage[i] = (char)value;
  return storage;
}
