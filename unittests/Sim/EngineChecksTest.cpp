//===- EngineChecksTest.cpp - Races, flags, deadlocks, bounds -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EngineTest.h"

using namespace tilelang::sim;
using namespace tilelang::sim::test;

namespace {
/// One AIV with an input and an output of 4096 floats.
struct Checked : Launch {
  std::vector<float> x = std::vector<float>(4096, 1), z = x;
  Checked() {
    buffer("x", x);
    buffer("z", z);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Races on chip
//===----------------------------------------------------------------------===//

TEST(EngineRaces, ReadAfterWriteWithoutFlag) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 4096);
    copyOut(launch.z.data(), 0, 4096);
  });
  ASSERT_EQ(launch.count(finding::kRace), 1u) << launch.messages();
  const Finding &race = launch.report.findings.front();
  EXPECT_TRUE(launch.says("SetFlag/WaitFlag<HardEvent::MTE2_MTE3>"))
      << race.message;
  ASSERT_TRUE(race.second.has_value());
  EXPECT_EQ(race.first.pipe, Pipe::MTE3);
  EXPECT_EQ(race.second->pipe, Pipe::MTE2);
  EXPECT_NE(race.first.codeAddress, race.second->codeAddress);
}

TEST(EngineRaces, FlagOrdersTheTwo) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 4096);
    setFlag(Pipe::MTE2, Pipe::MTE3);
    waitFlag(Pipe::MTE2, Pipe::MTE3);
    copyOut(launch.z.data(), 0, 4096);
  });
  EXPECT_EQ(launch.messages(), "");
}

TEST(EngineRaces, FlagsAreTransitive) {
  // MTE2 -> V -> MTE3: the copy out also reads what the copy in wrote.
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 8192);
    setFlag(Pipe::MTE2, Pipe::V);
    waitFlag(Pipe::MTE2, Pipe::V);
    add(0, 0, 0, 1024);
    setFlag(Pipe::V, Pipe::MTE3);
    waitFlag(Pipe::V, Pipe::MTE3);
    copyOut(launch.z.data(), 0, 8192);
  });
  EXPECT_EQ(launch.messages(), "");
}

TEST(EngineRaces, WriteAfterReadAcrossPipes) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 4096);
    setFlag(Pipe::MTE2, Pipe::MTE3);
    waitFlag(Pipe::MTE2, Pipe::MTE3);
    copyOut(launch.z.data(), 0, 4096);
    barrier(Pipe::MTE2);
    copyIn(0, launch.x.data() + 1024, 4096); // while MTE3 may still read
  });
  EXPECT_EQ(launch.count(finding::kRace), 1u) << launch.messages();
  EXPECT_TRUE(launch.says("HardEvent::MTE3_MTE2")) << launch.messages();
}

TEST(EngineRaces, WriteAfterWriteInOneTransferPipe) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 4096);
    copyIn(2048, launch.x.data(), 4096);
  });
  EXPECT_EQ(launch.count(finding::kRace), 1u);
  EXPECT_TRUE(launch.says("PipeBarrier<PIPE_MTE2>")) << launch.messages();

  Checked apart;
  apart.runAiv([&] {
    copyIn(0, apart.x.data(), 4096);
    copyIn(4096, apart.x.data(), 4096);
    barrier(Pipe::MTE2);
    copyIn(2048, apart.x.data(), 4096);
  });
  EXPECT_EQ(apart.messages(), "");
}

TEST(EngineRaces, DependentVectorInstructionsNeedABarrier) {
  auto kernel = [](Checked &launch, bool withBarrier) {
    launch.runAiv([&launch, withBarrier] {
      copyIn(0, launch.x.data(), 4096);
      setFlag(Pipe::MTE2, Pipe::V);
      waitFlag(Pipe::MTE2, Pipe::V);
      add(8192, 0, 0, 1024);
      if (withBarrier)
        barrier(Pipe::V);
      add(16384, 8192, 0, 1024);
    });
  };
  Checked without, with, automatic;
  kernel(without, false);
  EXPECT_EQ(without.count(finding::kRace), 1u);
  EXPECT_TRUE(without.says("PipeBarrier<PIPE_V>")) << without.messages();
  kernel(with, true);
  EXPECT_EQ(with.messages(), "");
  automatic.options.autoSync = true;
  kernel(automatic, false);
  EXPECT_EQ(automatic.messages(), "");
}

