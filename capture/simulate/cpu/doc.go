// Package cpu simulates programs on the processors of a machine: threads that compute, wait for memory, share its
// bandwidth, hold locks, do I/O, hand work to each other and keep dates, on a number of processors with a scheduler
// and a clock. What perf events and /proc would have counted is made of it.
//
// It has an engine of its own, because threads on processors are another thing than passes on queues: events of
// threads, in the order of time. Truth is found in the same way: something is relieved and everything is simulated
// again.
package cpu
