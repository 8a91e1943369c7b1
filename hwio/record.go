package hwio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/spelling"
)

// Sink takes the batches of a recording, such as the writer of a native capture file. It is used by one goroutine.
type Sink interface {
	// Write keeps nothing of the batch: its memory is filled again.
	Write(b *capture.Batch) error
	// Close completes what was written. It is called once, also after a failed Write.
	Close() error
}

// Period limits. Below the shortest a timer interrupt takes longer than the reading; above the longest a recording says nothing.
const (
	MinPeriod     = 50 * time.Microsecond
	MaxPeriod     = time.Hour
	DefaultPeriod = 10 * time.Millisecond
)

// Options describe a recording.
type Options struct {
	Sources  []Source
	Counters []string      // names or globs; none means each source's default set
	Period   time.Duration // 0 is DefaultPeriod
	Duration time.Duration // 0 records until the context ends or the command or process exits; a command that still runs then is told to end
	PID      int           // a process to measure, 0 for the whole machine
	Command  *Command      // a command to start and measure; excludes PID

	// Marks is the path of a FIFO to make, from which marks, regions and frames are read (see Marks); "" for none.
	Marks string

	// SourceOptions are handed to every source that has options of that name (Configurable).
	SourceOptions map[string]string
	// Rounds are measured one after the other into one recording, each with options of its own on top of SourceOptions: the command is run
	// once per round, or Duration is measured once per round. RoundLabel names the label that holds each sample's round.
	Rounds     []Round
	RoundLabel string

	// Create makes the sink once the columns are known. schema.Config.StartTime is the wall clock at time 0, less the time
	// that Create takes.
	Create func(schema *capture.Schema) (Sink, error)

	// Progress is called about ten times a second from a goroutine of its own.
	Progress func(Progress)

	// FlushEvery is the longest time that samples stay in memory before they go to the sink; 0 is 200 ms. A batch with longer
	// periods holds one sample.
	FlushEvery time.Duration
	// MaxBatches bounds the batches between the sampling thread and the sink; 0 is up to 64, fewer if they are large. When all are
	// waiting for the sink, ticks are skipped and counted as dropped.
	MaxBatches int

	// Warnings are added to the recording's own.
	Warnings []string

	pacer pacer // of a test
}

// Progress is the state of a recording under way.
type Progress struct {
	Elapsed  time.Duration
	Duration time.Duration // 0 where the recording has no fixed end
	Samples  uint64
	Missed   uint64
	Dropped  uint64
}

// Result is what became of a recording.
type Result struct {
	Samples  uint64
	Duration time.Duration // from the first read to the last
	Missed   uint64        // ticks that passed before the sampling thread ran
	Dropped  uint64        // ticks without a read because the sink was too slow
	Columns  int
	Sources  []string

	// How well the pacing worked: the real time between reads, and the time that the reads of one tick took.
	IntervalMedian, IntervalP99, IntervalMax time.Duration
	ReadMean, ReadMax                        time.Duration
	// SamplingCPU is the processor time of the sampling thread, 0 if unknown.
	SamplingCPU time.Duration

	Exit        *Exit // of the command
	Interrupted bool  // the context ended the recording
	Warnings    []string
}

// Record opens the sources, reads them all on every tick and pours the samples into the sink until the duration is over, the
// command or process has exited, or the context ends. However it ends, the sink is closed, so that a file is complete.
//
// A sample covers the time from one real read to the next, never the nominal period. Where ticks were missed or dropped the
// next sample covers their time too: counts are kept, only resolution is lost. A late span with the number of lost ticks
// marks that sample, and a warning sums them up.
//
// An error after the recording began comes with the Result of what was recorded.
func Record(ctx context.Context, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(o.Rounds) > 1 {
		return recordRounds(ctx, o)
	}
	if len(o.Rounds) == 1 {
		o = o.inRound(o.Rounds[0])
	}
	r := newRecorder(o)
	if err := r.setup(ctx); err != nil {
		r.teardown()
		return nil, err
	}
	err := r.record(ctx)
	r.teardown()
	return r.res, err
}

func (o *Options) check() error {
	switch {
	case len(o.Sources) == 0:
		return errors.New("record: no source was given")
	case o.Create == nil:
		return errors.New("record: nowhere to write to")
	case o.Command != nil && o.PID != 0:
		return errors.New("record: measure either a command or a running process, not both")
	case o.Command != nil && len(o.Command.Args) == 0:
		return errors.New("record: the command is empty")
	case o.PID < 0:
		return fmt.Errorf("record: %d is no process number", o.PID)
	case o.Duration < 0:
		return fmt.Errorf("record: the duration %v is negative", o.Duration)
	case len(o.Rounds) > 1 && o.RoundLabel == "":
		return errors.New("record: several rounds need a label that tells them apart")
	case len(o.Rounds) > 1 && o.Command == nil && o.Duration == 0:
		return fmt.Errorf("record: %d rounds follow one another only where each ends: give a duration, or a command to run once per round", len(o.Rounds))
	}
	if err := o.checkOptions(); err != nil {
		return err
	}
	if o.Period == 0 {
		o.Period = DefaultPeriod
	}
	if o.Period < MinPeriod || o.Period > MaxPeriod {
		return fmt.Errorf("record: the period %v is not between %v and %v", o.Period, MinPeriod, MaxPeriod)
	}
	if len(o.Rounds) > 1 {
		if err := o.checkRounds(); err != nil {
			return err
		}
	}
	if o.FlushEvery <= 0 {
		o.FlushEvery = 200 * time.Millisecond
	}
	return nil
}