TEST(EngineRaces, FlagRoundTripIsAnOrderToo) {
  // V -> MTE3 -> V orders two vector instructions without a barrier.
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 4096);
    setFlag(Pipe::MTE2, Pipe::V);
    waitFlag(Pipe::MTE2, Pipe::V);
    add(8192, 0, 0, 1024);
    setFlag(Pipe::V, Pipe::MTE3);
    waitFlag(Pipe::V, Pipe::MTE3);
    copyOut(launch.z.data(), 8192, 4096);
    setFlag(Pipe::MTE3, Pipe::V);
    waitFlag(Pipe::MTE3, Pipe::V);
    add(8192, 8192, 0, 1024);
  });
  EXPECT_EQ(launch.messages(), "");
}

TEST(EngineRaces, NeighbouringBytesDoNotCollide) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 96);
    copyIn(96, launch.x.data(), 32);
    copyIn(128, launch.x.data(), 896);
  });
  EXPECT_EQ(launch.count(finding::kRace), 0u) << launch.messages();
}

TEST(EngineRaces, ScalarReadDoesNotWaitForPipes) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 4096);
    (void)loadFloat(16);
  });
  EXPECT_EQ(launch.count(finding::kRace), 1u);
  EXPECT_TRUE(launch.says("GetValue on pipe S")) << launch.messages();
}

TEST(EngineRaces, RepeatedRacesCountAtOnePlace) {
  Checked launch;
  launch.runAiv([&] {
    for (int i = 0; i != 10; ++i) {
      copyIn(0, launch.x.data(), 4096);
      barrier(Pipe::MTE2);
      add(8192, 0, 0, 64);
      barrier(Pipe::V);
    }
  });
  // Two pairs of places at most, however often they collide.
  ASSERT_GE(launch.count(finding::kRace), 1u);
  EXPECT_LE(launch.count(finding::kRace), 2u) << launch.messages();
  EXPECT_GE(launch.report.findings.front().count, 5u);
}

//===----------------------------------------------------------------------===//
// Races in global memory
//===----------------------------------------------------------------------===//

TEST(EngineRaces, TwoBlocksWriteTheSameBytes) {
  Checked launch;
  launch.options.blockDim = 2;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 64);
    barrier(Pipe::All);
    copyOut(launch.z.data(), 0, 64);
  });
  EXPECT_EQ(launch.count(finding::kRace), 1u);
  EXPECT_TRUE(launch.says("'z'")) << launch.messages();
}

TEST(EngineRaces, TwoBlocksInOneCacheLineAreLegal) {
  Checked launch;
  launch.options.blockDim = 8;
  launch.runAiv([&] {
    int64_t block = ascsim_query(Query::BlockIdx);
    copyIn(0, launch.x.data(), 4);
    barrier(Pipe::All);
    copyOut(launch.z.data() + block, 0, 4);
  });
  EXPECT_EQ(launch.messages(), "");
}

TEST(EngineRaces, BlocksOfDifferentWavesAreNotOrdered) {
  Checked launch;
  launch.options.blockDim = 60;
  launch.runAiv([&] {
    int64_t block = ascsim_query(Query::BlockIdx);
    copyIn(0, launch.x.data(), 4);
    barrier(Pipe::All);
    if (block == 0 || block == 55)
      copyOut(launch.z.data(), 0, 4);
  });
  EXPECT_EQ(launch.count(finding::kRace), 1u) << launch.messages();
}

