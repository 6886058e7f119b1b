//===- EngineAccountsTest.cpp - Where the time of a pipe goes -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EngineTest.h"

#include <map>

using namespace tilelang::sim;
using namespace tilelang::sim::test;

/// All cycles booked for a pipe.
static double booked(const CoreReport &core, Pipe pipe) {
  const PipeTime &time = core.times[static_cast<size_t>(pipe)];
  double sum = time.busy + time.memory + time.dispatch + time.idle;
  for (const PipeWait &wait : core.waits)
    if (wait.pipe == pipe)
      sum += wait.cycles;
  return sum;
}

static void expectAllBooked(const Report &report) {
  for (const CoreReport &core : report.cores)
    for (unsigned i = 0; i != kNumPipes; ++i)
      EXPECT_NEAR(booked(core, static_cast<Pipe>(i)), report.cycles, 1e-6)
          << coreTypeName(core.type) << " " << core.core << " "
          << pipeName(static_cast<Pipe>(i));
}

static double waited(const CoreReport &core, Pipe pipe, WaitCause::Kind kind,
                     bool atDispatch = false) {
  double sum = 0;
  for (const PipeWait &wait : core.waits)
    if (wait.pipe == pipe && wait.cause.kind == kind &&
        wait.atDispatch == atDispatch)
      sum += wait.cycles;
  return sum;
}

TEST(EngineAccounts, AWaitKnowsItsFlagAndBothPlaces) {
  std::vector<float> x(4096, 1);
  Launch launch;
  launch.buffer("x", x);
  launch.runAiv([&] {
    copyIn(0, x.data(), 16384);
    setFlag(Pipe::MTE2, Pipe::V, 3);
    waitFlag(Pipe::MTE2, Pipe::V, 3);
    add(16384, 0, 0, 4096);
  });
  EXPECT_EQ(launch.messages(), "");
  expectAllBooked(launch.report);
  const CoreReport &core = launch.report.cores.front();
  const PipeWait *found = nullptr;
  for (const PipeWait &wait : core.waits)
    if (wait.pipe == Pipe::V && wait.cause.kind == WaitCause::Kind::Flag)
      found = &wait;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause.name(), "MTE2_V 3");
  EXPECT_EQ(found->count, 1u);
  EXPECT_NE(found->cause.waitAddress, 0u);
  EXPECT_NE(found->cause.setAddress, found->cause.waitAddress);
  // Held by all of the transfer and the delay of the flag.
  const PipeTime &transfer = core.times[static_cast<size_t>(Pipe::MTE2)];
  EXPECT_GT(found->cycles, transfer.busy + transfer.memory);
  EXPECT_GT(transfer.memory, 0) << "one core's first read misses L2";
}

TEST(EngineAccounts, WhatIsDrainedAtTheEndIsIdle) {
  std::vector<float> x(4096, 1);
  Launch launch;
  launch.buffer("x", x);
  launch.runAiv([&] {
    copyIn(0, x.data(), 16384);
    setFlag(Pipe::MTE2, Pipe::V);
    waitFlag(Pipe::MTE2, Pipe::V);
    add(16384, 0, 0, 4096);
    setFlag(Pipe::V, Pipe::MTE2);
    waitFlag(Pipe::V, Pipe::MTE2);
  });
  expectAllBooked(launch.report);
  const CoreReport &core = launch.report.cores.front();
  EXPECT_EQ(waited(core, Pipe::MTE2, WaitCause::Kind::Flag), 0);
  EXPECT_GT(core.times[static_cast<size_t>(Pipe::MTE2)].idle,
            core.times[static_cast<size_t>(Pipe::V)].busy);
}

TEST(EngineAccounts, ACounterHoldsAllPipesOfACore) {
  std::vector<float> x(4096, 1);
  Launch launch;
  launch.options.timeline = true;
  launch.buffer("x", x);
  launch.runMix(
      [&] {
        for (int i = 0; i != 20; ++i)
          ascsim_query(Query::SystemCycle);
        crossSet(Pipe::FIX, 2, 5);
      },
      [&] {
        crossWait(2, 5);
        copyIn(0, x.data(), 4096);
        setFlag(Pipe::MTE2, Pipe::V);
        waitFlag(Pipe::MTE2, Pipe::V);
        add(16384, 0, 0, 1024);
      });
  EXPECT_EQ(launch.messages(), "");
  expectAllBooked(launch.report);
  for (const CoreReport &core : launch.report.cores) {
    if (core.type != CoreType::AIV)
      continue;
    double scalar = waited(core, Pipe::S, WaitCause::Kind::CrossFlag);
    EXPECT_GT(scalar, 0);
    for (Pipe pipe : {Pipe::MTE2, Pipe::V})
      EXPECT_NEAR(waited(core, pipe, WaitCause::Kind::CrossFlag,
                         /*atDispatch=*/true),
                  scalar, 1e-6);
    // A pipe without instructions waits for nothing.
    EXPECT_EQ(core.times[static_cast<size_t>(Pipe::MTE3)].idle,
              launch.report.cycles);
  }
  // One for each wait of each Vector core.
  EXPECT_EQ(launch.report.timelineArrows.size(), 2u + 2u);
}

TEST(EngineAccounts, ManyStallsAreAddedUp) {
  // The queue of V is full all the time; MTE3 has one instruction at the end.
  // More stalls than are listed, so they are added up on the way.
  std::vector<float> x(64, 1);
  Launch launch;
  launch.options.checks = false;
  launch.buffer("x", x);
  constexpr int kCount = 12000;
  launch.runAiv([&] {
    copyIn(0, x.data(), 256);
    setFlag(Pipe::MTE2, Pipe::V);
    waitFlag(Pipe::MTE2, Pipe::V);
    for (int i = 0; i != kCount; ++i)
      add(4096, 0, 0, 64 * 8);
    copyOut(x.data(), 0, 256);
  });
  expectAllBooked(launch.report);
  const CoreReport &core = launch.report.cores.front();
  double held = waited(core, Pipe::MTE3, WaitCause::Kind::FullQueue,
                       /*atDispatch=*/true);
  double scalar = waited(core, Pipe::S, WaitCause::Kind::FullQueue);
  EXPECT_GT(scalar, 0.5 * launch.report.cycles);
  EXPECT_NEAR(held, scalar, 1e-6);
}

TEST(EngineAccounts, BlocksInWavesAndSeeds) {
  std::vector<float> x(1024 * 100, 1);
  for (uint64_t seed : {0, 7}) {
    Launch launch;
    launch.options.blockDim = 100;
    launch.options.seed = seed;
    launch.buffer("x", x);
    launch.runAiv([&] {
      float *mine = x.data() + 1024 * ascsim_query(Query::BlockIdx);
      copyIn(0, mine, 4096);
      setFlag(Pipe::MTE2, Pipe::V);
      waitFlag(Pipe::MTE2, Pipe::V);
      add(4096, 0, 0, 1024);
      setFlag(Pipe::V, Pipe::MTE3);
      waitFlag(Pipe::V, Pipe::MTE3);
      copyOut(mine, 4096, 4096);
    });
    EXPECT_EQ(launch.messages(), "");
    expectAllBooked(launch.report);
  }
}
