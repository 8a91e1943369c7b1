package hwio

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// FlightOptions say what a Flight keeps, and when it is saved.
type FlightOptions struct {
	Last   time.Duration // how much of the recording is kept
	Period time.Duration // of its samples, as far as that is known

	// Save writes what was kept, with the reason. One Save runs at a time, in a goroutine of its own; it may keep the
	// batches, which nobody fills again.
	Save func(s *Saved) error

	// Judge looks at what is kept, every JudgeEvery; it returns why that is to be saved, or "". What it says twice in a
	// row is saved once.
	Judge      func(c *capture.Capture) (why string, err error)
	JudgeEvery time.Duration
}

// Saved is the end of a recording, up to a moment.
type Saved struct {
	Why     string
	Schema  *capture.Schema
	Batches []*capture.Batch
}

// Flight is a Sink that keeps the last samples in memory and has them saved when it is told to: by Trigger, by a mark,
// by a judgement, and at the end. Its memory depends on what it keeps and not on how long it runs.
type Flight struct {
	o      FlightOptions
	schema *capture.Schema
	most   uint64 // bytes of the ring

	mu       sync.Mutex
	ring     []*capture.Batch
	sizes    []uint64
	bytes    uint64
	said     []string // warnings of batches that are gone
	asked    string   // why the ring is to be saved once it has the next batch, "" for no reason
	trigger  string   // why it is to be saved now
	judged   int64    // end of the last sample that was judged
	broken   string   // what the judgement before said; of the worker
	short    bool     // the ring had no room for all of Last
	busy     bool     // the worker has work
	failed   error    // of Save or Judge
	finished sync.WaitGroup
}

// NewFlight returns a sink without samples. It refuses what would not fit into memory.
func NewFlight(s *capture.Schema, o FlightOptions) (*Flight, error) {
	if o.Last <= 0 || o.Period <= 0 || o.Save == nil {
		return nil, errors.New("record: a time to keep, a period and a place to save are needed")
	}
	rows := int64(o.Last/o.Period) + 1
	need := s.Bytes(rows)
	if err := memory.Room(2 * need); err != nil {
		return nil, fmt.Errorf("record: the last %v every %v are %d samples of %d columns: %w", o.Last, o.Period, rows,
			len(s.Columns), err)
	}
	return &Flight{o: o, schema: s, most: max(2*need, 64<<20)}, nil
}

// Trigger has the ring saved as soon as it has the samples of this moment.
func (f *Flight) Trigger(why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	want(&f.asked, why)
}

// want adds a reason to save. Several that come at once are one.
func want(reasons *string, why string) {
	switch {
	case *reasons == "":
		*reasons = why
	case why != "" && !strings.Contains(*reasons, why) && len(*reasons) < 1000:
		*reasons += "; " + why
	}
}

// Write keeps a copy of b.
func (f *Flight) Write(b *capture.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep(b.Clone())
	want(&f.trigger, f.asked)
	f.asked = ""
	for _, r := range b.Regions {
		if isMark(&r) {
			want(&f.trigger, "mark "+r.Name)
		}
	}
	f.start()
	return f.failed
}

// isMark reports whether a region is a plain mark: something that happened, and took no time.
func isMark(r *capture.Region) bool { return r.Start == r.End && r.Track == "" }

// keep adds a batch to the ring and drops those that are older than what is kept.
func (f *Flight) keep(b *capture.Batch) {
	size := f.schema.Bytes(int64(b.Len()))
	f.ring, f.sizes, f.bytes = append(f.ring, b), append(f.sizes, size), f.bytes+size
	end := f.end()
	n := 0
	for n < len(f.ring)-1 {
		first := f.ring[n]
		old := first.Len() == 0 || first.End[first.Len()-1] <= end-f.o.Last.Nanoseconds()
		if !old && f.bytes <= f.most {
			break
		}
		f.short = f.short || !old
		for _, w := range first.Warnings {
			if len(f.said) < manyWarnings && !slices.Contains(f.said, w) {
				f.said = append(f.said, w)
			}
		}
		f.bytes -= f.sizes[n]
		n++
	}
	f.ring, f.sizes = slices.Delete(f.ring, 0, n), slices.Delete(f.sizes, 0, n)
}

// end is the end of the last sample.
func (f *Flight) end() int64 {
	for _, b := range slices.Backward(f.ring) {
		if n := b.Len(); n > 0 {
			return b.End[n-1]
		}
	}
	return 0
}

// start gives the worker work where there is some and it has none.
func (f *Flight) start() {
	if f.busy || f.failed != nil {
		return
	}
	end := f.end()
	judge := f.o.Judge != nil && end-f.judged >= f.o.JudgeEvery.Nanoseconds()
	if f.trigger == "" && !judge {
		return
	}
	s := f.saved()
	if judge {
		f.judged = end
	}
	f.busy, f.trigger = true, ""
	f.finished.Go(func() {
		err := f.work(s, judge)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.busy, f.failed = false, errors.Join(f.failed, err)
		if f.trigger != "" {
			f.start()
		}
	})
}

// work saves what is to be saved, and else judges it.
func (f *Flight) work(s *Saved, judge bool) error {
	if judge {
		why, err := f.judge(s)
		if err != nil {
			return err
		}
		// What stays broken is saved once.
		if why != "" && why != f.broken {
			want(&s.Why, why)
		}
		f.broken = why
	}
	if s.Why == "" {
		return nil
	}
	return f.o.Save(s)
}

// saved is what the ring holds now: the batches as they are, but for the first, of which a part may be too old.
func (f *Flight) saved() *Saved {
	s := &Saved{Why: f.trigger, Schema: f.schema, Batches: slices.Clone(f.ring)}
	from := f.end() - f.o.Last.Nanoseconds()
	for len(s.Batches) > 0 {
		b := s.Batches[0]
		lo, _ := slices.BinarySearchFunc(b.End, from, func(end, from int64) int {
			if end <= from {
				return -1
			}
			return 1
		})
		if lo < b.Len() || b.Len() == 0 && len(s.Batches) == 1 {
			if s.Batches[0] = b.Slice(lo, b.Len()); lo > 0 {
				s.Batches[0].Warnings = b.Warnings
			}
			break
		}
		s.Batches = s.Batches[1:]
	}
	if len(s.Batches) > 0 {
		first := *s.Batches[0]
		first.Warnings = append(slices.Clone(f.said), first.Warnings...)
		if f.short {
			first.Warnings = append(first.Warnings, fmt.Sprintf(
				"there was no room to keep the last %v: samples come faster than every %v", f.o.Last, f.o.Period))
		}
		s.Batches[0] = &first
	}
	return s
}

// judge hands the samples over as a capture.
func (f *Flight) judge(s *Saved) (string, error) {
	c, err := s.Capture()
	if err != nil {
		return "", fmt.Errorf("record: judge the last samples: %w", err)
	}
	return f.o.Judge(c)
}

// Capture is what was kept, in memory.
func (s *Saved) Capture() (*capture.Capture, error) {
	all := capture.NewCollector(s.Schema)
	for _, b := range s.Batches {
		all.Add(b)
	}
	clock := ""
	if a := s.Schema.Config.Axis; a != nil {
		clock = a.Clock
	}
	return capture.New(all.Config(clock))
}

// Close has the end of the recording saved, and waits for that.
func (f *Flight) Close() error {
	f.finished.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil {
		return f.failed
	}
	if f.end() == 0 {
		return nil // there is no sample
	}
	want(&f.trigger, "the recording ended")
	s := f.saved()
	f.trigger = ""
	return f.o.Save(s)
}
