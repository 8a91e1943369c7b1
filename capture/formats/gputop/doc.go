// Package gputop reads the text that gputop-wrapper, of Intel's GPU Top, prints: names of metrics, below them their units, and a row
// for each period, with values as people read them, or plain ones (-n, -o):
//
//	   Timestamp  GpuCoreClocks  EuActive      L3Misses
//	        (ns)     (cycles/s)       (%)  (messages/s)
//	285961912416,770.9 M cycles,  0.919 %,   1473133.00
//
// A row begins at its time, and a count is what was counted until the next row, as wrapper/gputop-wrapper-main.c and
// gputop_client_context_read_counter_value of rib/gputop have it: the units of a second say what it is where the period is the usual
// second. The text does not say which GPU it is of, nor which metric set.
package gputop
