package perfetto

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/progress"
)

// Format is the protobuf trace of Perfetto. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
	_ formats.Doubter   = Format{}
)

// Name is "perfetto".
func (Format) Name() string { return "perfetto" }

// Doc says what the format is.
func (Format) Doc() string {
	return "a Perfetto trace in protobuf form: GPU counters, counter tracks, the kernel's and the system's counters, " +
		"GPU render stages (a stream of TracePackets)"
}

// Extensions are those that Perfetto's own tools use.
func (Format) Extensions() []string { return []string{".pftrace", ".perfetto-trace"} }

// Sniff goes by the first packets: each is a field 1 whose content is fields that a TracePacket may have.
func (Format) Sniff(in *formats.Input) int {
	if in.IsDir {
		return 0
	}
	rest, seen := in.Head, 0
	for len(rest) > 0 && seen < 8 {
		num, typ, n := protowire.ConsumeTag(rest)
		if n < 0 || num != tracePacket || typ != protowire.BytesType {
			return 0
		}
		size, m := protowire.ConsumeVarint(rest[n:])
		if m < 0 {
			return 0
		}
		body := rest[n+m:]
		if uint64(len(body)) < size {
			if uint64(len(in.Head)) < uint64(in.Size) && len(body) > 0 && plausible(body, true) {
				seen++
			}
			break
		}
		if !plausible(body[:size], false) {
			return 0
		}
		if size > 0 {
			seen++
		}
		rest = body[size:]
	}
	switch {
	case seen >= 2:
		return 92
	case seen == 1:
		return 85
	}
	return 0
}

// mostPacketField is the highest number of the fields of a TracePacket that are not extensions.
const mostPacketField = 135

// plausible reports whether b holds fields of a TracePacket, of which the last may be cut. Each has the type that the
// schema gives it.
func plausible(b []byte, cut bool) bool {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 || num > 2000 {
			return cut
		}
		switch num {
		case 3, packetTimestamp, packetSequenceID, packetSequenceFlags, packetStateCleared, packetPreviousDropped,
			packetClockID, 79, packetFirst, packetMachine:
			if typ != protowire.VarintType {
				return false
			}
		default:
			if num <= mostPacketField && typ != protowire.BytesType {
				return false
			}
		}
		m := protowire.ConsumeFieldValue(num, typ, b[n:])
		if m < 0 {
			return cut
		}
		b = b[n+m:]
	}
	return true
}

// WhyNot says what is missing for the content to be a trace.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "a trace is one file, not a folder"
	}
	return "it does not start with TracePackets"
}

// Open reads the counters of a trace.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if len(opt.Extra) > 0 {
		return nil, formats.OptionErrorf("format perfetto has no option %s",
			strings.Join(slices.Sorted(maps.Keys(opt.Extra)), ", "))
	}
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder, and a trace is one file", in.Path)
	}
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	progress.From(ctx).Begin(in.Size, progress.Bytes)
	cfg, err := decode(ctx, progress.Reader(ctx, f), in.Size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	if cfg.Name == "" {
		cfg.Name = strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))
	}
	cfg.Path, cfg.Format = in.Path, Format{}.Name()
	opt.Apply(cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(*cfg)
}

// Doubts says which values Perfetto cannot hold.
func (Format) Doubts(c *capture.Capture) []string {
	var out []string
	for _, whole := range c.Counters {
		for _, ctr := range append([]*capture.Counter{whole}, whole.Instances...) {
			if ctr.Col != nil && slices.ContainsFunc(ctr.Col.Data().U, func(u uint64) bool {
				return u > math.MaxInt64
			}) {
				out = append(out,
					fmt.Sprintf("counter %s has values of 2^63 and more, which a trace holds only as rounded doubles",
						ctr.Name))
			}
		}
	}
	overlaps := 0
	for i := 1; i < c.Axis.Len(); i++ {
		if c.Axis.End[i-1] > c.Axis.Start[i] || c.Axis.Start[i-1] == c.Axis.Start[i] {
			overlaps++
		}
	}
	if overlaps > 0 {
		out = append(out,
			fmt.Sprintf("%d samples overlap the one before them: a trace shows each value only until the next",
				overlaps))
	}
	return out
}
