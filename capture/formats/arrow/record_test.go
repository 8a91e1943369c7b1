package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture"
)

func recordingSchema() capture.Schema {
	return capture.Schema{
		Config: capture.Config{Name: "rec", GPU: "cpu", Axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"},
			Warnings: []string{"from the start"}},
		Columns: []capture.ColumnSpec{
			{Meta: capture.Meta{Name: "cycles", Unit: "cycles"}, Integer: true},
			{Meta: capture.Meta{Name: "load", Kind: capture.Gauge}},
			{Meta: capture.Meta{Name: "busy[0]", Instance: "0", Unit: "ns"}, Integer: true},
			{Meta: capture.Meta{Name: "busy", Instance: "7", Unit: "ns"}, Integer: true, Pass: "p"},
		},
		Labels: []string{"comm"},
	}
}

// fillBatch puts n samples from number first into b.
func fillBatch(b *capture.Batch, first, n int) {
	b.Reset()
	for i := first; i < first+n; i++ {
		b.Start, b.End = append(b.Start, int64(i)*10), append(b.End, int64(i)*10+10)
		b.AppendInt(0, uint64(i)+1<<60)
		if i%3 == 0 {
			b.AppendMissingFor(1, capture.Reason{Code: capture.NotScheduled})
		} else {
			b.AppendFloat(1, float64(i)/4)
		}
		b.AppendInt(2, uint64(i))
		if i%5 == 0 {
			b.AppendMissing(3)
		} else {
			b.AppendInt(3, 2*uint64(i))
		}
		b.Labels[0] = append(b.Labels[0], []string{"idle", "gcc", fmt.Sprint("pid ", i/100)}[i%3])
	}
}

// checkRecording makes sure that c holds samples [0, n) of fillBatch.
func checkRecording(t *testing.T, c *capture.Capture, n int) {
	t.Helper()
	if c.Len() != n {
		t.Fatalf("%d samples, want %d", c.Len(), n)
	}
	cycles, load, busy := c.Counter("cycles"), c.Counter("load"), c.Counter("busy")
	if cycles == nil || load == nil || busy == nil || len(busy.Instances) != 2 {
		t.Fatalf("counters %v", plainCounters(c.Counters))
	}
	l := c.Label("comm")
	for i := range n {
		if c.Axis.Start[i] != int64(i)*10 || c.Axis.End[i] != int64(i)*10+10 {
			t.Fatalf("sample %d covers [%d, %d)", i, c.Axis.Start[i], c.Axis.End[i])
		}
		if u, ok := cycles.Value(i).Uint64(); !ok || u != uint64(i)+1<<60 {
			t.Fatalf("cycles[%d] = %d", i, u)
		}
		if v := load.Value(i); v.Missing() != (i%3 == 0) || !v.Missing() && v.Float() != float64(i)/4 {
			t.Fatalf("load[%d] = %v", i, v)
		}
		if v := busy.Instance("7").Value(i); v.Missing() != (i%5 == 0) || !v.Missing() && v.Float() != float64(2*i) {
			t.Fatalf("busy[7][%d] = %v", i, v)
		}
		if got, _ := l.Value(i); got != []string{"idle", "gcc", fmt.Sprint("pid ", i/100)}[i%3] {
			t.Fatalf("comm[%d] = %q", i, got)
		}
	}
	if n > 3 {
		if why, ok := load.Why(3); !ok || why.Code != capture.NotScheduled {
			t.Errorf("load is missing in sample 3 because %v", why)
		}
	}
}

func hasWarning(c *capture.Capture, part string) bool {
	return strings.Contains(strings.Join(c.Warnings, "\n"), part)
}

