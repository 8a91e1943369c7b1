package i915perf

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
)

// Encode writes the records of a capture of OA reports to w. A capture that was resampled, or was not made of reports,
// is an error that wraps formats.ErrUnsuitable and says why.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	r, err := rebuilder(c)
	if err != nil {
		return err
	}
	info, err := r.Info().Payload()
	if err != nil {
		return err
	}
	version := binary.LittleEndian.AppendUint64(nil, recorderVersion)
	own := func(kind uint32) uint32 {
		if r.Info().Xe && kind >= oa.RecordVersion {
			return kind - oa.RecordVersion + xeRecords
		}
		return kind
	}
	out := oa.AppendRecord(nil, own(oa.RecordVersion), version)
	out = oa.AppendRecord(out, own(oa.RecordInfo), info)
	if t := r.Info().Topology; len(t) > 0 {
		out = oa.AppendRecord(out, own(oa.RecordTopology), append(t[:len(t):len(t)], make([]byte, -len(t)&7)...))
	}
	meter := progress.From(ctx)
	meter.Begin(0, progress.Bytes) // how many records there will be shows at the end only
	records := 0
	err = r.Records(func(kind uint32, payload []byte) error {
		if records++; records%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if len(out) >= chunk {
			if _, err := w.Write(out); err != nil {
				return err
			}
			meter.Add(int64(len(out)))
			out = out[:0]
		}
		out = oa.AppendRecord(out, own(kind), payload)
		return nil
	})
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// maxTopology is the largest topology that fits a record, in bytes.
const maxTopology = 1<<16 - 1 - oa.RecordHeader - 7

func rebuilder(c *capture.Capture) (*oa.Rebuilder, error) {
	r, err := oa.NewRebuilder(c)
	if err != nil {
		return nil, fmt.Errorf("%w (a recording of OA reports): %w", formats.ErrUnsuitable, err)
	}
	if i := r.Info(); i.GUID == "" {
		gpu, _ := oa.CatalogueOf(i.DeviceID)
		if cat, err := metrics.Get(gpu); err == nil {
			if set, err := cat.Set(i.Set); err == nil {
				i.GUID = set.GUID
			}
		}
	}
	if n := len(r.Info().Topology); n > maxTopology {
		return nil, fmt.Errorf("%w: a topology of %d bytes is longer than a record", formats.ErrUnsuitable, n)
	}
	return r, nil
}

// Doubts says what i915-perf-reader, or xe-perf-reader, will not read, or not read well.
func (Format) Doubts(c *capture.Capture) []string {
	r, err := rebuilder(c)
	if err != nil {
		return nil
	}
	var out []string
	info, shape := r.Info(), r.Shape()
	program := "i915-perf-reader"
	if info.Xe {
		program = "xe-perf-reader"
	}
	say := func(format string, args ...any) {
		out = append(out, program+" will not read the file well: "+fmt.Sprintf(format, args...))
	}
	gpu, _ := oa.CatalogueOf(info.DeviceID)
	switch cat, err := metrics.Get(gpu); {
	case gpu == "" || err != nil:
		say("device %#04x is not one that astrolabe has metric sets of, and that program may have none either",
			info.DeviceID)
	default:
		set, err := cat.Set(info.Set)
		if err != nil || set.Name != info.Set {
			say("it knows no metric set %q of %s and breaks off", info.Set, gpu)
		} else if f, err := info.Layout(); err == nil && f.Name != set.Format {
			say("it takes every report for one of format %s", set.Format)
		}
	}
	if shape.Reports > 0 && !shape.Correlations {
		say("it needs two clock correlations, and the capture has none")
	}
	if shape.Crosses {
		say(
			"the low 32 bits of the GPU's timestamp wrap within the recording: it breaks off there, or gives CPU times that are off by 358 s; slice the capture before or after")
	}
	if shape.Reports < 2 {
		say("there are no two reports in it")
	}
	if shape.Breaks > 0 {
		say("reports were lost at %d places, where it counts on as if nothing had happened", shape.Breaks)
	}
	if shape.Wrapped > 0 {
		say(
			"%d samples have missing values, because counters may have wrapped more than once within them: it shows numbers there",
			shape.Wrapped)
	}
	return out
}
