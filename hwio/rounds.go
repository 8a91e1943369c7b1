package hwio

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/spelling"
)

// Round is one of several measurements in a recording.
type Round struct {
	Name    string            // value of the label
	Options map[string]string // of the sources
}

// inRound returns the options of one round.
func (o Options) inRound(r Round) Options {
	merged := map[string]string{}
	maps.Copy(merged, o.SourceOptions)
	maps.Copy(merged, r.Options)
	o.SourceOptions, o.Rounds = merged, nil
	return o
}

// optionsOf picks the options that a source has.
func optionsOf(src Source, given map[string]string) map[string]string {
	c, ok := src.(Configurable)
	if !ok || len(given) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, opt := range c.Options() {
		if v, set := given[opt.Name]; set {
			out[opt.Name] = v
		}
	}
	return out
}

// checkOptions finds options that no source has.
func (o *Options) checkOptions() error {
	known := map[string]bool{}
	var list []string
	for _, src := range o.Sources {
		if c, ok := src.(Configurable); ok {
			for _, opt := range c.Options() {
				known[opt.Name] = true
				list = append(list, opt.Name)
			}
		}
	}
	all := []map[string]string{o.SourceOptions}
	for _, r := range o.Rounds {
		all = append(all, r.Options)
	}
	for _, given := range all {
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if known[name] {
				continue
			}
			var names []string
			for _, s := range o.Sources {
				names = append(names, s.Name())
			}
			what := strings.Join(names, " and ")
			if len(list) == 0 {
				return fmt.Errorf("record: %s has no option %q; it has none at all", what, name)
			}
			if near := spelling.Near(name, list); len(near) > 0 {
				return fmt.Errorf("record: %s has no option %q; did you mean %s?", what, name,
					strings.Join(near, " or "))
			}
			return fmt.Errorf("record: %s has no option %q; it has %s", what, name, strings.Join(list, ", "))
		}
	}
	return nil
}

// checkRounds asks the sources whether they will take every round, so that none is measured in vain.
func (o *Options) checkRounds() error {
	for i, round := range o.Rounds {
		if round.Name == "" {
			return fmt.Errorf("record: round %d of %d has no name", i+1, len(o.Rounds))
		}
		own := o.inRound(round)
		for _, src := range o.Sources {
			c, ok := src.(Checker)
			if !ok {
				continue
			}
			req := Request{Counters: o.Counters, Period: o.periodOf(src.Name()), PID: o.PID,
				Options: optionsOf(src, own.SourceOptions)}
			if err := c.Check(req); err != nil && !errors.Is(err, ErrNoMatch) {
				return fmt.Errorf("record: round %d (%s): source %s: %w", i+1, round.Name, src.Name(), err)
			}
		}
	}
	return nil
}

// recordRounds makes one recording of several measurements. All have the same columns; a label says whose round a
// sample is of, a region marks each, and the time between them is a gap.
func recordRounds(ctx context.Context, o Options) (*Result, error) {
	rounds := &roundSink{label: o.RoundLabel}
	var sum *Result
	var failed error
	said := roundWarnings{all: o.Warnings}
	for i, round := range o.Rounds {
		own := o.inRound(round)
		own.Create = func(schema *capture.Schema) (Sink, error) { return rounds.begin(schema, o.Create, round.Name) }
		if i > 0 {
			own.Warnings = nil // the first round has said them
		}
		r := newRecorder(own)
		rounds.recorder = r
		res, err := r.run(ctx)
		if res != nil {
			said.add(res.Warnings, round.Name)
			sum = addResult(sum, res)
		}
		if err != nil {
			failed = fmt.Errorf("round %d (%s): %w", i+1, round.Name, err)
			break
		}
		if ctx.Err() != nil {
			sum.Interrupted = true
			if i+1 < len(o.Rounds) {
				said.more = append(said.more, fmt.Sprintf("interrupted in round %d of %d", i+1, len(o.Rounds)))
			}
			break
		}
	}
	if sum != nil {
		sum.Warnings = said.merged()
	}
	if rounds.sink != nil {
		if err := rounds.sink.Close(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("complete the recording: %w", err))
		}
	}
	return sum, failed
}

// roundWarnings are the warnings of several rounds. What all of them say is told once, else the rounds are named behind
// it.
type roundWarnings struct {
	texts  []string
	in     map[string][]string // names of the rounds
	rounds int
	all    []string // about all of them, though only the first says it
	more   []string // about all of them, at the end
}

func (w *roundWarnings) add(warnings []string, round string) {
	if w.in == nil {
		w.in = map[string][]string{}
	}
	w.rounds++
	for _, text := range warnings {
		if _, known := w.in[text]; !known {
			w.texts = append(w.texts, text)
		}
		if !slices.Contains(w.in[text], round) {
			w.in[text] = append(w.in[text], round)
		}
	}
}

func (w *roundWarnings) merged() []string {
	var out []string
	for _, text := range w.texts {
		if in := w.in[text]; len(in) < w.rounds && !slices.Contains(w.all, text) {
			text = inRounds(text, in...)
		}
		out = append(out, text)
	}
	return append(out, w.more...)
}

