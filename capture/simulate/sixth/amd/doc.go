// Package amd is a sixth model of what GPUPerfAPI measures of a Radeon of the RDNA 2 generation (GFX10.3): one sample for
// each draw or dispatch, replayed once for each group of counters, with waits between samples so that nothing runs beside
// it. It was written from documents of the hardware and of the counters, without sight of the other models or of the rules.
//
// # How it simulates
//
// A draw is a flow through stages: the geometry engine, waves of vertices, primitive assembly, rasterizer with the coarse
// depth test, fine depth test, waves of pixels, color blocks. A dispatch has two: the launch of groups, and its waves.
// Time goes in some hundred steps. In each, a stage moves a share of the draw on: as much as its rate, what came before
// it and the room behind it allow (flow.go). What is done, held up or waiting in a step is what counters count.
//
// Waves are a closed queueing network. Resident waves, as many as registers, local memory and the work that has arrived
// allow, share eight stations: vector units, the vector memory pipe (textures and loads alike), local memory, first-level
// cache of a shader array, second-level cache, the way to memory, DRAM, and the lines that a compute unit may wait for.
// With few waves each takes its own time (Little's law), with many the busiest station decides, and the bounds are blended
// by the root of a sum of powers: 2 with few or irregular waves, 4, or 8 (demand.go). Vertices, pixels and fixed units
// leave each other what they do not use. Each stage's work varies along the draw.
//
// Truth is found by relief alone (judge.go). The bandwidth's relief is that of all memory behind the second-level cache;
// the latency's is that of every access of a shader; that of arithmetic, textures and local memory also shortens what a
// wave alone spends there. Shares of time are relief's gains as parts of their sum. Clocks are fixed, as the profiler fixes
// them, and there is no candidate for them. The launch of many small groups is nobody's.
//
// # What counters count
//
// By the programs of GPUPerfAPI 4.3 (shared/reference/gpa_rdna_counters.csv), which decide what else a counter shows:
//   - Percentages are of CPF_STAT_BUSY, the clocks in which the command processor was busy, which includes a part of the
//     sample's start and end: those of short draws are low whatever limits. Each is a ratio within one replay.
//   - TexUnitBusy and MemUnitBusy are the same counter, TA_BUSY of the busiest unit. Whatever holds the cache behind it up
//     (misses that wait for the second level, for memory or for a free line) keeps it busy too, and MemUnitStalled counts
//     that. Loads of many lines, which tags take one by one, stall it likewise without any miss.
//   - PrimitiveAssemblyBusy is CLIP_BUSY less the clocks in which the rasterizer holds the unit up and less the primitives
//     handed on. The clipper is hardly ever empty while vertices trickle in, so that it is also high where vertices limit.
//   - PAStalledOnRasterizer is high whenever anything behind is slower: the rasterizer, the depth test, pixels, colors.
//   - VsGsBusy, PSBusy and CSBusy say that a wave is resident, not that it works.
//   - DepthStencilTestBusy counts work, and a part of the waits for what is behind.
//   - PSExportStalls and ZUnitStalled count clocks in which the color blocks, or the memory behind them, take nothing.
//   - FetchSize, WriteSize and LocalVidMemBytes are counted before the Infinity Cache: no public counter tells of its hits.
//   - CSALUStalledByLDS is the wait of a mean wave as a share of the whole dispatch: small where many waves follow each
//     other. CSLDSBankConflict is of all vector units, of which two share a local memory: it passes 50 % hardly ever.
//   - No counter tells how busy vector units are with pixels or threads.
//
// # Facts and where they are from
//
//   - Two vector units of 32 lanes in a compute unit, 16 waves and 128 KiB of registers each: AMD's RDNA 2 instruction set
//     guide; also chipsandcheese.com 2023/02/19. A filtered quad, sixteen addresses or a line of 128 bytes a clock, local
//     memory of 32 banks for a compute unit, waves of 32 and 64: AMD's RDNA white paper of 2019.
//   - A primitive unit culls two primitives a clock and hands on one; a slice of the second-level cache serves 64 bytes a
//     clock: the same. A backend writes eight pixels of four bytes a clock; numbers of units, caches, Infinity Cache and its
//     bandwidth, memory: AMD's data sheets. Shader engines, arrays and pipes: shared/reference/gpa_device_info.csv for
//     GFX10_3_0 and GFX10_3_1. Its four vector units of a compute unit contradict the two of the hardware, and of AMD's
//     own evaluator's sample, which are taken.
//   - Latencies: 66 ns from the first to the second level, 20 ns more to the Infinity Cache, 226 ns to DRAM
//     (chipsandcheese.com 2021/04/16, RX 6800 XT and 6900 XT). Those of the smaller chips are set beside these.
//   - GPUTime is from bottom to bottom of the pipeline, ExecutionDuration from top to bottom: GPUPerfAPI's manual.
//
// # Assumed
//
// Everything that is drawn: what programs do, hit rates, how well targets compress. The shares of their peaks that units
// reach; the clocks of the profiler's fixed state; 0.7 to 2.2 µs to start a draw and 0.6 to 1.9 µs to end it; a vertex a
// clock of an engine, nine clocks to clip; 64 lines that a compute unit waits for; two lines a clock of a first-level cache;
// the rates of the depth test; how long things are in fixed pipes; what of its waits the depth block counts as busy;
// powers of the blend; replays that differ by 0.5 to 3 %, short draws by more.
//
// # Left out
//
// Tessellation, geometry and mesh shaders, ray tracing, scratch memory, time that misses of instructions and of address
// translation cost, other processes, and two draws at once, which samples prevent. Options of sampling by time mean nothing.
package amd
