// Package live serves a page that shows a recording under way, to browsers of this machine alone.
//
// A Live is the sink of hwio.Record. It keeps the last minutes in memory (hwio.Ring), makes buckets of what is new and
// hands them to viewers (hub.go), which each have a place in what is kept and no queue of their own: a browser that reads
// slowly, or not at all, costs nothing but what it misses. A script judges the last seconds while anybody looks
// (judge.go). server.go says who may ask for what: whoever has the address that was printed, in a page of ours.
//
// The package knows captures, pages and recordings, and neither Starlark nor flags: what judges, and where files go, is
// the caller's.
package live
