// Package intel is a fifth model of Intel's GPUs as a recorder of OA reports sees them: Tiger Lake (Xe-LP) and Arc
// (Xe-HPG). Its author had seen neither the other models nor the rules of the diagnosis.
//
// What runs on the GPU at a time is a closed network of queues (network.go). Its customers are threads; its stations are
// fixed functions, pipes of the EUs, samplers, data ports, shared memory, L3 and the bus to memory; its delays are the
// latencies of memory and L3. Approximate mean value analysis gives the rates of all loads that run at once, and with
// them utilizations, queues and occupied thread slots. A pass is cut into segments: filling, groups of draws that differ,
// running dry. A simulation (engine.go) goes from one change of what runs to the next, with application, driver, display
// (host.go) and the clock with its governor and its limits (program.go) around it.
//
// The truth is found by relief (judge.go): demands of a station, latencies, launches or the processor's work are made
// smaller, everything is settled and simulated again. Times in the network are homogeneous of degree one in demands and
// latencies, so the elasticities of a pass's time add up to 1: they are the shares in which causes set its pace.
//
// Facts, with their sources beside them: metric sets, equations and what they count (igt-gpu-tools, and the catalogue in
// capture/metrics), counts of EUs and subslices, clocks and memory of products (Mesa's device table, data sheets), rates
// of samplers, data ports and shared memory (bounds of the metric sets), sampling periods of 2^(e+1) ticks, threads of an
// EU, and columns of /proc/stat in units of 10 ms.
//
// Assumed: rates of fixed functions, latencies, efficiencies, all amounts of work, how full a sampler's input or the
// queue to memory is at a utilization, that a sampler with misses under way has work, that "bottleneck" of a fixed
// function is the time in which its input is full less that in which its output is, that copies and video do not make
// the GPU busy for counter A0 and compute does, that programs use Tiger Lake's compute engine (its metric sets count it,
// i915 does not offer it), that Arc of 8 Xe-cores has them in slices 2 and 3, as its metric set asks.
//
// Left out: caches' contents (misses are drawn), preemption within a pass, stream output and position-only shading,
// media engines but for their traffic, RC6 (an open stream keeps the GPU awake), the processor's contention with its own
// other threads, and set TestOa.
package intel