TEST(EngineRaces, AtomicUpdatesOfBlocksAreLegal) {
  Checked launch;
  launch.options.blockDim = 4;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 64);
    barrier(Pipe::All);
    ascsim_set_register(Register::AtomicMode, 1);
    ascsim_set_register(Register::AtomicType,
                        static_cast<uint64_t>(DataType::F32));
    copyOut(launch.z.data(), 0, 64);
    ascsim_set_register(Register::AtomicMode, 0);
  });
  EXPECT_EQ(launch.messages(), "");
  EXPECT_EQ(launch.z[3], 5);
}

TEST(EngineRaces, ReadBackNeedsAFlag) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 64);
    barrier(Pipe::All);
    copyOut(launch.z.data(), 0, 64);
    copyIn(256, launch.z.data(), 64);
  });
  EXPECT_EQ(launch.count(finding::kRace), 1u);
  EXPECT_TRUE(launch.says("HardEvent::MTE3_MTE2")) << launch.messages();
}

TEST(EngineRaces, GridBarrierOrdersBlocks) {
  auto body = [](Checked &launch, bool sync) {
    launch.options.blockDim = 6;
    launch.runAiv([&launch, sync] {
      int64_t block = ascsim_query(Query::BlockIdx);
      copyIn(0, launch.x.data(), 64);
      barrier(Pipe::All);
      copyOut(launch.z.data() + block * 16, 0, 64);
      barrier(Pipe::All);
      if (sync) {
        crossSet(Pipe::MTE3, 0, 6);
        crossWait(0, 6);
      }
      copyIn(64, launch.z.data() + (block + 1) % 6 * 16, 64);
    });
  };
  Checked without, with;
  body(without, false);
  EXPECT_GE(without.count(finding::kRace), 1u);
  body(with, true);
  EXPECT_EQ(with.messages(), "");
}

//===----------------------------------------------------------------------===//
// Cores of a cluster
//===----------------------------------------------------------------------===//

namespace {
/// Vector cores fill ring slots in a workspace, the other side reads them; here
/// AIVs write with MTE3 and the AIC reads into L1.
struct Ring : Launch {
  std::vector<float> x = std::vector<float>(4096, 1), work = x;
  Ring() {
    buffer("x", x);
    arguments.push_back(LaunchArgument::workspaceBuffer(
        "work", work.data(), work.size() * sizeof(float)));
  }
  static Instruction toL1(uint64_t l1, const void *gm, uint32_t bytes) {
    Instruction record = copyInRecord(l1, gm, bytes);
    record.dst.memory = Memory::L1;
    record.copy.byteGranular = false;
    return record;
  }
  void go(int tiles, int slots, bool full, bool free) {
    runMix(
        [=, this] {
          for (int tile = 0; tile != tiles; ++tile) {
            if (full)
              crossWait(2, 0);
            issue(toL1(0, work.data() + tile % slots * 1024, 4096));
            barrier(Pipe::MTE2);
            if (free)
              crossSet(Pipe::MTE2, 2, 1);
          }
        },
        [=, this] {
          int64_t side = ascsim_query(Query::SubBlockIdx);
          copyIn(0, x.data(), 2048);
          barrier(Pipe::All);
          for (int tile = 0; tile != tiles; ++tile) {
            if (free && tile >= slots)
              crossWait(2, 1);
            copyOut(work.data() + tile % slots * 1024 + side * 512, 0, 2048);
            if (full)
              crossSet(Pipe::MTE3, 2, 0);
          }
          if (free)
            for (int tile = 0; tile < std::min(tiles, slots); ++tile)
              crossWait(2, 1);
        });
  }
};
} // namespace

TEST(EngineCrossCore, RingWithFullAndFreeFlags) {
  for (int tiles : {1, 2, 3, 7}) {
    Ring ring;
    ring.go(tiles, 2, true, true);
    EXPECT_EQ(ring.messages(), "") << tiles;
    EXPECT_TRUE(ring.report.completed);
  }
}

TEST(EngineCrossCore, RingOfSeveralBlocksUnderSeeds) {
  for (uint64_t seed : {0, 3, 4}) {
    Ring ring;
    ring.options.seed = seed;
    ring.go(5, 3, true, true);
    EXPECT_EQ(ring.messages(), "") << seed;
  }
}

