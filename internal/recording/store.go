package recording

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio"
)

// StoreFlags say what a recording is written into.
type StoreFlags struct {
	Out         string
	Split, Last time.Duration
}

// Register adds the flags.
func (f *StoreFlags) Register(flags *pflag.FlagSet) {
	flags.StringVarP(&f.Out, "output", "o", "",
		"the `FILE` to write, with --split the folder (default NAME-DATE-TIME.arrow, the folder without .arrow)")
	TimeVar(flags, &f.Split, "split", 0, "s", "write parts of this `TIME` into a folder, which opens as one capture")
	TimeVar(flags, &f.Last, "last", 0, "s",
		"keep this `TIME` in memory, and write it on the signal USR1, on a mark, when a budget breaks, and at the end")
}

// Bounds of the times of StoreFlags: a part or file that is shorter than a flush holds no whole batch.
const (
	shortestSplit = time.Second
	ShortestLast  = time.Second
)

// foreign are endings of files in other formats, which a recording would have for nothing.
var foreign = []string{".csv", ".tsv", ".parquet", ".json", ".jsonl", ".pftrace", ".perfetto-trace", ".prom", ".txt", ".png", ".svg", ".pdf", ".md", ".html"}

// Check refuses what makes no sense.
func (f *StoreFlags) Check() error {
	switch {
	case f.Split != 0 && f.Last != 0:
		return errors.New("--split writes all of a recording and --last its end: give one of them")
	case f.Split != 0 && f.Split < shortestSplit:
		return fmt.Errorf("--split=%v is less than %v", f.Split, shortestSplit)
	case f.Last != 0 && f.Last < ShortestLast:
		return fmt.Errorf("--last=%v is less than %v", f.Last, ShortestLast)
	case f.Out == "-":
		return errors.New("a recording needs a file, or the path of a pipe; - is none")
	case slices.Contains(foreign, strings.ToLower(filepath.Ext(f.Out))):
		name := strings.TrimSuffix(f.Out, filepath.Ext(f.Out)) + ".arrow"
		return fmt.Errorf("a recording is an Arrow file: record into %s, then astrolabe convert %[1]s %s", name, f.Out)
	case f.Split != 0 && strings.HasSuffix(f.Out, ".arrow"):
		return fmt.Errorf("--split writes a folder: name it without .arrow, not %s", f.Out)
	}
	return nil
}

// Named is the name of a recording that the user gave none.
func (f *StoreFlags) Named(what string) string {
	if f.Split > 0 {
		return strings.TrimSuffix(FileName(what), ".arrow")
	}
	return FileName(what)
}

// CheckOutput finds out whether the recording could be written, before anything is measured.
func (f *StoreFlags) CheckOutput() error {
	if f.Split > 0 {
		return formats.CheckOutputFolder(f.Out)
	}
	return formats.CheckOutput(f.Out)
}

// Store is where a recording goes.
type Store struct {
	Flags  *StoreFlags
	Period time.Duration
	Warn   func(text string)
	Say    func(text string)
	Wrote  func(path string) // is told each file of --last
	// Judge says why what --last keeps is to be written, "" for no reason; nil judges nothing.
	Judge func(c *capture.Capture) (why string, err error)

	ctx    context.Context
	files  int    // that --last has written
	last   string // the newest of them
	failed error  // of those that could not be written
}

// Create returns hwio.Options.Create.
func (st *Store) Create(ctx context.Context) func(*capture.Schema) (hwio.Sink, error) {
	st.ctx = ctx
	return func(schema *capture.Schema) (hwio.Sink, error) {
		switch f := st.Flags; {
		case f.Split > 0:
			return arrow.CreateSplit(f.Out, *schema, f.Split, st.Warn)
		case f.Last > 0:
			return st.flight(schema)
		default:
			return CreateFile(f.Out, st.Warn)(schema)
		}
	}
}

// Path is what was written last.
func (st *Store) Path() string {
	if st.Flags.Last > 0 {
		return st.last
	}
	return st.Flags.Out
}

// flight makes a sink that keeps the end of the recording.
func (st *Store) flight(schema *capture.Schema) (hwio.Sink, error) {
	o := hwio.FlightOptions{Last: st.Flags.Last, Period: st.Period, Save: st.save}
	if st.Judge != nil {
		o.Judge = st.Judge
		o.JudgeEvery = min(max(st.Flags.Last/10, time.Second), 10*time.Second)
		// What the budgets ask for in vain is found out now.
		none, err := (&hwio.Saved{Schema: schema}).Capture()
		if err != nil {
			return nil, err
		}
		if _, err := st.Judge(none); err != nil {
			return nil, err
		}
	}
	flight, err := hwio.NewFlight(schema, o)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(st.ctx)
	OnSaveSignal(ctx, func() { flight.Trigger("signal USR1") })
	return &flightSink{flight, st, stop}, nil
}

// flightSink ends the wait for signals with the recording, and then tells what went wrong during it.
type flightSink struct {
	*hwio.Flight
	st   *Store
	stop context.CancelFunc
}

func (s *flightSink) Close() error {
	s.stop()
	return errors.Join(s.Flight.Close(), s.st.failed)
}

// save writes what was kept into the next free file. Where that fails the recording goes on: there may be room the next
// time.
func (st *Store) save(s *hwio.Saved) error {
	if err := st.write(s); err != nil {
		st.Warn(fmt.Sprintf("the last %v (%s) are not written: %v", st.Flags.Last, s.Why, err))
		st.failed = errors.Join(st.failed, err)
	}
	return nil
}

func (st *Store) write(s *hwio.Saved) error {
	path, err := st.next()
	if err != nil {
		return err
	}
	schema := *s.Schema
	schema.Config.Properties = append(schema.Config.Properties[:len(schema.Config.Properties):len(schema.Config.Properties)],
		capture.Property{Name: "saved_because", IsText: true, Text: s.Why})
	w, err := CreateFile(path, st.Warn)(&schema)
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
	st.Say(fmt.Sprintf("the last %v are written: %s", st.Flags.Last, s.Why))
	st.Wrote(path)
	return nil
}

// next is the first name that no file has.
func (st *Store) next() (string, error) {
	ext := filepath.Ext(st.Flags.Out)
	base := strings.TrimSuffix(st.Flags.Out, ext)
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

// file is the native file of a recording.
type file struct {
	*arrow.Writer
	broken bool // a batch could not be written
	warn   func(string)
}

// CreateFile returns hwio.Options.Create for a native file at path.
func CreateFile(path string, warn func(string)) func(*capture.Schema) (hwio.Sink, error) {
	return func(schema *capture.Schema) (hwio.Sink, error) {
		w, err := arrow.Create(path, *schema)
		if err != nil {
			return nil, err
		}
		return &file{Writer: w, warn: warn}, nil
	}
}

func (f *file) Write(b *capture.Batch) error {
	err := f.Writer.Write(b)
	f.broken = f.broken || err != nil
	return err
}

// Close completes the file. That there was no room for its footer loses nothing, and is no error.
func (f *file) Close() error {
	err := f.Writer.Close()
	if !errors.Is(err, arrow.ErrNoFooter) {
		return err
	}
	if !f.broken { // else the error of Write says it all
		f.warn(err.Error() + "; astrolabe repair adds it")
	}
	return nil
}
