// Requests from outside, served by the drain.
#pragma once

namespace tl::drain {

void serve_requests();   // once a round
void forget_requests();  // in a fork child

}  // namespace tl::drain
