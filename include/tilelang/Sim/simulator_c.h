/*===- simulator_c.h - C interface of the Ascend simulator ----------------===*\
|*
|* Part of TileLang Native, licensed under the Apache License 2.0.
|* SPDX-License-Identifier: Apache-2.0
|*
|* Mirrors Simulator.h with opaque handles. Every function that can fail
|* returns null or a non-zero value; `ascendsim_last_error` then tells why (text
|* of the calling thread, valid until its next call). Strings passed in are
|* copied. Thread-safe: different threads may launch at the same time.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TILELANG_SIM_SIMULATOR_C_H
#define TILELANG_SIM_SIMULATOR_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AscendSimKernel AscendSimKernel;
typedef struct AscendSimLaunch AscendSimLaunch;
typedef struct AscendSimReport AscendSimReport;

typedef enum {
  ASCENDSIM_AIC_ONLY = 0,
  ASCENDSIM_AIV_ONLY = 1,
  ASCENDSIM_MIX_1_2 = 2
} AscendSimKernelType;

/* The order of tilelang::sim::ScalarType. */
typedef enum {
  ASCENDSIM_BOOL,
  ASCENDSIM_I8,
  ASCENDSIM_U8,
  ASCENDSIM_I16,
  ASCENDSIM_U16,
  ASCENDSIM_I32,
  ASCENDSIM_U32,
  ASCENDSIM_I64,
  ASCENDSIM_U64,
  ASCENDSIM_F32,
  ASCENDSIM_F64
} AscendSimScalarType;

const char *ascendsim_last_error(void);

/* Object paths may be null or empty where the kernel type has no such core. */
AscendSimKernel *ascendsim_kernel_load(const char *aic_object,
                                       const char *aiv_object,
                                       const char *entry,
                                       AscendSimKernelType type);
void ascendsim_kernel_free(AscendSimKernel *kernel);

/* A launch collects arguments and options; it can be run more than once. */
AscendSimLaunch *ascendsim_launch_new(const AscendSimKernel *kernel,
                                      uint32_t block_dim);
void ascendsim_launch_free(AscendSimLaunch *launch);
void ascendsim_launch_add_buffer(AscendSimLaunch *launch, const char *name,
                                 void *data, uint64_t bytes, int workspace,
                                 int initialised);
void ascendsim_launch_add_scalar(AscendSimLaunch *launch, const char *name,
                                 AscendSimScalarType type, uint64_t bits);
void ascendsim_launch_set_chip(AscendSimLaunch *launch, const char *name,
                               const char *directory);
/* Options by name: "checks", "timeline", "seed", "dirty_start", "auto_sync",
   "warm_l2", "time_only", "cycle_limit", "findings_per_kind". Non-zero: no such
   option. */
int ascendsim_launch_set_option(AscendSimLaunch *launch, const char *name,
                                uint64_t value);
AscendSimReport *ascendsim_launch_run(const AscendSimLaunch *launch);

void ascendsim_report_free(AscendSimReport *report);
int ascendsim_report_completed(const AscendSimReport *report);
double ascendsim_report_cycles(const AscendSimReport *report);
double ascendsim_report_microseconds(const AscendSimReport *report);
size_t ascendsim_report_finding_count(const AscendSimReport *report);
/* Kind, message and places of one finding; pointers live with the report. */
const char *ascendsim_report_finding_kind(const AscendSimReport *report,
                                          size_t index);
const char *ascendsim_report_finding_message(const AscendSimReport *report,
                                             size_t index);
/* The whole report as JSON; lives with the report. */
const char *ascendsim_report_json(AscendSimReport *report, int with_timeline);

#ifdef __cplusplus
}
#endif

#endif /* TILELANG_SIM_SIMULATOR_C_H */
