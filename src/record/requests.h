// What other processes ask of this one (shm/requests.h), each request taken by one thread only.
#pragma once

#include "shm/requests.h"

namespace tl::record {

// `nothing`: nothing new, or the request before is not answered yet.
shm::Request take_request();
void answer_request(shm::Answer answer);
// In a fork child: nobody has asked it anything.
void forget_requests();

// Pauses and goes on as asked; false: the request is of another kind.
bool obey(shm::Request request);

// For a thread that is about to make the first record of the process. True: the process has been paused from outside.
bool is_paused_before_first_record();

}  // namespace tl::record
