/*===- tilelang.h - C interface of the kernel runtime ---------------------===*\
|*
|* Part of TileLang Native, licensed under the Apache License 2.0.
|* SPDX-License-Identifier: Apache-2.0
|*
|* Load a kernel artifact and launch it, without Python and without the
|* compiler. A function that fails returns null or a non-zero value and leaves
|* a message for `tilelang_last_error` (of the calling thread, valid until its
|* next call). Strings passed in are copied; strings returned live as long as
|* the object that they belong to. Different threads may use one kernel at the
|* same time.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TILELANG_RUNTIME_TILELANG_H
#define TILELANG_RUNTIME_TILELANG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TileLangKernel TileLangKernel;
typedef struct TileLangReport TileLangReport;

/* One argument. A tensor has `data`, `rank`, `shape` and, where it is not
   contiguous, `strides` in elements; its element type is given by name
   ("float16"). A scalar has its value in `scalar`, in the parameter's type. */
typedef struct {
  void *data;
  const char *dtype;
  uint32_t rank;
  const int64_t *shape;
  const int64_t *strides;
  union {
    int64_t as_int;
    double as_double;
  } scalar;
} TileLangArgument;

/* Options of a launch; zero-initialise for the defaults. */
typedef struct {
  int disable_checks;
  uint64_t seed;
} TileLangLaunchOptions;

const char *tilelang_last_error(void);
const char *tilelang_version(void);

/* Loads an artifact file. `chip_directory` may be null: the folder that comes
   with the library. */
TileLangKernel *tilelang_kernel_load(const char *path,
                                     const char *chip_directory);
void tilelang_kernel_free(TileLangKernel *kernel);

const char *tilelang_kernel_name(const TileLangKernel *kernel);
const char *tilelang_kernel_chip(const TileLangKernel *kernel);
/* The emitted source text. */
const char *tilelang_kernel_source(const TileLangKernel *kernel);
size_t tilelang_kernel_parameter_count(const TileLangKernel *kernel);
const char *tilelang_parameter_name(const TileLangKernel *kernel, size_t index);
const char *tilelang_parameter_dtype(const TileLangKernel *kernel,
                                     size_t index);
int tilelang_parameter_is_tensor(const TileLangKernel *kernel, size_t index);
/* Whether the kernel writes the tensor. */
int tilelang_parameter_is_written(const TileLangKernel *kernel, size_t index);
uint32_t tilelang_parameter_rank(const TileLangKernel *kernel, size_t index);
/* The size of an axis, or -1 where it is known at run time only. */
int64_t tilelang_parameter_extent(const TileLangKernel *kernel, size_t index,
                                  uint32_t axis);

/* Checks the arguments and runs the kernel to its end. Returns null if the call
   is refused; what the checks found is in the report. `options` may be null. */
TileLangReport *tilelang_kernel_launch(const TileLangKernel *kernel,
                                       const TileLangArgument *arguments,
                                       size_t count,
                                       const TileLangLaunchOptions *options);
void tilelang_report_free(TileLangReport *report);
/* Non-zero when the kernel ran to its end without a finding. */
int tilelang_report_is_clean(const TileLangReport *report);
double tilelang_report_cycles(const TileLangReport *report);
double tilelang_report_microseconds(const TileLangReport *report);
size_t tilelang_report_finding_count(const TileLangReport *report);
const char *tilelang_report_finding_kind(const TileLangReport *report,
                                         size_t index);
const char *tilelang_report_finding_message(const TileLangReport *report,
                                            size_t index);
/* What the kernel printed. */
const char *tilelang_report_output(const TileLangReport *report);

#ifdef __cplusplus
}
#endif

#endif /* TILELANG_RUNTIME_TILELANG_H */
