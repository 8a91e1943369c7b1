// Package intelgputop reads what intel_gpu_top of igt-gpu-tools prints with -J (JSON, an object for each period) and -c (a table with commas).
//
// Its values become the counters of the catalogue intel-live, which every Intel GPU has: engine times, of each kind that of the busiest; clock, sleep,
// power, and what all users of the memory move, each of them what was counted in the period or its mean. JSON that breaks off, as where the
// program was ended, or that lacks the brackets around it, as older versions write it, reads up to there. The table has no times: each row is a
// period as long as the option period says, and a second, which is what intel_gpu_top takes by itself, where nothing does.
package intelgputop
