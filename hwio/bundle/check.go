package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio"
	"astrolabe/hwio/all"
	"astrolabe/hwio/internal/tape"
)

// Verdicts.
const (
	Holds     = "holds"
	Broken    = "broken"
	Undecided = "undecided" // nothing here tells
)

// Check is an identity with its verdict.
type Check struct {
	Source  string `json:"source,omitempty"`
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
}

// Judge computes all checks again from the raw answers, and says where that differs from what the archive says.
func (b *Bundle) Judge(ctx context.Context) []Check {
	out := b.judge(ctx)
	if !slices.Equal(out, b.Checks) {
		for _, c := range out {
			// What the archive does not have at all, the version that made it did not check.
			named := slices.ContainsFunc(b.Checks, func(o Check) bool { return o.Source == c.Source && o.Name == c.Name })
			if named && !slices.Contains(b.Checks, c) {
				out = append(out, Check{Name: "verdicts of the archive", Verdict: Broken,
					Text: fmt.Sprintf("%s came out otherwise when the archive was made, or by another version", c.Name)})
				break
			}
		}
	}
	return out
}

// judging gathers checks.
type judging struct {
	out []Check
}

func (j *judging) add(source, name string, ok bool, text string, args ...any) {
	verdict := Holds
	if !ok {
		verdict = Broken
	}
	j.out = append(j.out, Check{source, name, verdict, fmt.Sprintf(text, args...)})
}

func (j *judging) open(source, name, text string, args ...any) {
	j.out = append(j.out, Check{source, name, Undecided, fmt.Sprintf(text, args...)})
}

func (b *Bundle) judge(ctx context.Context) []Check {
	j := &judging{}
	j.add("", "whole", b.About.Dropped == 0, "%d of %d answers found no room", b.About.Dropped,
		b.About.Dropped+len(b.Events))
	if b.Capture == nil {
		j.open("", "recording", "there is none")
		return j.out
	}
	opened, err := b.OpenCapture(ctx)
	if err != nil {
		j.add("", "recording", false, "it cannot be read: %v", err)
		return j.out
	}
	defer opened.Close()
	c := opened.Capture
	j.timeline(c, b.About.Wall)
	j.counts(c)
	j.identities(ctx, c)
	for _, name := range b.About.Recorded {
		again, times, err := b.replay(ctx, name, c.Axis.Len())
		switch {
		case errors.Is(err, errNotPlayed), errors.Is(err, errShared):
			j.open(name, "capture from raw samples", "%v", err)
		case err != nil:
			j.add(name, "capture from raw samples", false, "they cannot be decoded again: %v", err)
		default:
			j.same(name, c, again, len(times) > 0, len(b.About.Recorded) == 1)
			j.stamps(name, again, times)
			if !again.kernel {
				j.drift(name, again, times)
			}
		}
	}
	return j.out
}

// Opened is a recording that lies in a folder of its own until it is closed.
type Opened struct {
	*capture.Capture
	Close func()
}

// OpenCapture opens the recording.
func (b *Bundle) OpenCapture(ctx context.Context) (*Opened, error) {
	dir, err := os.MkdirTemp("", "astrolabe-bundle-")
	if err != nil {
		return nil, err
	}
	done := func() { _ = os.RemoveAll(dir) }
	path := filepath.Join(dir, CaptureFile)
	if err := os.WriteFile(path, b.Capture, 0o600); err != nil {
		done()
		return nil, err
	}
	c, err := formats.NewRegistry(arrow.Format{}).Open(ctx, path, formats.Options{})
	if err != nil {
		done()
		return nil, err
	}
	return &Opened{c, done}, nil
}

// timeline checks that samples follow one another, and how much of the recording they cover.
func (j *judging) timeline(c *capture.Capture, wall int64) {
	a := c.Axis
	bad, covered := 0, int64(0)
	for i := range a.Start {
		if a.End[i] <= a.Start[i] || i > 0 && a.Start[i] < a.End[i-1] {
			bad++
		}
		covered += a.End[i] - a.Start[i]
	}
	j.add("", "samples in order", bad == 0, "%d of %d samples are empty or overlap the one before", bad, len(a.Start))
	if wall <= 0 || len(a.Start) == 0 {
		j.open("", "samples against wall time", "there are no samples, or nobody measured the time")
		return
	}
	for _, g := range c.Gaps {
		covered += g.End - g.Start
	}
	share := float64(covered) / float64(wall)
	j.add("", "samples against wall time", share > 0.8 && share < 1.25,
		"samples and gaps cover %.1f %% of the time by CLOCK_MONOTONIC", 100*share)
}

