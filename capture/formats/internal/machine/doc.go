// Package machine knows what programs that watch a machine (vmstat of procps; sar, sadf, mpstat and pidstat of sysstat; turbostat of the kernel) call
// what they count, and makes counters and metrics of the processors' catalogue of it. Tables of any format may hold such columns.
//
// The names are those of the headers that these programs print: sysstat's hdr_line of activity.c and pidstat.c, vmstat(8), turbostat(8), and cpu.stat
// of control groups in the kernel's cgroup-v2.rst.
package machine
