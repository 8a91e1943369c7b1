// Package metrics holds the catalogues: every counter and formula that astrolabe knows, per GPU and for the CPU, as
// data. It finds them by any name that people use, and compiles them for a capture.
//
// A catalogue is one text file (data/*.metrics, format in datafile.go), embedded in an archive of them all, which is read
// when it is first asked for. Resolve gives the counter of a capture that a name addresses: a raw counter, one instance of it, or a
// metric as a derived counter. A known metric whose inputs were not collected is a counter with every value missing
// and the reason; an unknown name is an *UnknownError with near names.
//
// The package knows no file format, no device and no Starlark.
package metrics