func TestAClosedRecordingHoldsEverythingInTheFileForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 100)
	for k := range 7 {
		fillBatch(b, k*100, 100)
		b.Gaps = append(b.Gaps, capture.Gap{Start: int64(k), End: int64(k) + 1, Lost: uint64(k),
			Reason: capture.Reason{Code: capture.LostReports}})
		b.Regions = append(b.Regions, capture.Region{Name: fmt.Sprint("frame ", k), Start: int64(k) * 1000,
			End: int64(k)*1000 + 500})
		if k == 3 {
			b.Warnings = append(b.Warnings, "late")
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	b.Reset()
	b.Warnings = append(b.Warnings, "after the last sample")
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	// Without its footer, as another program sees it before Close.
	running := open(t, path)
	checkRecording(t, running, 700)
	if !hasWarning(running, "truncated") {
		t.Errorf("a recording without its end opens without saying so: %q", running.Warnings)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	if !bytes.HasPrefix(data, []byte(magic)) || !bytes.HasSuffix(data, []byte(magic)) {
		t.Error("the closed recording is not in the file form")
	}
	c := open(t, path)
	checkRecording(t, c, 700)
	checkRecording(t, running, 700) // still mapped
	if got := strings.Join(c.Warnings, "|"); got != "from the start|late|after the last sample" {
		t.Errorf("warnings %q", got)
	}
	if len(c.Gaps) != 7 || c.Gaps[6].Lost != 6 || len(c.Regions) != 7 || c.Regions[6].Name != "frame 6" {
		t.Errorf("gaps %v, regions %v", c.Gaps, c.Regions)
	}
	if p := c.Counter("busy").Instance("7").Pass; p == nil || p.ID != "p" || c.Axis.Clock != "CLOCK_MONOTONIC" ||
		c.GPU != "cpu" {
		t.Errorf("pass %v, clock %q, gpu %q", p, c.Axis.Clock, c.GPU)
	}
	noLitter(t, path)
}

// noLitter makes sure that path is alone in its folder.
func noLitter(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestARecordingWithoutSamplesOpens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	w, err := Create(path, recordingSchema())
	if err != nil {
		t.Fatal(err)
	}
	checkRecording(t, open(t, path), 0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := open(t, path)
	checkRecording(t, c, 0)
	if len(c.Warnings) != 1 {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestAReasonThatContinuesOverBatchesIsOneRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	s := capture.Schema{Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "c"}, Integer: true}}}
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 4)
	for k := range 5 {
		b.Reset()
		for i := range 4 {
			b.Start, b.End = append(b.Start, int64(4*k+i)), append(b.End, int64(4*k+i+1))
			b.AppendMissingFor(0, capture.Reason{Code: capture.NotScheduled, Text: "busy"})
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	runs := open(t, path).Counters[0].Reasons
	if len(runs) != 1 || runs[0].From != 0 || runs[0].To != 20 || runs[0].Reason.Text != "busy" {
		t.Errorf("reasons %v", runs)
	}
}

func TestAnAbortedRecordingLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "r.arrow"), recordingSchema())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left %v", entries)
	}
	if err := w.Write(&capture.Batch{}); err == nil {
		t.Error("an aborted recording accepts a batch")
	}
}

func TestBatchesThatDoNotFitAreRefused(t *testing.T) {
	s := recordingSchema()
	cases := map[string]struct {
		spoil func(b *capture.Batch)
		want  string
	}{
		"a column too short": {func(b *capture.Batch) {
			b.Cols[2].U = b.Cols[2].U[:3]
		}, `"busy[0]" has 3 values in a batch of 5`},
		"a column of other type": {func(b *capture.Batch) {
			b.Cols[0] = capture.Data{F: make([]float64, 5)}
		}, `"cycles" brings the wrong type`},
		"an end missing":          {func(b *capture.Batch) { b.End = b.End[:1] }, "5 starts and 1 ends"},
		"time that goes back":     {func(b *capture.Batch) { b.Start[4] = 3 }, "before the one before it"},
		"an end before its start": {func(b *capture.Batch) { b.End[4] = 3 }, "before its start"},
		"too few columns":         {func(b *capture.Batch) { b.Cols = b.Cols[:3] }, "3 columns, the recording has 4"},
		"a label too short":       {func(b *capture.Batch) { b.Labels[0] = nil }, `label "comm" has 0 values`},
		"no label":                {func(b *capture.Batch) { b.Labels = nil }, "0 labels"},
		"a reason for no row": {func(b *capture.Batch) {
			b.Reasons = []capture.ColumnReason{{Col: 1, From: 3, To: 9}}
		}, "outside the batch"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w, err := Create(filepath.Join(t.TempDir(), "r.arrow"), s)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			b := capture.NewBatch(&s, 5)
			fillBatch(b, 0, 5)
			c.spoil(b)
			if err := w.Write(b); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			b = capture.NewBatch(&s, 5)
			fillBatch(b, 0, 5)
			if err := w.Write(b); err != nil {
				t.Errorf("a good batch after the bad one: %v", err)
			}
		})
	}
}

