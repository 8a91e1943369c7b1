package i915perf

import (
	"encoding/binary"
	"fmt"

	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
)

// Format is the recording file of i915-perf-recorder. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
	_ formats.Doubter   = Format{}
)

// Name is "i915perf".
func (Format) Name() string { return "i915perf" }

// Doc says what the format is.
func (Format) Doc() string {
	return "Intel OA recording, as i915-perf-recorder and xe-perf-recorder write it (records, the first of which holds the version or the device)"
}

// Extensions are the ending that people use.
func (Format) Extensions() []string { return []string{".record", ".i915perf"} }

// Sniff goes by the first record: it is the version or the device information, of exactly its size.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir || len(in.Head) < oa.RecordHeader {
		return 0
	}
	kind, size := head(in.Head)
	switch {
	case binary.LittleEndian.Uint16(in.Head[4:]) != 0:
		return 0
	case kind == oa.RecordVersion && size == versionSize:
		return 95
	case isXe(in.Head):
		return 90
	case kind == oa.RecordInfo && size == infoSize:
		return 90
	}
	return 0
}

// Sizes of whole records in bytes.
const (
	versionSize = 16
	infoSize    = 344
)

// isXe reports whether a recording of the driver xe begins with the bytes. Its types of records go on behind those of
// i915's stream, and so are small numbers: the version's content must fit too.
func isXe(b []byte) bool {
	if len(b) < versionSize {
		return false
	}
	kind, size := head(b)
	return kind == xeRecords && size == versionSize && binary.LittleEndian.Uint16(b[4:]) == 0 &&
		binary.LittleEndian.Uint64(b[oa.RecordHeader:]) == recorderVersion
}

// xeRecords is the type of the version's record in files of xe-perf-recorder, behind which its other own types follow in
// the order of i915-perf-recorder's.
const xeRecords = oa.RecordBufferLost + 1

// recorderVersion is that of the files of both recorders.
const recorderVersion = 1

func head(b []byte) (kind uint32, size int) {
	return binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[6:]))
}

// WhyNot says what the file begins with instead.
func (Format) WhyNot(in *formats.Input) string {
	switch {
	case in.IsDir:
		return "a recording is one file, not a folder"
	case len(in.Head) < oa.RecordHeader:
		return fmt.Sprintf("%d bytes are less than one record", len(in.Head))
	}
	kind, size := head(in.Head)
	switch kind {
	case oa.RecordSample, oa.RecordReportLost, oa.RecordBufferLost:
		return "it may be a bare stream of OA records, but the records with the version and the device are missing before it"
	case oa.RecordVersion, oa.RecordInfo:
		return fmt.Sprintf("its first record is of a recording, but has a wrong size of %d bytes", size)
	}
	return "its first record is neither the version (type 0x10000, or 4 of the driver xe) nor the device (type 0x10001)"
}