TEST(EngineCrossCore, MissingFullFlagIsARace) {
  Ring ring;
  ring.go(2, 2, false, true);
  EXPECT_GE(ring.count(finding::kRace), 1u) << ring.messages();
  EXPECT_TRUE(ring.says("cross-core flag"));
}

TEST(EngineCrossCore, MissingFreeFlagIsARace) {
  Ring ring;
  ring.go(5, 2, true, false);
  EXPECT_GE(ring.count(finding::kRace), 1u) << ring.messages();
}

TEST(EngineCrossCore, OneVectorCoreAloneDoesNotCount) {
  Launch launch;
  launch.runMix([] { crossWait(2, 3); },
                [] {
                  if (ascsim_query(Query::SubBlockIdx) == 0)
                    crossSet(Pipe::MTE3, 2, 3);
                });
  EXPECT_FALSE(launch.report.completed);
  ASSERT_EQ(launch.count(finding::kDeadlock), 1u) << launch.messages();
  EXPECT_TRUE(launch.says("AIV 0 of the cluster has set it, AIV 1 of") ||
              launch.says("AIV 0 of the cluster has set it, AIV 1 has not"))
      << launch.messages();
}

TEST(EngineCrossCore, CounterLimitAndLeftovers) {
  Launch launch;
  launch.runMix(
      [] {
        for (int i = 0; i != 17; ++i)
          crossSet(Pipe::FIX, 2, 4);
      },
      [] {});
  EXPECT_GE(launch.count(finding::kFlag), 2u);
  EXPECT_TRUE(launch.says("the counter ends at 15")) << launch.messages();
  EXPECT_TRUE(launch.says("still counts 17"));
}

TEST(EngineCrossCore, VectorCoresMeetInMode1) {
  Ring ring;
  ring.runMix([] {},
              [&] {
                int64_t side = ascsim_query(Query::SubBlockIdx);
                copyIn(0, ring.x.data(), 64);
                barrier(Pipe::All);
                copyOut(ring.work.data() + side * 16, 0, 64);
                crossSet(Pipe::MTE3, 1, 5);
                crossWait(1, 5);
                copyIn(64, ring.work.data() + (1 - side) * 16, 64);
              });
  EXPECT_EQ(ring.messages(), "");
}

