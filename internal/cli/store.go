package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/internal/budget"
)

// storeFlags say what a recording is written into.
type storeFlags struct {
	out             string
	split, last     time.Duration
	budgets, limits []string
}

func (f *storeFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "",
		"the `FILE` to write, with --split the folder (default NAME-DATE-TIME.arrow, the folder without .arrow)")
	timeVar(flags, &f.split, "split", 0, "s", "write parts of this `TIME` into a folder, which opens as one capture")
	timeVar(flags, &f.last, "last", 0, "s",
		"keep this `TIME` in memory, and write it on the signal USR1, on a mark, when a budget breaks, and at the end")
	flags.StringArrayVar(&f.budgets, "budget", nil,
		"with --last, the `FILE` with limits, as of check; may be given several times")
	flags.StringArrayVar(&f.limits, "limit", nil,
		"with --last, a `LIMIT` on a total, such as \"major_faults < 100\"; may be given several times")
}

// Bounds of the times of storeFlags: a part or file that is shorter than a flush holds no whole batch.
const (
	shortestSplit = time.Second
	shortestLast  = time.Second
)

func (f *storeFlags) check() error {
	switch {
	case f.split != 0 && f.last != 0:
		return usagef("--split writes all of a recording and --last its end: give one of them")
	case f.split != 0 && f.split < shortestSplit:
		return usagef("--split=%v is less than %v", f.split, shortestSplit)
	case f.last != 0 && f.last < shortestLast:
		return usagef("--last=%v is less than %v", f.last, shortestLast)
	case len(f.budgets)+len(f.limits) > 0 && f.last == 0:
		return usagef("--budget and --limit say when --last is to be written; astrolabe check judges a capture")
	case f.split != 0 && strings.HasSuffix(f.out, ".arrow"):
		return usagef("--split writes a folder: name it without .arrow, not %s", f.out)
	}
	return nil
}

// named is the name of a recording that the user gave none.
func (f *storeFlags) named(what string) string {
	if f.split > 0 {
		return strings.TrimSuffix(recordingName(what), ".arrow")
	}
	return recordingName(what)
}

// store is where a recording goes.
type store struct {
	app     *app
	flags   *storeFlags
	period  time.Duration
	budgets []*budget.Budget

	files  int    // that --last has written
	last   string // the newest of them
	failed error  // of those that could not be written
}

// store checks the output, and reads the budgets, before anything is measured.
func (a *app) store(f *storeFlags, period time.Duration) (*store, error) {
	st := &store{app: a, flags: f, period: period}
	if f.split > 0 {
		return st, formats.CheckOutputFolder(f.out)
	}
	if err := formats.CheckOutput(f.out); err != nil {
		return nil, err
	}
	var err error
	if st.budgets, err = a.readBudgets(f.budgets); err != nil {
		return nil, err
	}
	if len(f.limits) > 0 {
		b, err := budget.Inline(f.limits)
		if err != nil {
			return nil, usagef("--limit: %v", err)
		}
		st.budgets = append(st.budgets, b)
	}
	return st, nil
}

// create is hwio.Options.Create.
func (st *store) create(schema *capture.Schema) (hwio.Sink, error) {
	f := st.flags
	switch {
	case f.split > 0:
		return arrow.CreateSplit(f.out, *schema, f.split, st.app.warn)
	case f.last > 0:
		return st.flight(schema)
	}
	return st.app.createFile(f.out)(schema)
}

// path is what was written last.
func (st *store) path() string {
	if st.flags.last > 0 {
		return st.last
	}
	return st.flags.out
}

// tell prints the path of the recording; those of --last were printed when they were written.
func (st *store) tell() {
	if st.flags.last == 0 {
		st.app.wrote(st.flags.out)
	}
}

// flight makes a sink that keeps the end of the recording.
func (st *store) flight(schema *capture.Schema) (hwio.Sink, error) {
	o := hwio.FlightOptions{Last: st.flags.last, Period: st.period, Save: st.save}
	if len(st.budgets) > 0 {
		o.Judge = st.judge
		o.JudgeEvery = min(max(st.flags.last/10, time.Second), 10*time.Second)
		// What the budgets ask for in vain is found out now.
		none, err := (&hwio.Saved{Schema: schema}).Capture()
		if err != nil {
			return nil, err
		}
		if _, err := st.judge(none); err != nil {
			return nil, err
		}
	}
	flight, err := hwio.NewFlight(schema, o)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(st.app.ctx)
	onSaveSignal(ctx, func() { flight.Trigger("signal USR1") })
	return &flightSink{flight, st, stop}, nil
}

// flightSink ends the wait for signals with the recording, and then tells what went wrong during it.
type flightSink struct {
	*hwio.Flight
	st   *store
	stop context.CancelFunc
}

func (s *flightSink) Close() error {
	s.stop()
	return errors.Join(s.Flight.Close(), s.st.failed)
}

// judge holds the samples that are kept against the budgets, and returns what is broken.
func (st *store) judge(c *capture.Capture) (string, error) {
	c, err := metrics.Describe(c)
	if err != nil {
		return "", err
	}
	ask := newAsker(st.app)
	var broken []string
	for _, b := range st.budgets {
		j, err := budget.Judge(st.app.ctx, b, c, ask)
		if err != nil {
			return "", err
		}
		for _, r := range j.Results {
			if r.Verdict == budget.Broken {
				broken = append(broken, r.Limit.Label())
			}
		}
	}
	if len(broken) == 0 {
		return "", nil
	}
	return "budget broken: " + strings.Join(broken, ", "), nil
}

// save writes what was kept into the next free file. Where that fails the recording goes on: there may be room the next
// time.
func (st *store) save(s *hwio.Saved) error {
	if err := st.write(s); err != nil {
		st.app.warn(fmt.Sprintf("the last %v (%s) are not written: %v", st.flags.last, s.Why, err))
		st.failed = errors.Join(st.failed, err)
	}
	return nil
}

func (st *store) write(s *hwio.Saved) error {
	path, err := st.next()
	if err != nil {
		return err
	}
	schema := *s.Schema
	schema.Config.Properties = append(schema.Config.Properties[:len(schema.Config.Properties):len(schema.Config.Properties)],
		capture.Property{Name: "saved_because", IsText: true, Text: s.Why})
	w, err := st.app.createFile(path)(&schema)
	if err != nil {
		return err
	}
	for _, b := range s.Batches {
		if err = w.Write(b); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	st.last = path
	st.app.say(fmt.Sprintf("the last %v are written: %s", st.flags.last, s.Why))
	st.app.wrote(path)
	return nil
}

// next is the first name that no file has.
func (st *store) next() (string, error) {
	ext := filepath.Ext(st.flags.out)
	base := strings.TrimSuffix(st.flags.out, ext)
	for {
		st.files++
		path := fmt.Sprintf("%s-%04d%s", base, st.files, ext)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", formats.WriteError(path, err)
		}
	}
}
