//===- debug.h - printf and assert in kernels -----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_DEBUG_H
#define ASCENDC_DEBUG_H

#include "ascendc/base.h"

namespace AscendC {

namespace detail {
template <typename T> ASCENDC_API auto printable(T value) {
  if constexpr (isOneOf<T, half, bfloat16_t, float>)
    return static_cast<double>(static_cast<float>(value));
  else
    return value;
}
constexpr unsigned kPrintLimit = 1024;
} // namespace detail

/// Formats as C does; the simulator collects the text per core.
template <typename... Args>
ASCENDC_API void printf(const __gm__ char *format, Args... args) {
  char text[detail::kPrintLimit];
  __builtin_snprintf(text, sizeof(text), format, detail::printable(args)...);
  ascsim_print(text);
}
template <typename... Args>
ASCENDC_API void PRINTF(const __gm__ char *format, Args... args) {
  AscendC::printf(format, args...);
}

namespace detail {
template <typename... Args>
ASCENDC_API void assertFailed(const char *where, const char *format,
                              Args... args) {
  char text[kPrintLimit];
  int used = __builtin_snprintf(text, sizeof(text), "%s ", where);
  if (used > 0 && unsigned(used) < sizeof(text))
    __builtin_snprintf(text + used, sizeof(text) - unsigned(used), format,
                       printable(args)...);
  ascsim_fault(text);
}
ASCENDC_API void assertFailed(const char *where) { ascsim_fault(where); }
} // namespace detail

} // namespace AscendC

#define ASCENDC_STRING_(x) #x
#define ASCENDC_STRING(x) ASCENDC_STRING_(x)
#define ascendc_assert(condition, ...)                                         \
  do {                                                                         \
    if (!(condition))                                                          \
      AscendC::detail::assertFailed(__FILE__ ":" ASCENDC_STRING(               \
          __LINE__) ": assertion `" #condition "` failed" __VA_OPT__(, )       \
                                        __VA_ARGS__);                          \
  } while (0)
#ifndef assert
#define assert(...) ascendc_assert((__VA_ARGS__))
#endif

#endif // ASCENDC_DEBUG_H
