#define TL_LANES static
#define TL_VECTOR_BYTES 16
#include "dump/lanes_code.h"

namespace tl::dump {

constinit const LaneCode kBaselineLanes = kCode;

}  // namespace tl::dump
