package i915

import "astrolabe/hwio/internal/oaregisters"

// kernel is what the reader needs of the operating system. Errors of it and of what it opens are a syscall.Errno,
// possibly wrapped.
type kernel interface {
	// open opens a device node for reading and writing.
	open(path string) (device, error)
	// now is CLOCK_MONOTONIC in nanoseconds.
	now() int64
}

// device is an open DRM node of the driver.
type device interface {
	param(id int32) (int32, error)
	// query returns the driver's answer to one query item.
	query(id uint64) ([]byte, error)
	readRegister(offset uint64) (uint64, error)
	// addConfig hands registers over to the driver and returns the number that it gave them.
	addConfig(guid string, r *oaregisters.Lists) (uint64, error)
	removeConfig(id uint64) error
	// openStream opens a stream of reports; properties are pairs of a number and a value. What is powered meanwhile, where
	// not nil, is a property too.
	openStream(flags uint32, properties []uint64, powered *sseu) (reportStream, error)
	close() error
}

// reportStream is the driver's stream of reports.
type reportStream interface {
	// read never blocks. It returns whole records.
	read(buf []byte) (int, error)
	enable() error
	disable() error
	// config changes to another set of registers and returns the number of the one before.
	config(id uint64) (uint64, error)
	close() error
}