func inRounds(text string, rounds ...string) string {
	return text + " (in " + strings.Join(rounds, ", ") + ")"
}

func addResult(sum, r *Result) *Result {
	if sum == nil {
		return r
	}
	sum.Samples += r.Samples
	sum.Duration += r.Duration
	sum.Missed += r.Missed
	sum.Dropped += r.Dropped
	sum.IntervalP99, sum.IntervalMax = max(sum.IntervalP99, r.IntervalP99), max(sum.IntervalMax, r.IntervalMax)
	sum.ReadMean, sum.ReadMax = max(sum.ReadMean, r.ReadMean), max(sum.ReadMax, r.ReadMax)
	sum.CPU += r.CPU
	sum.Interrupted = sum.Interrupted || r.Interrupted
	if r.Exit != nil && (sum.Exit == nil || sum.Exit.Code == 0) {
		sum.Exit = r.Exit
	}
	return sum
}

// roundSink hands the batches of all rounds to one sink, on one time axis.
type roundSink struct {
	label    string
	name     string // of the round under way
	sink     Sink
	columns  []capture.ColumnSpec
	labels   []string
	recorder *recorder // of the round under way
	epoch    int64     // of the first round
	from     int64     // end of the round before, since the epoch
	to       int64
	n        int // rounds begun
	names    []string
	out      capture.Batch
}

// begin is Options.Create of every round.
func (s *roundSink) begin(schema *capture.Schema, create func(*capture.Schema) (Sink, error),
	name string) (Sink, error) {
	s.n++
	s.name, s.from = name, s.to
	if s.sink != nil {
		if err := s.same(schema); err != nil {
			return nil, err
		}
		return s, nil
	}
	whole := *schema
	whole.Labels = append(slices.Clone(schema.Labels), s.label)
	// What differs from round to round is no property of the whole: metric_set, metric_set_guid.
	whole.Config.Properties = slices.DeleteFunc(slices.Clone(schema.Config.Properties),
		func(p capture.Property) bool { return strings.HasPrefix(p.Name, s.label) })
	s.columns, s.labels = schema.Columns, schema.Labels
	sink, err := create(&whole)
	if err != nil {
		return nil, err
	}
	s.sink = sink
	return s, nil
}

func (s *roundSink) same(schema *capture.Schema) error {
	if len(schema.Columns) != len(s.columns) || !slices.Equal(schema.Labels, s.labels) {
		return fmt.Errorf("it measures %d columns and the first round %d: record them one by one", len(schema.Columns),
			len(s.columns))
	}
	for i, c := range schema.Columns {
		if d := s.columns[i]; c.Meta.Name != d.Meta.Name || c.Meta.Instance != d.Meta.Instance ||
			c.Meta.Device != d.Meta.Device || c.Integer != d.Integer {
			return fmt.Errorf("its column %d is %s and the first round's %s: record them one by one", i+1, c.Meta.Name,
				d.Meta.Name)
		}
		// A counter that can be programmed has what it counts among its names.
		if !slices.Equal(c.Meta.Aliases, s.columns[i].Meta.Aliases) {
			return fmt.Errorf("its counter %s was programmed for something else than in the first round: choose a counter that all rounds have free, or record them one by one", c.Meta.Name)
		}
	}
	return nil
}

// Write moves the batch to the time of the first round and labels it.
func (s *roundSink) Write(b *capture.Batch) error {
	if s.epoch == 0 {
		s.epoch = s.recorder.epoch
	}
	shift := s.recorder.epoch - s.epoch
	for i := range b.Start {
		b.Start[i] += shift
		b.End[i] += shift
	}
	for _, list := range [][]capture.Gap{b.Gaps, b.Late} {
		for i := range list {
			list[i].Start += shift
			list[i].End += shift
		}
	}
	for i := range b.Regions {
		b.Regions[i].Start += shift
		b.Regions[i].End += shift
	}
	for i, w := range b.Warnings {
		b.Warnings[i] = inRounds(w, s.name)
	}
	s.names = s.names[:0]
	for range b.Start {
		s.names = append(s.names, s.name)
	}
	s.out = *b
	s.out.Labels = append(slices.Clone(b.Labels), s.names)
	if n := len(b.Start); n > 0 {
		if s.n > 1 && s.from < b.Start[0] && s.to <= s.from {
			s.out.Gaps = append(slices.Clone(b.Gaps), capture.Gap{Start: s.from, End: b.Start[0],
				Reason: capture.Reason{Code: capture.NotCollected, Text: "between two rounds nothing is measured"}})
		}
		s.to = b.End[n-1]
	}
	return s.sink.Write(&s.out)
}

// Close ends a round: its region is known now. The file is completed after the last round.
func (s *roundSink) Close() error {
	if s.to <= s.from {
		return nil
	}
	start := s.recorder.epoch - s.epoch
	end := capture.NewBatch(&capture.Schema{Columns: s.columns, Labels: append(slices.Clone(s.labels), s.label)}, 0)
	end.Regions = []capture.Region{{Name: s.name, Start: start, End: s.to}}
	return s.sink.Write(end)
}
