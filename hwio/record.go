package hwio

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
)

// Sink takes the batches of a recording, such as the writer of a native capture file. It is used by one goroutine.
type Sink interface {
	// Write keeps nothing of the batch: its memory is filled again.
	Write(b *capture.Batch) error
	// Close completes what was written. It is called once, also after a failed Write.
	Close() error
}

// Period limits. Below the shortest a timer interrupt takes longer than the reading; above the longest a recording says
// nothing.
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
	// Periods are those of single sources, by name. Others have Period, and may be read less often (Paced).
	Periods  map[string]time.Duration
	Duration time.Duration // 0 records until the context ends or the command or process exits; a command that still runs then is told to end
	PID      int           // a process to measure, 0 for the whole machine
	Command  *Command      // a command to start and measure; excludes PID

	// OwnCost adds columns of what the recording itself takes.
	OwnCost bool
	// OwnProcess says that this process does nothing else meanwhile: Go's scheduler is set to what costs least then.
	OwnProcess bool

	// Marks is the path of a FIFO to make, from which marks, regions and frames are read (see markFIFO); "" for none.
	Marks string
	// Marker takes marks of this program; nil for none.
	Marker *Marker

	// SourceOptions are handed to every source that has options of that name (Configurable).
	SourceOptions map[string]string
	// Rounds are measured one after the other into one recording, each with options of its own on top of SourceOptions:
	// the command is run once per round, or Duration is measured once per round. RoundLabel names the label that holds
	// each sample's round.
	Rounds     []Round
	RoundLabel string

	// Create makes the sink once the columns are known. schema.Config.StartTime is the wall clock at time 0, less the
	// time that Create takes.
	Create func(schema *capture.Schema) (Sink, error)

	// Progress is called about ten times a second from a goroutine of its own.
	Progress func(Progress)

	// FlushEvery is the longest time that samples stay in memory before they go to the sink; 0 is 400 ms. A batch with
	// longer periods holds one sample.
	FlushEvery time.Duration
	// MaxBatches bounds the batches between the sampling thread and the sink; 0 is up to 64, fewer if they are large.
	// When all are waiting for the sink, ticks are skipped and counted as dropped.
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
	// CPU is the processor time of this program during the recording, 0 if unknown.
	CPU time.Duration

	Exit        *Exit // of the command
	Interrupted bool  // the context ended the recording
	Warnings    []string
}

// check refuses options that contradict each other, and fills in what was left to the recorder.
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
	if err := o.checkPeriods(); err != nil {
		return err
	}
	if len(o.Rounds) > 1 {
		if err := o.checkRounds(); err != nil {
			return err
		}
	}
	if o.FlushEvery <= 0 {
		o.FlushEvery = 400 * time.Millisecond
	}
	return nil
}

// slowestBeside is how long samples may wait for a source that is read less often: they are in memory until then.
const slowestBeside = 10 * time.Second

func (o *Options) checkPeriods() error {
	if o.Period < MinPeriod || o.Period > MaxPeriod {
		return fmt.Errorf("record: the period %v is not between %v and %v", o.Period, MinPeriod, MaxPeriod)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Periods)) {
		var names []string
		for _, s := range o.Sources {
			names = append(names, s.Name())
		}
		if !slices.Contains(names, name) {
			return fmt.Errorf("record: a period is given for %q, which is not recorded here; there is %s", name,
				strings.Join(names, " and "))
		}
		if p, most := o.Periods[name], max(o.Period, slowestBeside); p < MinPeriod || p > most {
			return fmt.Errorf("record: the period %v of %s is not between %v and %v", p, name, MinPeriod, most)
		}
	}
	return nil
}

// periodOf is the period of a source.
func (o *Options) periodOf(source string) time.Duration {
	if p, ok := o.Periods[source]; ok {
		return p
	}
	return o.Period
}
