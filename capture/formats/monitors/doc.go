// Package monitors reads what programs that watch a machine print for people: vmstat of procps; sar, mpstat and pidstat of sysstat; turbostat of the
// kernel. Cells are aligned with blanks or tabs below a header that is printed again now and then; rows of a CPU, a disk or a task are instances.
//
// What sysstat prints at a time is of the interval before; tables that it prints one after another are joined by their times, and a clock that goes back
// by most of a day is one that passed midnight. Its averages over all intervals are left out. vmstat (without -t) and turbostat print no times: each
// report counts as a second, or as long as option period= says. The first row of vmstat is the mean since the machine started, and left out.
//
// What columns mean is package machine's knowledge, which tables of the same programs with delimiters share.
package monitors
