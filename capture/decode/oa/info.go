package oa

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Info is what a recording says about the device and how it was measured, the payload of a RecordInfo.
type Info struct {
	TimestampFrequency uint64 // Hz
	DeviceID           uint32 // PCI
	Revision           uint32 // PCI
	MinFrequency       uint32 // Hz, lowest core clock
	MaxFrequency       uint32 // Hz, highest core clock
	EngineClass        uint32 // 0 is the render engine
	EngineInstance     uint32
	Format             uint32 // I915_OA_FORMAT_*, or the number that xe-perf-recorder gives a format
	Set                string // symbol of the metric set, such as "RenderBasic"
	GUID               string // of the metric set's configuration
	Topology           []byte // blob of the topology query, nil if unknown

	Xe bool // the driver is xe
	// Shift is how many bits further to the left the timestamps of reports stand than the register's, in which
	// correlations are measured: ShiftOf of the device, unless the correlations show something else.
	Shift int
}

// Layout is the format of the reports.
func (i *Info) Layout() (*Format, error) {
	if i.Xe {
		return FormatByXe(i.Format)
	}
	return FormatByEnum(i.Format)
}

// SetFormat says which layout the reports have.
func (i *Info) SetFormat(f *Format) {
	if i.Format = f.Enum; i.Xe {
		i.Format = f.Xe
	}
}

// driver is the name of the kernel's driver.
func (i *Info) driver() string {
	if i.Xe {
		return "xe"
	}
	return "i915"
}

// Sizes of a RecordInfo's payload and of its texts, in bytes.
const (
	infoSize    = 336
	infoSetSize = 256
	infoGUID    = 292
	guidSize    = 40
)

// NoEngine is the engine class and instance of a recording that does not say.
const NoEngine = 0xFFFF

// ParseInfo reads the payload of a RecordInfo. The topology is a record of its own.
func ParseInfo(p []byte) (Info, error) {
	if len(p) < infoGUID+guidSize {
		return Info{}, fmt.Errorf("device information of %d bytes: it has %d", len(p), infoSize)
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(p[at:]) }
	return Info{
		TimestampFrequency: binary.LittleEndian.Uint64(p),
		DeviceID:           u32(8),
		Revision:           u32(12),
		MinFrequency:       u32(16),
		MaxFrequency:       u32(20),
		EngineClass:        u32(24),
		EngineInstance:     u32(28),
		Format:             u32(32),
		Set:                text(p[36 : 36+infoSetSize]),
		GUID:               text(p[infoGUID : infoGUID+guidSize]),
	}, nil
}

// text is a NUL-terminated text.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}

// Payload is the inverse of ParseInfo. Texts that are too long are an error.
func (i *Info) Payload() ([]byte, error) {
	if len(i.Set) >= infoSetSize || len(i.GUID) >= guidSize {
		return nil, fmt.Errorf("metric set %q with GUID %q: a recording has room for %d and %d bytes", i.Set, i.GUID,
			infoSetSize-1, guidSize-1)
	}
	p := make([]byte, infoSize)
	binary.LittleEndian.PutUint64(p, i.TimestampFrequency)
	for k, v := range []uint32{i.DeviceID, i.Revision, i.MinFrequency, i.MaxFrequency, i.EngineClass,
		i.EngineInstance, i.Format} {
		binary.LittleEndian.PutUint32(p[8+4*k:], v)
	}
	copy(p[36:], i.Set)
	copy(p[infoGUID:], i.GUID)
	return p, nil
}

// Correlation says what the GPU's timestamp register showed at a time of the CPU's clock.
type Correlation struct {
	CPU int64  // ns
	GPU uint64 // ticks of the register, of which reports hold the low 32 bits
}

// correlationSize is the size of a RecordCorrelation's payload in bytes.
const correlationSize = 16

// ParseCorrelation reads the payload of a RecordCorrelation.
func ParseCorrelation(p []byte) (Correlation, error) {
	if len(p) < correlationSize {
		return Correlation{}, fmt.Errorf("clock correlation of %d bytes: it has %d", len(p), correlationSize)
	}
	return Correlation{CPU: int64(binary.LittleEndian.Uint64(p)), GPU: binary.LittleEndian.Uint64(p[8:])}, nil
}

// Payload is the inverse of ParseCorrelation.
func (c Correlation) Payload() []byte {
	p := binary.LittleEndian.AppendUint64(nil, uint64(c.CPU))
	return binary.LittleEndian.AppendUint64(p, c.GPU)
}
