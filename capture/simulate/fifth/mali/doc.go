// Package mali models Mali GPUs with command streams a fifth time: the 5th generation (G620, G720, Immortalis-G720) and
// Valhall's third (G310, G510, G610, G710), by an author who had seen neither the rules of the diagnosis nor the other models.
//
// # How time passes
//
// Work flows like a liquid. A job is a row of segments, each of so many warps (or quads, where nothing is shaded) that ask
// alike. While a segment runs, its rate is that of a closed network of queues (network.go): the warps that a core has room
// for go round between arithmetic, texture, varying, load/store and ray tracing units, rasterizer, pixel back end, tiler, L2,
// the memory's bandwidth and its latency, which rises with its load. Segments of up to three hardware queues share the
// network. When anything begins or ends, all rates change (engine.go). The processor's threads, submission, pacing and
// display are in host.go, the clock's governor with heat and power limits in load.go, other programs' drawing in cases.go.
//
// Truth is found by relief alone (truth.go). What set the pace within a segment is each station's elasticity: by how much
// the rate falls where only that station's needs grow. Elasticities of a mixture add up to 1, so that shares of time add up.
//
// # Facts
//
//   - Counters, their layouts, scalers and the formulas of use: Arm's libGPUCounters, as ../shared/reference has them. By
//     these, a core of the 5th generation issues two multiply-adds beside conversions, special functions take four cycles, a
//     message to the texture unit has two quads, and the varying unit has 4 (G710: 2) slots a cycle.
//   - Numbers of cores: products.csv; tasks of 64 x 64 pixels (G710: 32 x 32), warps of 16 threads.
//   - kbase takes samples at multiples of a period, some late, some stretched over several: hwio/kbase.
//   - The files of procfs are read every 200 ms beside a faster source, their counts spread evenly: docs/recording.md. Times
//     are in units of 10 ms, each column's phase its own: Documentation/filesystems/proc.rst.
//
// # Assumed
//
//   - How counters that nobody describes exactly come about: endpoint stalls are the time in which a queue has work while
//     others hold the cores, and a part of launches, not the time in which the cores' own task queues are full, because Arm
//     takes them off to get a queue's activity. Stalls of the bus and of L2 grow with what waits there up to a share that is
//     the machine's own; what the bus does not take waits in L2, and no more reads are under way than the machine keeps
//     books of, so that latency ends to grow there. A warp that waits to be blended stays in the core.
//   - What units attain (half to nearly all of their peak), clocks, latencies, bandwidths, and all that programs ask for.
//   - A launch keeps its queue, and counts as activity of the GPU; how much of it the front end's units are busy is drawn.
//
// # Left out
//
// Protected content, resets, hypervisors, page faults, tiler heaps that run out of memory, priorities and preemption,
// prefetching, the layout of pictures (AFBC is a factor), traffic of processors and display on the memory beyond times of
// smaller bandwidth, differences between cores beyond fixed weights, big and little clocks' effect on the program's threads.
package mali