TEST(EngineCrossCore, BlockIndices) {
  std::vector<int64_t> cube, vector;
  Launch launch;
  launch.options.blockDim = 2;
  launch.runMix([&] { cube.push_back(ascsim_query(Query::BlockIdx)); },
                [&] {
                  vector.push_back(ascsim_query(Query::BlockIdx));
                  EXPECT_EQ(ascsim_query(Query::BlockNum), 2);
                  EXPECT_EQ(ascsim_query(Query::SubBlockIdx),
                            vector.back() % 2);
                });
  EXPECT_EQ(cube, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(vector, (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST(EngineCrossCore, GridFlagWithWavesIsRefused) {
  Launch launch;
  launch.options.blockDim = 49;
  launch.runAiv([] {
    crossSet(Pipe::MTE3, 0, 6);
    crossWait(0, 6);
  });
  EXPECT_FALSE(launch.report.completed);
  EXPECT_TRUE(launch.says("do not run at the same time")) << launch.messages();
}

//===----------------------------------------------------------------------===//
// Flags, deadlock, frame
//===----------------------------------------------------------------------===//

TEST(EngineFlags, DeadlockNamesWhoWaits) {
  Checked launch;
  launch.runAiv([&] {
    waitFlag(Pipe::MTE2, Pipe::V, 3);
    add(0, 0, 0, 64);
  });
  EXPECT_FALSE(launch.report.completed);
  ASSERT_EQ(launch.count(finding::kDeadlock), 1u);
  EXPECT_TRUE(launch.says("pipe V: WaitFlag MTE2_V 3 waits for a SetFlag on "
                          "pipe MTE2 that never came"))
      << launch.messages();
  EXPECT_TRUE(launch.says("PipeBarrier<PIPE_ALL> waits"));
}

TEST(EngineFlags, DeadlockUnwindsThePrograms) {
  // Objects of the kernel are destroyed, and what they issue then is ignored.
  struct Counted {
    int &alive;
    explicit Counted(int &alive) : alive(alive) { ++alive; }
    ~Counted() {
      barrier(Pipe::All);
      --alive;
    }
  };
  int alive = 0;
  Launch launch;
  launch.options.blockDim = 3;
  launch.runAiv([&] {
    Counted object(alive);
    waitFlag(Pipe::V, Pipe::S, 1);
  });
  EXPECT_EQ(launch.count(finding::kDeadlock), 1u);
  EXPECT_EQ(alive, 0);
}

TEST(EngineFlags, SetTwice) {
  Checked launch;
  launch.runAiv([&] {
    setFlag(Pipe::MTE2, Pipe::V, 1);
    setFlag(Pipe::MTE2, Pipe::V, 1);
    waitFlag(Pipe::MTE2, Pipe::V, 1);
  });
  EXPECT_GE(launch.count(finding::kFlag), 1u);
  EXPECT_TRUE(launch.says("SetFlag MTE2_V 1")) << launch.messages();
}

TEST(EngineFlags, SetAgainWithoutOrderIsFoundWhateverTheTiming) {
  // The consumer is quick here, so the sets never meet; nothing guarantees it.
  Checked launch;
  launch.runAiv([&] {
    setFlag(Pipe::MTE2, Pipe::V, 1);
    waitFlag(Pipe::MTE2, Pipe::V, 1);
    for (int i = 0; i != 4; ++i)
      copyIn(i * 32768, launch.x.data(), 16384);
    setFlag(Pipe::MTE2, Pipe::V, 1);
    waitFlag(Pipe::MTE2, Pipe::V, 1);
  });
  EXPECT_EQ(launch.count(finding::kFlag), 1u);
  EXPECT_TRUE(launch.says("may be issued while the flag is still set"))
      << launch.messages();
}

TEST(EngineFlags, LeftSetAtTheEnd) {
  Checked launch;
  launch.runAiv([&] { setFlag(Pipe::V, Pipe::MTE2, 2); });
  EXPECT_EQ(launch.count(finding::kFlag), 1u);
  EXPECT_TRUE(launch.says("flag V_MTE2 2 is still set when the kernel ends"))
      << launch.messages();
}

TEST(EngineFlags, KernelFrame) {
  Checked launch;
  launch.run(*Kernel::fromFunctions(KernelType::AivOnly, {},
                                    [&] { copyIn(0, launch.x.data(), 64); }));
  EXPECT_EQ(launch.count(finding::kFrame), 2u) << launch.messages();
  EXPECT_TRUE(launch.says("InitSocState()"));
  EXPECT_TRUE(launch.says("PipeBarrier<PIPE_ALL>"));
}

TEST(EngineFlags, EndlessProgramMeetsTheCycleLimit) {
  Checked launch;
  launch.options.cycleLimit = 1e5;
  launch.runAiv([&] {
    for (;;)
      (void)loadFloat(0);
  });
  EXPECT_FALSE(launch.report.completed);
  EXPECT_EQ(launch.count(finding::kLimit), 1u);
}

TEST(EngineFlags, FaultEndsTheLaunch) {
  Checked launch;
  bool after = false;
  launch.runAiv([&] {
    ascsim_fault("a queue has no free buffer");
    after = true;
  });
  EXPECT_FALSE(launch.report.completed);
  EXPECT_FALSE(after);
  EXPECT_TRUE(launch.says("a queue has no free buffer"));
}

//===----------------------------------------------------------------------===//
// Bounds, initialisation, scalar cache
//===----------------------------------------------------------------------===//

TEST(EngineBounds, GlobalMemoryBeyondAnArgument) {
  Checked launch;
  launch.runAiv([&] { copyIn(0, launch.x.data() + 4000, 1024); });
  ASSERT_EQ(launch.count(finding::kOutOfBounds), 1u);
  EXPECT_TRUE(launch.says("at bytes 16000 to 17023 of 'x', which has 16384"))
      << launch.messages();
}

TEST(EngineBounds, UnknownPointer) {
  Checked launch;
  static float elsewhere[16];
  launch.options.checks = false; // always guarded
  launch.runAiv([&] { copyIn(0, elsewhere, 64); });
  EXPECT_EQ(launch.count(finding::kOutOfBounds), 1u);
  EXPECT_TRUE(launch.says("outside every argument")) << launch.messages();
}

TEST(EngineBounds, LocalMemory) {
  Checked launch;
  launch.runAiv([&] { copyIn(196608 - 64, launch.x.data(), 1024); });
  EXPECT_GE(launch.count(finding::kOutOfBounds), 1u) << launch.messages();
}

TEST(EngineInitialisation, GarbageMayStayOnChip) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 256);
    barrier(Pipe::All);
    add(4096, 0, 0, 128); // the upper half was never loaded
    barrier(Pipe::All);
    copyOut(launch.z.data(), 4096, 256);
  });
  EXPECT_EQ(launch.messages(), "");
}