// counts checks what holds of every count: it never runs backwards, which a wrap that nobody noticed looks like, and
// nothing counts faster than any clock.
func (j *judging) counts(c *capture.Capture) {
	columns, wraps, fast, which := 0, 0, 0, ""
	eachColumn(c, func(m *capture.Meta, name string, col *capture.Column) {
		if m.Kind != capture.Delta || !col.Integers() {
			return
		}
		columns++
		d := col.Data()
		for i, v := range d.U {
			if v >= 1<<63 {
				wraps, which = wraps+1, ", such as of "+name
			} else if dt := c.Axis.End[i] - c.Axis.Start[i]; m.Unit == "cycles" && dt > 1e6 &&
				float64(v) > 10*float64(dt)*4096 {
				fast++ // 10 GHz, in as many units as the largest devices have
			}
		}
	})
	if columns == 0 {
		j.open("", "counts never run backwards", "there are no counts")
		return
	}
	j.add("", "counts never run backwards", wraps == 0, "%d values of %d counters are beyond 2^63%s", wraps, columns,
		which)
	j.add("", "cycles against wall time", fast == 0, "%d values would need a clock beyond 10 GHz", fast)
}

// eachColumn calls f with every column, and the name and the instance that its reader gave it.
func eachColumn(c *capture.Capture, f func(m *capture.Meta, name string, col *capture.Column)) {
	for _, x := range c.Counters {
		if x.Col != nil {
			f(&x.Meta, x.Name, x.Col)
		}
		for _, i := range x.Instances {
			if i.Col != nil {
				f(&i.Meta, x.Name, i.Col)
			}
		}
	}
}

var errShared = errors.New("its counts were divided among the samples of another source")

var errNotPlayed = errors.New("this reader cannot be played from answers yet")

// rows are the samples of a stream that was played.
type rows struct {
	schema *capture.Schema
	batch  *capture.Batch
	kernel bool // the kernel stamped the samples, by the clock that the recording has
	exact  bool // the reader was told everything at the same time as then, so that all must be the same to the last bit
}

// len is how many there are: the reader of a kernel's files leaves their times to the recorder.
func (r *rows) len() int {
	if n := r.batch.Len(); n > 0 || len(r.batch.Cols) == 0 {
		return n
	}
	return r.batch.Cols[0].Len()
}

// idleMost is how often a reader is asked in vain, each 10 ms after the time before: those that ask in the background answer late.
const idleMost = 100

// maxRows bounds the samples that are played again.
const maxRows = 1 << 20

