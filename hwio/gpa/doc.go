// Package gpa lists the counters that an installed GPUPerfAPI library offers, and how many passes they need. GPUPerfAPI
// counts within the application that owns the graphics context, so that nothing can be recorded from here: Open says
// what to do instead. The library is loaded by astrolabe-vendorlib (see hwio/internal/vendorproc). This package opens
// no device and evaluates nothing: GPA's counters as astrolabe computes them are in the catalogue amd-gpa and in
// hwio/session.
package gpa