TEST(EngineInitialisation, GarbageInAResultIsReported) {
  Checked launch;
  launch.runAiv([&] {
    copyIn(0, launch.x.data(), 256);
    barrier(Pipe::All);
    add(4096, 0, 0, 128);
    barrier(Pipe::All);
    copyOut(launch.z.data() + 8, 4096, 288);
  });
  ASSERT_EQ(launch.count(finding::kUninitialised), 1u);
  EXPECT_TRUE(launch.says("first at offset 288 of 16384")) << launch.messages();
}

TEST(EngineInitialisation, ThroughAWorkspace) {
  std::vector<float> work(64), z(64);
  Launch launch;
  launch.arguments.push_back(
      LaunchArgument::workspaceBuffer("work", work.data(), 256));
  launch.buffer("z", z);
  launch.runAiv([&] {
    copyIn(0, work.data(), 256);
    barrier(Pipe::All);
    copyOut(z.data(), 0, 256);
  });
  EXPECT_EQ(launch.count(finding::kUninitialised), 1u) << launch.messages();
  EXPECT_NE(z[0], z[0]) << "a dirty workspace holds NaN";
}

TEST(EngineScalarCache, StoreNeedsACleanBeforeOthersRead) {
  auto body = [](Checked &launch, bool clean) {
    launch.runAiv([&launch, clean] {
      Operand element{reinterpret_cast<uint64_t>(launch.z.data()), Memory::GM,
                      DataType::F32};
      ascsim_store(&element, __builtin_bit_cast(uint32_t, 7.0f));
      if (clean)
        ascsim_cache_clean(&element, 0);
      setFlag(Pipe::S, Pipe::MTE2);
      waitFlag(Pipe::S, Pipe::MTE2);
      copyIn(0, launch.z.data(), 64);
      barrier(Pipe::All);
      copyOut(launch.x.data(), 0, 64);
    });
  };
  Checked without, with;
  body(without, false);
  EXPECT_GE(without.count(finding::kStaleCache), 1u) << without.messages();
  EXPECT_EQ(without.x[0], 1);
  body(with, true);
  EXPECT_EQ(with.messages(), "");
  EXPECT_EQ(with.x[0], 7);
}

TEST(EngineScalarCache, OldValueIsFound) {
  Checked launch;
  float second = 0;
  launch.runAiv([&] {
    Operand element{reinterpret_cast<uint64_t>(launch.z.data()), Memory::GM,
                    DataType::F32};
    (void)ascsim_load(&element);
    copyIn(0, launch.x.data(), 64);
    barrier(Pipe::All);
    add(64, 0, 0, 16);
    barrier(Pipe::All);
    copyOut(launch.z.data(), 64, 64);
    barrier(Pipe::All);
    second =
        __builtin_bit_cast(float, static_cast<uint32_t>(ascsim_load(&element)));
  });
  EXPECT_EQ(launch.count(finding::kStaleCache), 1u) << launch.messages();
  EXPECT_EQ(second, 1) << "the cached value, not the new one";
}
