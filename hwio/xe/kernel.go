package xe

import (
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
)

// kernel is what the reader needs of the operating system. Errors of it and of what it opens are a syscall.Errno,
// possibly wrapped.
type kernel interface {
	// open opens a device node for reading and writing.
	open(path string) (device, error)
	// now is CLOCK_MONOTONIC in nanoseconds.
	now() int64
}

// property is one of a stream.
type property struct {
	id    uint32
	value uint64
}

// device is an open DRM node of the driver.
type device interface {
	// query returns the driver's answer to a question.
	query(id uint32) ([]byte, error)
	// cycles reads an engine's clock: its ticks, and in nanoseconds of CLOCK_MONOTONIC when, and for how long.
	cycles(e intel.Engine) (ticks uint64, when, took int64, err error)
	// addConfig hands registers over to the driver and returns the number that it gave them.
	addConfig(guid string, regs []oaregisters.Register) (uint64, error)
	removeConfig(id uint64) error
	openStream(properties []property) (reportStream, error)
	close() error
}

// reportStream is the driver's stream of reports.
type reportStream interface {
	// read never blocks. It returns whole reports.
	read(buf []byte) (int, error)
	enable() error
	disable() error
	// config changes to another set of registers and returns the number of the one before.
	config(id uint64) (uint64, error)
	// status are the bits that the last read failed with.
	status() (uint64, error)
	close() error
}
