// Package vendorproc runs astrolabe-vendorlib, the program that loads vendors' shared libraries, and talks to it.
//
// The main program is one static binary that runs everywhere, so it never loads a library itself: a crash, a lock or a
// message of a vendor's library stays in the other process, and a library that may be set up once per process gets a
// fresh one per recording. The two talk in frames over the second program's standard input and output: a length, a
// type, and either a JSON message or a sample in binary. Both sides of that protocol are here; it knows nothing of any
// library.
package vendorproc
