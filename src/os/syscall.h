// System calls made directly: they leave errno alone, pass by whatever else is preloaded, and work on a thread that
// libc does not know. The result is the kernel's: negative errno on failure.
#pragma once

#include <sys/syscall.h>

namespace tl::os {

template <class T>
inline long word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}
template <class T>
inline long word(T value) {
  return static_cast<long>(value);
}

#if defined(__x86_64__)
inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#else
#error "libtelemetry runs on x86-64 and aarch64 Linux"
#endif

template <class A = long, class B = long, class C = long, class D = long, class E = long, class F = long>
inline long call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
  return raw_syscall(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

}  // namespace tl::os