// setup starts the command at its gate, opens the streams and creates the sink.
func (r *recorder) setup(ctx context.Context) error {
	o := &r.opt
	var err error
	if r.pacer = o.pacer; r.pacer == nil {
		if r.pacer, err = newPacer(); err != nil {
			return err
		}
	}
	req := Request{Counters: o.Counters, Period: o.Period, PID: o.PID}
	if o.PID != 0 {
		if r.watch, err = watchProcess(o.PID, r.stopNow); err != nil {
			return err
		}
	}
	if o.Command != nil {
		if r.child, err = startGated(ctx, o.Command, r.stopNow); err != nil {
			return err
		}
		req.PID, req.OnExec = r.child.pid, true
	}
	if o.Marks != "" {
		if r.marks, err = OpenMarks(o.Marks); err != nil {
			return err
		}
	}
	if err := r.open(ctx, req); err != nil {
		return err
	}
	if r.marks != nil {
		r.frames = len(r.schema.Labels)
		r.schema.Labels = append(r.schema.Labels, frameLabel)
	}
	r.schema.Config.Warnings = append(r.schema.Config.Warnings, o.Warnings...)
	r.schema.Config.Name = strings.Join(r.res.Sources, "+")
	r.schema.Config.Format = "recording"
	r.schema.Config.StartTime = time.Now()
	sink, err := o.Create(&r.schema)
	if err != nil {
		return err // sink may be a nil pointer of some type, which is no nil Sink
	}
	r.sink = sink
	r.res.Columns = len(r.schema.Columns)
	return nil
}

// open opens every source, and checks that each pattern found a counter in one of them.
func (r *recorder) open(ctx context.Context, req Request) error {
	var streams []Stream
	var names []string
	for _, src := range r.opt.Sources {
		req.Options = optionsOf(src, r.opt.SourceOptions)
		s, err := src.Open(ctx, req)
		if errors.Is(err, ErrNoMatch) {
			continue
		}
		if err != nil {
			closeAll(streams)
			return fmt.Errorf("open source %s: %w", src.Name(), err)
		}
		streams, names = append(streams, s), append(names, src.Name())
	}
	for _, p := range req.Counters {
		if !slices.ContainsFunc(streams, func(s Stream) bool { return matchesColumn(p, s.Schema()) || matchesMore(p, s) }) {
			closeAll(streams)
			return r.unmatched(ctx, p)
		}
	}
	if len(streams) == 0 {
		return errors.New("record: no source has a counter to measure here")
	}
	r.members, r.schema = combine(names, streams)
	r.res.Sources = names
	if len(r.schema.Columns) == 0 {
		return fmt.Errorf("record: %s has no counter to measure here", strings.Join(names, " and "))
	}
	return nil
}

func matchesColumn(pattern string, s *capture.Schema) bool {
	return slices.ContainsFunc(s.Columns, func(c capture.ColumnSpec) bool { return Match(pattern, &c.Meta) })
}

// matchesMore asks a stream that takes more names than those of its columns.
func matchesMore(pattern string, s Stream) bool {
	m, ok := s.(Matcher)
	return ok && m.Matches(pattern)
}

// unmatched is the error for a pattern that fits nothing, with the names that may have been meant.
func (r *recorder) unmatched(ctx context.Context, pattern string) error {
	var known, sources []string
	for _, src := range r.opt.Sources {
		sources = append(sources, src.Name())
		metas, err := src.Counters(ctx)
		if err != nil {
			continue
		}
		for i := range metas {
			known = append(known, metas[i].Name)
		}
		if n, ok := src.(Namer); ok {
			known = append(known, n.Names(ctx)...)
		}
	}
	where := strings.Join(sources, " and ")
	if near := spelling.Near(pattern, known); len(near) > 0 && !IsGlob(pattern) {
		return fmt.Errorf("no counter of %s is called %q; did you mean %s?", where, pattern, strings.Join(near, " or "))
	}
	return fmt.Errorf("no counter of %s matches %q; `astrolabe sources` lists what can be measured here", where, pattern)
}

func closeAll(streams []Stream) {
	for _, s := range streams {
		// The error that led here is the one to report.
		_ = s.Close()
	}
}
