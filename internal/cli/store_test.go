package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/internal/recording"
)

// storing is a recording of two counters into what the flags say; sample n of a millisecond has n and 2n.
type storing struct {
	t     *testing.T
	dir   string
	st    *store
	batch *capture.Batch
	sink  interface {
		Write(*capture.Batch) error
		Close() error
	}
	at   int
	talk *os.File
}

func newStoring(t *testing.T, f *storeFlags) *storing {
	t.Helper()
	s := &storing{t: t, dir: t.TempDir()}
	var err error
	if s.talk, err = os.Create(filepath.Join(t.TempDir(), "talk")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.talk.Close() })
	f.Out = filepath.Join(s.dir, f.Out)
	a := &app{ctx: t.Context(), out: newOutput(s.talk), talk: newTalk(s.talk)}
	if err := f.check(); err != nil {
		t.Fatal(err)
	}
	if s.st, err = a.store(f, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	schema := &capture.Schema{Config: capture.Config{GPU: "cpu"}, Columns: []capture.ColumnSpec{
		{Meta: capture.Meta{Name: "n"}, Integer: true}, {Meta: capture.Meta{Name: "twice"}, Integer: true}}}
	if s.sink, err = s.st.Create(t.Context())(schema); err != nil {
		t.Fatal(err)
	}
	s.batch = capture.NewBatch(schema, 100)
	return s
}

// write adds n samples, with a mark at the first unless that is "".
func (s *storing) write(n int, mark string) {
	s.t.Helper()
	b := s.batch
	b.Reset()
	for i := s.at; i < s.at+n; i++ {
		b.Start, b.End = append(b.Start, int64(i)*1e6), append(b.End, int64(i+1)*1e6)
		b.AppendInt(0, uint64(i))
		b.AppendInt(1, 2*uint64(i))
	}
	if mark != "" {
		b.Regions = append(b.Regions, capture.Region{Name: mark, Start: b.Start[0], End: b.Start[0]})
	}
	s.at += n
	if err := s.sink.Write(b); err != nil {
		s.t.Fatal(err)
	}
}

