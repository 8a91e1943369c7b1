// Package replay is a machine that answers from a bundle: the files, device requests and samples that a reader was told
// on another machine. It knows how programs ask, which stands in package uapi; what the answers mean it does not know,
// but for the stamps of samples.
//
// Clocks run on. When counting begins the stamps of all samples that follow are moved by one distance, so that they
// begin now; a sample is there when as much time has passed as on the tape, or what ended the counting there was asked
// for again. The distance is a multiple of the recording's period, because drivers sample at multiples of it.
//
// Streams of reports of Intel's OA units keep their stamps, which are ticks of the GPU's clock: that clock is shown as it
// would stand now, by the line through its readings on the tape.
//
// Perf events keep their counts. Their samples are moved by one distance, when the first ring is mapped, and come when
// they are due, or at once where the program stops its events; see perf and countFile.
package replay