// replay has the reader decode the raw answers again. The times are those at which the samples were fetched, in ns of
// CLOCK_MONOTONIC.
func (b *Bundle) replay(ctx context.Context, name string, samples int) (*rows, []int64, error) {
	at := slices.IndexFunc(b.Events, func(e tape.Event) bool { return e.Kind == tape.Phase && e.Path == phaseRecording })
	if at < 0 {
		return nil, nil, errors.New("the tape has no recording")
	}
	var src hwio.Playable
	for _, s := range all.Sources("/") {
		if p, ok := s.(hwio.Playable); ok && s.Name() == name {
			src = p
		}
	}
	if src == nil {
		return nil, nil, errNotPlayed
	}
	events := slices.Clone(b.Events[at:])
	var fetched []int64
	for _, e := range events {
		if len(e.Pieces) > 0 {
			fetched = append(fetched, b.About.Began+e.Time)
		}
	}
	// Selecting a source asks it for more than opening it: what it was asked before the recording comes first.
	player := tape.NewPlayer(events)
	played := src.Played(player, b.About.Offset)
	if !played.Probe(ctx).Usable {
		return nil, nil, errors.New("the reader finds nothing usable in the answers")
	}
	st, err := played.Open(ctx, hwio.Request{Period: time.Duration(b.About.Period)})
	if err != nil {
		return nil, nil, err
	}
	defer st.Close()
	if _, stamps := st.(hwio.Stamper); !stamps && len(b.About.Recorded) > 1 {
		return nil, nil, errShared
	}
	r := &rows{schema: st.Schema()}
	_, r.kernel = st.(hwio.Yielder)
	r.batch = capture.NewBatch(r.schema, 64)
	// Samples that a device delivers as a stream of bytes were there when it was read last.
	readings := func() {
		for at := player.Fetched(); at > 0 && len(fetched) < r.batch.Len(); {
			fetched = append(fetched, b.About.Began+at)
		}
	}
	// A last sample may come only when the end is asked for.
	for idle, left := 0, 0; idle < 3 || player.Left() > 1 && idle < idleMost && r.batch.Len() < maxRows; {
		before := r.batch.Len()
		if err := st.Read(ctx, r.batch); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		} else if err != nil {
			break
		}
		readings()
		if _, stamps := st.(hwio.Stamper); !stamps {
			if r.len() >= samples {
				break
			}
			continue
		}
		if n := player.Left(); r.batch.Len() == before && n == left {
			if idle++; idle > 3 {
				time.Sleep(10 * time.Millisecond) // readers that ask in the background
			}
		} else {
			idle, left = 0, n
		}
	}
	if f, ok := st.(hwio.Finisher); ok {
		if err := f.Finish(ctx, r.batch); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		readings()
	}
	r.exact = player.Fetched() > 0
	return r, fetched, nil
}

// same compares the capture with what came of the raw samples. alone says that no other source was recorded beside it:
// the columns of others are not looked at.
func (j *judging) same(source string, c *capture.Capture, again *rows, stamped, alone bool) {
	n := min(c.Axis.Len(), again.len())
	if c.Axis.Len() != again.len() {
		j.add(source, "capture from raw samples", false, "the capture has %d samples, the raw answers have %d",
			c.Axis.Len(), again.len())
		return
	}
	type id struct{ name, instance string }
	columns := map[id]int{}
	for i, s := range again.schema.Columns {
		columns[id{s.Meta.Name, s.Meta.Instance}] = i
	}
	values, other, missing, kind := 0, 0, 0, "integers"
	if again.exact {
		kind = "values"
	}
	eachColumn(c, func(m *capture.Meta, name string, col *capture.Column) {
		i, ok := columns[id{name, m.Instance}]
		switch {
		case !alone && m.Source != source:
		case !ok:
			missing++
		case again.schema.Columns[i].Integer != col.Integers():
			missing++
		case col.Integers() || again.exact:
			values += n
			other += differing(col.Data(), again.batch.Cols[i], n)
		}
	})
	j.add(source, "capture from raw samples", other == 0 && missing == 0 && values > 0,
		"%d of %d %s differ, %d counters are missing", other, values, kind, missing)
	if !stamped {
		j.open(source, "lengths of samples", "no device stamped them")
		return
	}
	far := 0
	for k := range n {
		was, is := c.Axis.End[k]-c.Axis.Start[k], again.batch.End[k]-again.batch.Start[k]
		if again.exact && was != is || math.Abs(float64(was-is)) > 0.01*float64(was)+20e3 && k > 0 {
			far++
		}
	}
	j.add(source, "lengths of samples", far == 0, "%d of %d are other by the raw stamps", far, n)
}

// differing counts the first n values that are not the same.
func differing(was, is capture.Data, n int) int {
	out := 0
	for k := range n {
		switch {
		case was.Missing(k) && is.Missing(k):
		case was.Missing(k) != is.Missing(k), was.U != nil && was.U[k] != is.U[k], was.U == nil && was.F[k] != is.F[k]:
			out++
		}
	}
	return out
}

// stamps compares the device's stamps with when its samples were fetched.
func (j *judging) stamps(source string, again *rows, fetched []int64) {
	if len(fetched) < again.batch.Len() || again.batch.Len() == 0 {
		j.open(source, "stamps against CLOCK_MONOTONIC", "samples have no fetch of their own")
		return
	}
	early := 0
	for k, end := range again.batch.End {
		if end > fetched[k]+5e6 {
			early++
		}
	}
	j.add(source, "stamps against CLOCK_MONOTONIC", early == 0,
		"%d of %d samples end more than 5 ms after they were fetched", early, again.batch.Len())
}
