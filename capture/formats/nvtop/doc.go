// Package nvtop reads what nvtop -s (--snapshot) writes, once or in a loop: for each snapshot a list of the GPUs of the machine,
//
//	[{"device_name": "AMD Radeon RX 6600", "gpu_clock": "2044MHz", "mem_clock": "875MHz", "temp": "64C", "power_draw": "98W",
//	  "gpu_util": "97%", "mem_util": "61%", "mem_total": "8573157376", "mem_used": "5229625999", ...}]
//
// with null for what a driver does not tell. Values become the counters of the catalogue amd-live where the GPU is one of AMD's; mem_util is
// the share of the video memory in use, and no load. There are no times: each snapshot stands for a second, as often as nvtop looks by itself,
// unless the option period says otherwise. Of several GPUs the one that works the most is read, or the one that the option device numbers.
package nvtop
