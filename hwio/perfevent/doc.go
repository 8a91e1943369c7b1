// Package perfevent measures with the kernel's performance events (perf_event_open): hardware, cache, software,
// tracepoint and raw events, and those of every counter unit that the kernel lists in /sys/bus/event_source, per
// processor, per process or per command.
//
// Events of one counter unit are opened as groups, and a group is read with a single system call per processor. A group
// that the hardware cannot hold is split. Where several groups share the hardware the kernel lets them take turns:
// values are then scaled up by the share of time that the group was counting, that share is recorded as
// counter_coverage (of the time in counter_enabled), and a sample in which a group never got its turn is missing, not
// 0. Sums are scaled by both as the kernel scales them (capture.Turn).
//
// The kernel takes the samples: a cpu-clock event leads each group, its samples hold the values of the whole group
// (PERF_SAMPLE_READ), and the rings that it writes them to are emptied some times a second. Processes have such a group
// on every CPU, inherited by what they start: samples are of single threads, and only reading the groups tells of all.
// Where that is refused, and for long periods, groups are read on every tick.
//
// What belongs here: finding events, encoding them, opening, reading and decoding. All logic is portable and talks to a
// small kernel interface; only kernel_linux.go makes system calls (ring.go reads the memory that they map). Facts are
// from include/uapi/linux/perf_event.h, perf_event_open(2) and Documentation/admin-guide/perf-security.rst and
// sysctl/kernel.rst.
package perfevent
