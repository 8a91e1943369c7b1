package i915perf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"astrolabe/capture/decode/oa"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// chunk is how much of a file is read between two looks at whether to go on, in bytes.
const chunk = 1 << 20

// recordRoom is what may be kept of the records in a chunk, for each of its bytes.
const recordRoom = 8

// passes is how often a file is gone through.
const passes = 2

// each calls f for every record of a file's content, whose payload is a part of that. cut says how many bytes of an
// incomplete record are left at the end, and where it begins.
//
// Records of xe-perf-recorder get the types of i915-perf-recorder's.
func each(ctx context.Context, data []byte, f func(oa.Record) error) (cut int, at int64, err error) {
	var d oa.Decoder
	d.Feed(data)
	xe := isXe(data)
	done, next := int64(0), int64(0)
	for {
		rec, ok, err := d.Next()
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			break
		}
		if rec.Offset >= next {
			if err := ctx.Err(); err != nil {
				return 0, 0, err
			}
			if err := memory.Room(recordRoom * chunk); err != nil {
				return 0, 0, err
			}
			progress.From(ctx).Add((rec.Offset - done) / passes)
			done, next = rec.Offset, rec.Offset+chunk
		}
		if own := rec.Type - xeRecords; xe && own <= oa.RecordCorrelation-oa.RecordVersion {
			rec.Type = oa.RecordVersion + own
		}
		if err := f(rec); err != nil {
			return 0, 0, err
		}
	}
	progress.From(ctx).Add((int64(len(data)) - done) / passes)
	cut, at = d.Pending()
	return cut, at, nil
}

// errStop ends a scan early.
var errStop = errors.New("stop")

// scan is what the first pass over a file finds.
type scan struct {
	survey   oa.Survey
	info     oa.Info
	haveInfo bool
	header   []byte // payload of the device information
	topology []byte
	end      int64 // offset of what is left out; -1 where everything is read
	cut      int   // bytes of the record that the file breaks off in, which begins at
	cutAt    int64
	// of each time that the headers stand there: a clock correlation follows, so that another recording begins
	headers  []bool
	warnings []string
	xe       bool // the recorder is xe's
	again    bool // it is gone through once more, with another format or shift than the device information tells
}

func (s *scan) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// run goes through the file up to its end, or to where another device's or set's recording begins.
func (s *scan) run(ctx context.Context, data []byte) error {
	s.end, s.xe = -1, isXe(data)
	cut, at, err := each(ctx, data, s.record)
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	if s.cut, s.cutAt = cut, at; cut > 0 {
		s.warn(
			"truncated: the file breaks off inside a record, %d bytes after its beginning at byte %d: the recorder was stopped, or the file is not whole; everything before is read",
			cut, at)
	}
	return nil
}

func (s *scan) record(r oa.Record) error {
	switch r.Type {
	case oa.RecordCorrelation:
		if n := len(s.headers); n > 0 {
			s.headers[n-1] = true
		}
	case oa.RecordVersion:
		s.headers = append(s.headers, false)
		if len(r.Data) < 4 {
			return fmt.Errorf("version record at byte %d: %d bytes of payload, it has 8", r.Offset, len(r.Data))
		}
		if v := binary.LittleEndian.Uint32(r.Data); v != recorderVersion {
			s.warn("the file says version %d at byte %d, and only version 1 is known: it is read as that", v, r.Offset)
		}
	case oa.RecordInfo:
		info, err := oa.ParseInfo(r.Data)
		if err != nil {
			return fmt.Errorf("record at byte %d: %w", r.Offset, err)
		}
		switch {
		case !s.haveInfo:
			info.Xe, info.Shift = s.xe, oa.ShiftOf(info.DeviceID)
			if s.again {
				info.Shift = s.info.Shift
				info.SetFormat(s.survey.Format)
			}
			s.info, s.haveInfo, s.header = info, true, bytes.Clone(r.Data)
			s.survey.Shift = info.Shift
			if f, err := info.Layout(); err == nil {
				s.survey.Format = f
			}
		case !bytes.Equal(s.header, r.Data):
			s.end = r.Offset
			s.warn(
				"from byte %d on the file holds a recording of another device or metric set (%s on device %#04x): it is left out; cut the file there to read it",
				r.Offset, info.Set, info.DeviceID)
			return errStop
		}
	case oa.RecordTopology:
		if s.topology == nil {
			s.topology = bytes.Clone(r.Data)
		}
	}
	s.survey.Add(r)
	return nil
}
