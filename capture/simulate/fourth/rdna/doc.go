// Package rdna is a fourth model of compute kernels on an RDNA 3.5 GPU (gfx1151) under AMD's profiler of compute. Its
// author had seen neither the other models nor the rules of the diagnosis. It imports the data model, the vocabulary
// of the simulator and package telling, and must never import another model.
//
// # What is modelled
//
// A kernel is a grid of work-groups whose waves go through one to three segments, each with its own instructions,
// accesses and hit rates. Time flows as in a closed network of queues: the waves that are resident are the customers;
// vector units, address units, LDS, channels of GL2, the fabric with its memory-side cache, and DRAM are stations with
// several servers; latencies are delays. Between two events (cohorts of waves come, go on to their next segment, or
// end) the network is in its equilibrium, which Schweitzer's approximation of mean value analysis gives for all
// segments at once. Cohorts keep the order of waves, so that grids fill, go in rounds, and drain; cohorts of irregular
// kernels have more or less to do than others. Launch units feed cohorts at a rate of waves and of work-groups, and a
// dispatch costs a time of its own before and after.
//
// # Truth
//
// Relief makes the service of one station, or one kind of delay, two thirds as long, and everything flows again. The
// time of a dispatch is homogeneous of degree one in all these times, so that the elasticities of the time in each of
// them add up to one (Euler): the shares of the pace are these elasticities, measured with steps of two percent.
//
// # Facts
//
// 32 compute units in 16 work-group processors of two arrays in each of two engines; two SIMDs of 32 lanes with 16 wave
// slots and 1536 vector registers a lane each; 128 KiB of LDS for a processor; GL2 of 2 MiB in 8 channels: sysinfo.csv
// of AMD's public capture of vcopy, and AMD's RDNA 3.5 instruction set guide. 256 bits of LPDDR5X-8000 make 256 GB/s; a
// cache of 32 MiB lies at the memory's side: AMD's product pages. That capture also shows how counters hang together:
// GL1 counts 16 clocks and GL2 8 for each of the GPU's; the fabric counts four units of 32 bytes for a read of 128 and
// nine requests of its virtual channels for each access; sequencers count about a percent too many waves, differently
// in each run; counters of GL0 stay 0 where its clock is gated; dispatches find the clock low or high.
//
// # Assumptions
//
// Latencies, efficiencies, the rates of launch units and the fixed cost of a dispatch are from public measurements of
// similar GPUs, or guesses, and are drawn within ranges. How waiting of waves divides among the SQ_WAIT counters,
// GCEA_SARB_STALLED and the stalls of GL0 are guesses that fit the one public capture.
//
// # Left out
//
// Kernels that run at the same time, work of other processes, limits of power within a dispatch, scratch memory,
// translations that miss (beyond a longer latency of scattered accesses), and dispatches of graphics. Of the options, those of samplers
// by time have no meaning here: dispatches are neither late nor lost, and have no frames.
package rdna
