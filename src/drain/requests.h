// Requests from outside, served by the drain.
#pragma once

namespace tl::drain {

bool serve_requests();   // once a round; true: there was one, and others may wait behind it
void forget_requests();  // in a fork child

}  // namespace tl::drain
