// Package amdlive simulates AMD GPUs, GFX8 to GFX11, as the amdgpu driver shows them to every user: status bits of the
// graphics pipe, sampled ten thousand times a second, and readings of clocks, power, temperature, load and engine times
// that the firmware and the driver renew about every 100 ms.
//
// Which bits a generation has and what each means are facts of the kernel's headers and AMD's register references. A
// bit is set while anything at all is inside its block, in any of the block's instances, so it is set for longer than
// one instance works: by how much is invented, drawn for each block, and said so where it stands. Samples are drawn
// independently of each other, while the recorder spreads them over its slots of time, so that these bits scatter a
// little more than real ones.
package amdlive
