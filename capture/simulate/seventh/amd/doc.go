// Package amd is a seventh model of AMD GPUs that are watched live by what Linux tells without a profiler, as the catalogue
// amd-live names it. Its author had seen neither the rules of the diagnosis nor the other models.
//
// # How it simulates
//
// Work flows. A frame is passes on four hardware queues (graphics, compute, copies, video), and a pass is a row of parts, each
// of which asks sixteen units for some time. At each moment every running pass goes on at a rate: alone, at one over the norm
// of the units' times; together, slowed alike where a unit is asked for more than it has. Events are the ends of parts,
// passes that can start, and once a millisecond the firmware, which sets the clock by power, heat and load. The application,
// its driver's thread and the display are worked out as far as what they wait for is known. What a status register shows is a
// chance for each bit in each stretch between events, and the recorder reads at random moments: a block is busy while any of
// its instances has work, so that the more instances there are, the sooner a little work sets the bit; blocks before the unit
// that limits are full, and those behind it starve. The truth is found by relieving one thing after the other.
//
// # Facts and where they are from
//
//   - Status bits by generation, engine times, gpu_metrics and its units, the 10 000 reads a second and 100 ms of slow values:
//     ../shared/reference/amd-hwio.md, and what the source amdgpu of this repository writes. radeontop reads the same bits.
//   - Engine times of fdinfo run from when the scheduler hands a job to the ring (amdgpu_ctx_fence_time of the kernel), and a
//     ring holds two jobs (amdgpu_sched_hw_submission), so that the sum can be twice the time. Work by /dev/kfd, as of ROCm,
//     has no engine times (amdgpu_top, issue 49), nor have moves of buffers, which are the driver's own (amdgpu_ttm.c).
//     Since VCN 4 all video counts as encoding (amdgpu_top 0.1.9).
//   - gpu_busy_percent of Polaris is of a few milliseconds and jumps (nokyan/resources, issue 127).
//   - Compute units, clocks, render backends, buses, memory, board power: AMD's product pages; the power that the chip may take of
//     it: boards' default limits in hwmon. Rates: 64 lanes of FMA, four bilinear samples, 64 bytes of loads and 128 bytes of LDS a
//     clock and compute unit, 64 bytes a clock and channel of L2, 16 pixels a clock and scan converter: AMD's RDNA white
//     paper and GCN ISA documents. PCIe: its specification, less encoding and packets.
//   - Limits of heat: 110 °C of the hottest spot (RX 5000 and later), 95 to 100 °C of APUs and older cards: AMD.
//   - APUs have one limit for cores and graphics, no PCIe, and little memory of their own.
//   - The driver moves buffers with a copy engine where video memory is short, and what finds no room is read over PCIe
//     (amdgpu_cs.c, ttm). /proc/stat counts in 10 ms.
//
// # Assumed
//
// Efficiencies (0.7 to 0.85 of the rates, 0.82 of the bandwidth, 0.88 of PCIe), one vertex a clock and shader engine, 260 clocks
// a draw, 4 to 9 µs a pass with its barrier, the norm's exponent 4, 60 GB/s of a copy engine, 1.9 million macroblocks a second of
// video, half of the memory's latency in the clock of the core, all sizes of programs, all constants of the firmware's
// control, voltage 0.62 to 1 of the highest from rest to the highest clock, power by unit, 100 ms of the firmware's averages, and
// how a bit follows the use of its block. Those last ones are such that the bits of drawn content stand to each other as in two
// public outputs of radeontop: PA 0.35, TA 0.7 to 0.85, CB and SX 0.8, SC and DB 0.9 to 1 of the pipe's for a desktop.
//
// # Left out
//
// Several GPUs, partitions, MI300, tessellation and ray tracing apart from its waits, GFXOFF, lower memory clocks under load,
// current limits, the compositor's own frames, other programs on the GPU, other links than PCIe, readings that fail, order
// between two contents' queues, waits in the middle of a frame, and time of queues in turn among the shares of queues.
package amd