// close ends the recording and returns the names of its files.
func (s *storing) close() (names []string) {
	s.t.Helper()
	if err := s.sink.Close(); err != nil {
		s.t.Fatal(err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// check makes sure that a file or folder holds samples [from, to).
func (s *storing) check(name string, from, to int) *capture.Capture {
	s.t.Helper()
	c, err := all.Registry().Open(s.t.Context(), filepath.Join(s.dir, name), formats.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	if c.Len() != to-from || c.Axis.Start[0] != int64(from)*1e6 {
		s.t.Fatalf("%s holds %d samples from %d ns on, want [%d, %d)", name, c.Len(), c.Axis.Start[0], from, to)
	}
	sum := float64(to*(to-1)-from*(from-1)) / 2
	if n, twice := c.Counter("n").Total().Float(), c.Counter("twice").Total().Float(); n != sum || twice != 2*sum {
		s.t.Errorf("%s: totals %v and %v, want %v and twice that", name, n, twice, sum)
	}
	return c
}

func TestLastWritesNumberedFilesAndGoesOn(t *testing.T) {
	s := newStoring(t, &storeFlags{StoreFlags: recording.StoreFlags{Out: "r.arrow", Last: time.Second}, limits: []string{"n < 4e6"}})
	if err := os.WriteFile(filepath.Join(s.dir, "r-0002.arrow"), []byte("of somebody else"), 0o600); err != nil {
		t.Fatal(err)
	}
	flight := s.sink.(interface{ Trigger(string) })
	for range 10 {
		s.write(100, "")
	}
	s.write(100, "spike")
	for len(s.written()) < 1 {
		time.Sleep(time.Millisecond) // until the file of the mark is there
	}
	for s.at < 5000 {
		s.write(100, "")
	}
	for len(s.written()) < 2 {
		s.write(1, "") // the limit breaks where the last second has 4,500 a sample
		time.Sleep(time.Millisecond)
	}
	at := s.at
	flight.Trigger("signal USR1")
	s.write(100, "")
	s.close()
	files := s.written()
	if len(files) < 4 || files[0] != "r-0001.arrow" || files[1] != "r-0003.arrow" {
		t.Fatalf("files %q", files)
	}
	if c := s.check("r-0001.arrow", 100, 1100); len(c.Regions) != 1 || because(c) != "mark spike" {
		t.Errorf("regions %v, saved because of %q", c.Regions, because(c))
	}
	var whys []string
	for _, name := range files[1:] {
		c, err := all.Registry().Open(t.Context(), filepath.Join(s.dir, name), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		whys = append(whys, because(c))
	}
	if all := strings.Join(whys, "|"); !strings.HasPrefix(all, "budget broken: n < 4e6|") ||
		!strings.Contains(all, "signal USR1") || !strings.HasSuffix(all, "the recording ended") {
		t.Errorf("saved because of %q", whys)
	}
	s.check(files[len(files)-1], at-900, at+100)
	if content, _ := os.ReadFile(filepath.Join(s.dir, "r-0002.arrow")); string(content) != "of somebody else" {
		t.Error("a file that was there is gone")
	}
	said, _ := os.ReadFile(s.talk.Name())
	for _, name := range files {
		if !strings.Contains(string(said), name+"\n") {
			t.Errorf("the path of %s is not told: %q", name, said)
		}
	}
}

// written are the paths that --last has told of.
func (s *storing) written() (names []string) {
	said, err := os.ReadFile(s.talk.Name())
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(said)) {
		if line = strings.TrimSpace(line); filepath.Dir(line) == s.dir {
			names = append(names, filepath.Base(line))
		}
	}
	return names
}

// because is why a file of --last was written.
func because(c *capture.Capture) string {
	p, _ := c.Property("saved_because")
	return p.Text
}

func TestSplitWritesAFolderThatOpensAsOneCapture(t *testing.T) {
	s := newStoring(t, &storeFlags{StoreFlags: recording.StoreFlags{Out: "set", Split: time.Second}})
	for range 35 {
		s.write(100, "")
	}
	s.close()
	s.check("set", 0, 3500)
	s.check("set/part-0003.arrow", 2000, 3000)
	s.check("set/part-0004.arrow", 3000, 3500)
	if said, err := repairing(t, filepath.Join(s.dir, "set")); err != nil || strings.Count(said, " is whole: ") != 4 {
		t.Errorf("%v, and repair says %q", err, said)
	}
}

func TestABudgetThatCannotBeJudgedEndsARecordingBeforeItBegins(t *testing.T) {
	a := &app{ctx: t.Context(), out: &output{}, talk: newTalk(os.Stderr), quiet: true}
	st, err := a.store(&storeFlags{StoreFlags: recording.StoreFlags{Out: filepath.Join(t.TempDir(), "r.arrow"), Last: time.Second},
		limits: []string{"no_such_counter < 3"}}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	_, err = st.Create(t.Context())(&capture.Schema{Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}})
	if err == nil || !strings.Contains(err.Error(), "no_such_counter") {
		t.Error(err)
	}
}

func TestFlagsOfWhereARecordingGoesThatContradict(t *testing.T) {
	to := func(f recording.StoreFlags) storeFlags { return storeFlags{StoreFlags: f} }
	for want, f := range map[string]storeFlags{
		"give one of them":                to(recording.StoreFlags{Split: time.Minute, Last: time.Minute}),
		"--split=1ms is less than 1s":     to(recording.StoreFlags{Split: time.Millisecond}),
		"--last=-1s is less than":         to(recording.StoreFlags{Last: -time.Second}),
		"--limit say when --last":         {limits: []string{"a < 1"}},
		"name it without .arrow, not x.a": to(recording.StoreFlags{Split: time.Minute, Out: "x.arrow"}),
	} {
		var usage usageError
		if err := f.check(); err == nil || !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
}
