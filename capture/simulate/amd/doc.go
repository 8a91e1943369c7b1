// Package amd simulates AMD GPUs that draw, GFX8 to GFX11, in two ways of looking at them.
//
// The family amd-live is what the amdgpu driver shows to every user: status bits of the graphics pipe, sampled ten
// thousand times a second, and readings of clocks, power, temperature, load and engine times that the firmware and the
// driver renew about every 100 ms. Which bits a generation has and what each means are facts of the kernel's headers
// and AMD's register references. A bit is set while anything at all is inside its block, in any of the block's
// instances, so it is set for longer than one instance works: by how much is invented, drawn for each block, and said
// so where it stands. Samples are drawn independently of each other, while the recorder spreads them over its slots of
// time, so that these bits scatter a little more than real ones.
//
// The family amd-gpa is what AMD's GPUPerfAPI counts of draws and dispatches on GFX8 and GFX9: one row for each, with
// the public counters of D3D12 and Vulkan. The frame is drawn again for every pass, so that counters of one row are of
// several runs; between draws the pipeline is empty, as GPA has it. There are no times of samples. The programs are
// those of the library of 2017: shares of compute are 0 without work groups, while the cycles and counts beside them
// are whatever the blocks count, for draws too. Later versions give caches and traffic other names and all
// rows their values, and from 3.4 on set the cycles of compute to 0 as well.
package amd
