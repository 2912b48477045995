// RAII over telemetry.h, for C++17 and later:
//
//     void handle(const Order& order) {
//       TL_SCOPE("handle");  // times the rest of the block, however it is left
//       ...
//     }
//
// The name must be a string literal. For one in a variable: telemetry::Scope scope(telemetry::register_scope(name)).
#ifndef TELEMETRY_TELEMETRY_HPP
#define TELEMETRY_TELEMETRY_HPP

#include <telemetry/telemetry.h>

namespace telemetry {

#if defined(TL_DISABLE)

class Scope {
 public:
  explicit Scope(tl_scope_id) {}
};
inline tl_scope_id register_scope(const char*) { return 0; }

#else

// The id of a name, 0 where the library is not there.
inline tl_scope_id register_scope(const char* name) { return tl_scope_register(name); }

// A scope from here to the end of the block, however the block is left.
class Scope {
 public:
  explicit Scope(tl_scope_id id) : id_(id) { tl_scope_begin(id_); }
  ~Scope() { tl_scope_end(id_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  tl_scope_id id_;
};

#endif

}  // namespace telemetry

#define TL_JOIN_(a, b) a##b
#define TL_JOIN(a, b) TL_JOIN_(a, b)
#if defined(TL_DISABLE)
#define TL_SCOPE(name) ((void)0)
#else
#define TL_SCOPE(name) TL_SCOPE_NUMBERED(name, __COUNTER__)
#define TL_SCOPE_NUMBERED(name, number)                                                             \
  static const tl_scope_id TL_JOIN(tl_scope_id_, number) = ::telemetry::register_scope("" name ""); \
  const ::telemetry::Scope TL_JOIN(tl_scope_, number)(TL_JOIN(tl_scope_id_, number))
#endif

#endif  // TELEMETRY_TELEMETRY_HPP
