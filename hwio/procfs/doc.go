// Package procfs measures what the kernel's text files tell: processor time, interrupts, pressure stalls, frequency,
// load, memory, temperatures and other sensors.
//
// /proc/stat and /proc/pressure are read on every tick, with files kept open and parsed without allocation. The kernel
// gives processor times in units of 1/USER_HZ (10 ms), so that a shorter sample holds 0 or a whole unit: true values,
// coarse in time. Frequencies, sensors, load and memory cost a device access or change slowly; a goroutine reads them
// some times a second and each sample gets the latest value.
//
// A file that is not there makes a counter that is not offered. A value that cannot be read is missing with a reason.
// Neither is ever 0. Facts are from Documentation/filesystems/proc.rst, accounting/psi.rst, cpu-freq, thermal and hwmon
// of the kernel.
package procfs
