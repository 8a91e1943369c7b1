// Package hwio reads counters from hardware: what a reader is (Source, Stream), which of them work here and why not
// (Probe, Best, Doctor), and the loop that turns streams into a recording (Record).
//
// A reader lives in hwio/<driver> and implements Source. It is asked what it could measure, whether it can here, and to
// open counters; the Stream it returns is then read once per tick. Record paces the ticks, puts real timestamps on what
// it reads, accounts for every tick that was missed, and hands batches to a Sink that writes them. Nothing here
// knows a vendor, a system call of a driver, or a formula.
//
// Recording needs Linux. Everything else builds anywhere.
package hwio
