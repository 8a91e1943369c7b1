package hwio

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"astrolabe/capture"
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

// Flight is a Sink that keeps the last samples in memory and has them saved when it is told to: by Trigger, by a mark,
// by a judgement, and at the end. Its memory depends on what it keeps and not on how long it runs.
type Flight struct {
	o FlightOptions

	mu       sync.Mutex
	ring     *Ring
	asked    string // why the ring is to be saved once it has the next batch, "" for no reason
	trigger  string // why it is to be saved now
	judged   int64  // end of the last sample that was judged
	broken   string // what the judgement before said; of the worker
	busy     bool   // the worker has work
	failed   error  // of Save or Judge
	finished sync.WaitGroup
}

// NewFlight returns a sink without samples. It refuses what would not fit into memory.
func NewFlight(s *capture.Schema, o FlightOptions) (*Flight, error) {
	if o.Save == nil {
		return nil, errors.New("record: a place to save is needed")
	}
	ring, err := NewRing(s, o.Last, o.Period)
	if err != nil {
		return nil, err
	}
	return &Flight{o: o, ring: ring}, nil
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
	f.ring.Keep(b.Clone())
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

// start gives the worker work where there is some and it has none.
func (f *Flight) start() {
	if f.busy || f.failed != nil {
		return
	}
	end := f.ring.End()
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

// saved is what the ring holds now, and why it is to be saved.
func (f *Flight) saved() *Saved {
	s := f.ring.Saved(f.o.Last)
	s.Why = f.trigger
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

// Close has the end of the recording saved, and waits for that.
func (f *Flight) Close() error {
	f.finished.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil {
		return f.failed
	}
	if f.ring.End() == 0 {
		return nil // there is no sample
	}
	want(&f.trigger, "the recording ended")
	s := f.saved()
	f.trigger = ""
	return f.o.Save(s)
}
