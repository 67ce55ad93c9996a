// Shares independent work among the threads that XLA has for a CPU.

#ifndef JAXGP_NATIVE_SHARE_H_
#define JAXGP_NATIVE_SHARE_H_

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "xla/ffi/api/ffi.h"

namespace jaxgp {

// Threads that help one caller. They may start at any time, or after the caller has gone on: then they leave.
class Helpers {
 public:
  // Returns whether there is still something to help with; then the caller waits until `leave`.
  bool join() {
    const std::lock_guard<std::mutex> hold(lock_);
    busy_ += open_;
    return open_;
  }

  void leave() {
    const std::lock_guard<std::mutex> hold(lock_);
    if (--busy_ == 0) idle_.notify_all();
  }

  // Lets nobody in any more, and waits for those who are inside. None of them waits for another thread.
  void close() {
    std::unique_lock<std::mutex> hold(lock_);
    open_ = false;
    idle_.wait(hold, [this] { return busy_ == 0; });
  }

 private:
  std::mutex lock_;
  std::condition_variable idle_;
  int busy_ = 0;
  bool open_ = true;
};

// Does items 0 to count - 1, `part` of them at a time. Each thread makes a worker of its own, which is called with the
// first item of a part and the one behind its last. What an item gives must not depend on others, since their order is
// open. The caller works too, so that it never waits for a thread that has not started.
template <typename Make>
void share(xla::ffi::ThreadPool threads, int64_t count, int64_t part, const Make& make) {
  const int64_t parts = (count + part - 1) / part;
  const int64_t wanted = parts < 2 ? 0 : std::min(threads.num_threads(), parts) - 1;
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    int64_t first = part * next++;
    if (first >= count) return;
    auto worker = make();
    for (; first < count; first = part * next++) worker(first, std::min(first + part, count));
  };
  if (wanted <= 0) return work();
  std::fenv_t modes;  // how denormal numbers are treated
  std::fegetenv(&modes);
  const auto helpers = std::make_shared<Helpers>();
  for (int64_t k = 0; k < wanted; ++k)
    threads.Schedule([helpers, &work, &modes] {
      if (!helpers->join()) return;  // `work` and `modes` may be gone
      std::fenv_t own;
      std::fegetenv(&own);
      std::fesetenv(&modes);
      work();
      std::fesetenv(&own);
      helpers->leave();
    });
  work();
  helpers->close();
}

}  // namespace jaxgp

#endif  // JAXGP_NATIVE_SHARE_H_