func TestColumnsThatCannotBeToldApartAreRefused(t *testing.T) {
	for _, cols := range [][]capture.ColumnSpec{
		{{Meta: capture.Meta{Name: "a"}}, {Meta: capture.Meta{Name: "a"}}},
		{{Meta: capture.Meta{Name: "a", Instance: "1"}}, {Meta: capture.Meta{Name: "a[1]", Instance: "1"}}},
		{{}},
	} {
		path := filepath.Join(t.TempDir(), "r.arrow")
		if _, err := Create(path, capture.Schema{Columns: cols}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v: error %v", cols, err)
		}
	}
}

// fullFile fails like a full disk once it holds room bytes; what still fits it takes.
type fullFile struct {
	file
	room int
}

func (f *fullFile) Write(p []byte) (int, error) {
	n := min(f.room, len(p))
	n, err := f.file.Write(p[:n])
	f.room -= n
	if err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	return n, err
}

func TestAFullDiskEndsARecordingAndKeepsWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	w.f = &fullFile{w.f, 60000}
	b := capture.NewBatch(&s, 100)
	written := 0
	for k := 0; ; k++ {
		fillBatch(b, k*100, 100)
		if err = w.Write(b); err != nil {
			break
		}
		written += 100
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), fmt.Sprint(written, " samples")) {
		t.Errorf("error %q, want ENOSPC with the path and the %d samples", err, written)
	}
	if again := w.Write(b); again == nil || again.Error() != err.Error() {
		t.Errorf("the next batch: %v", again)
	}
	if written < 300 {
		t.Fatalf("only %d samples before the disk was full", written)
	}
	checkRecording(t, open(t, path), written)
	if err := w.Close(); !errors.Is(err, ErrNoFooter) {
		t.Errorf("closing: %v", err)
	}
	checkRecording(t, open(t, path), written)
}

func TestARecordingWithoutRoomForItsFooterIsCompleteAndCanBeRepaired(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 100)
	fillBatch(b, 0, 100)
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	w.f = &fullFile{w.f, 100}
	err = w.Close()
	if !errors.Is(err, ErrNoFooter) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "100 samples") {
		t.Errorf("error %v", err)
	}
	checkRecording(t, open(t, path), 100)
	repaired(t, path, 100)
}

func TestRecordingIntoAFolderOrBelowAFileIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "folder",
		filepath.Join(dir, "file", "r.arrow"): "a file stands where a folder should"} {
		if _, err := Create(path, recordingSchema()); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("Create(%s): %v", path, err)
		}
	}
}

func TestAnOlderFileIsReplacedOnlyByOneThatCanBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	s := recordingSchema()
	s.Columns = append(s.Columns, s.Columns[0])
	if _, err := Create(path, s); err == nil {
		t.Fatal("a column twice is accepted")
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("the older file now holds %q", data)
	}
}

func TestABatchMayBeReusedRightAfterWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.arrow")
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 10)
	fillBatch(b, 0, 10)
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		b.Start[i], b.Cols[0].U[i], b.Cols[1].F[i], b.Labels[0][i] = 99, 99, math.Pi, "overwritten"
	}
	checkRecording(t, open(t, path), 10)
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkRecordBatchOf100ColumnsAnd100Samples(b *testing.B) {
	s := capture.Schema{}
	for i := range 100 {
		s.Columns = append(s.Columns, capture.ColumnSpec{Meta: capture.Meta{Name: fmt.Sprint("c", i)}, Integer: true})
	}
	w, err := Create(filepath.Join(b.TempDir(), "r.arrow"), s)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	batch := capture.NewBatch(&s, 100)
	for i := range 100 {
		batch.Start, batch.End = append(batch.Start, 0), append(batch.End, int64(i))
		for c := range 100 {
			batch.AppendInt(c, uint64(i*c))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(batch); err != nil {
			b.Fatal(err)
		}
	}
}
