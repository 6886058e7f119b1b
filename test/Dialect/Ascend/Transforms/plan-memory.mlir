// RUN: tilelang-opt %S/Inputs/corpus/gemm.mlir --ascend-multi-buffer --ascend-plan-memory | FileCheck %s --check-prefix=GEMM
// RUN: tilelang-opt %S/Inputs/corpus/shared_bytes.mlir --ascend-multi-buffer --ascend-plan-memory | FileCheck %s --check-prefix=SHARED
// RUN: tilelang-opt %S/Inputs/corpus/attention.mlir --ascend-multi-buffer --ascend-plan-memory | FileCheck %s --check-prefix=WORKSPACE

// Versions lie one after another; nothing shares where everything fits.
// GEMM: "A_shared" {address = 0 : i64, versions = 2 : i64}
// GEMM: "B_shared" {address = 32768 : i64, versions = 2 : i64}
// GEMM: "A_l0" {address = 0 : i64
// GEMM: "B_l0" {address = 0 : i64
// GEMM: "C_local" {address = 0 : i64, ascend.wanted_versions = 2 : i64}

// Buffers of two loops share bytes, those of one loop do not.
// SHARED: "a_local" {address = 0 : i64}
// SHARED: "b_local" {address = 57344 : i64}
// SHARED: "d_local" {address = 0 : i64}
// SHARED: "e_local" {address = 57344 : i64}

// Each workspace holds three slots for each of 16 blocks.
// WORKSPACE: "S_workspace" {offset = 0 : i64
// WORKSPACE: "P_workspace" {offset = 3145728 : i64
// WORKSPACE: "O_workspace" {offset = 4718592 : i64
// WORKSPACE: "S_workspace" {offset = 0 : i64
// WORKSPACE: ascend.workspace_bytes = 6291456 : i64
