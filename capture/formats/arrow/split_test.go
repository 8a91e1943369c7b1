package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/formatstest"
)

// splitRecording records n samples of 10 ns in batches of odd sizes, in parts and in one file.
func splitRecording(t *testing.T, n int, every time.Duration) (dir, file string) {
	t.Helper()
	dir, file = filepath.Join(t.TempDir(), "set"), filepath.Join(t.TempDir(), "one.arrow")
	s := recordingSchema()
	parts, err := CreateSplit(dir, s, every, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Create(file, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 100)
	random := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < n; {
		k := min(n-at, random.IntN(60))
		fillBatch(b, at, k)
		if k > 2 {
			b.Gaps = append(b.Gaps, capture.Gap{Start: b.Start[k/2], End: b.End[k/2],
				Reason: capture.Reason{Code: capture.LostReports}})
			b.Regions = append(b.Regions, capture.Region{Name: fmt.Sprint("r", at), Start: b.Start[k-2], End: b.End[k-1]})
		}
		b.Warnings = append(b.Warnings, fmt.Sprint("w", at))
		for _, w := range []interface{ Write(*capture.Batch) error }{parts, one} {
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		at += k
	}
	if err := errors.Join(parts.Close(), one.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// encoded is all that a file can say of a capture.
func encoded(t *testing.T, c *capture.Capture) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := (Format{}).Encode(background, &out, c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestARecordingInPartsIsTheSameCaptureAsInOneFile(t *testing.T) {
	for _, every := range []time.Duration{70, 95, 1000, 3330, 1e6} {
		dir, file := splitRecording(t, 1000, every)
		set, one := open(t, dir), open(t, file)
		if !bytes.Equal(encoded(t, one), encoded(t, set)) {
			t.Errorf("in parts of %v it is another capture:\n%s", every, formatstest.Difference(one, set))
		}
		checkRecording(t, set, 1000)
		parts, err := Parts(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(1, (10*1000+int(every)-1)/int(every)); every%10 == 0 && len(parts) != want {
			t.Errorf("%d parts of %v, want %d", len(parts), every, want)
		}
		var rows int64
		for _, p := range parts {
			c := open(t, p)
			rows += rowsByFooter(t, p)
			for i := range c.Len() {
				if first := c.Axis.Start[0] / int64(every); c.Axis.Start[i]/int64(every) != first {
					t.Fatalf("%s has samples of two parts", p)
				}
			}
		}
		if rows != 1000 {
			t.Errorf("%d rows in all parts of %v", rows, every)
		}
	}
}

func TestAPartThatIsMissingIsAGap(t *testing.T) {
	dir, file := splitRecording(t, 1000, 2000)
	if err := os.Remove(filepath.Join(dir, partFile(3))); err != nil {
		t.Fatal(err)
	}
	c, one := open(t, dir), open(t, file)
	if c.Len() != 800 || !hasWarning(c, "part-0003.arrow is missing") {
		t.Errorf("%d samples, warnings %q", c.Len(), c.Warnings)
	}
	found := false
	for _, g := range c.Gaps {
		found = found || g.Start == 4000 && g.End == 6000 && g.Reason.Code == capture.NotCollected
	}
	if !found {
		t.Errorf("gaps %v", c.Gaps)
	}
	if a, b := c.Counter("cycles").Value(500), one.Counter("cycles").Value(700); a != b {
		t.Errorf("the sample behind the gap is %v, want %v", a, b)
	}
}

func TestPartsOfTwoRecordingsAreNotMixed(t *testing.T) {
	a, _ := splitRecording(t, 400, 1000)
	b, _ := splitRecording(t, 400, 1000)
	move := func(from, to int) error {
		return os.Rename(filepath.Join(a, partFile(from)), filepath.Join(b, partFile(to)))
	}
	refused := func(want string) {
		t.Helper()
		in, err := formats.Inspect(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (Format{}).Open(background, in, formats.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := move(2, 2); err != nil {
		t.Fatal(err)
	}
	refused("part-0002.arrow: it is a part of another recording")
	if err := os.Rename(filepath.Join(b, partFile(3)), filepath.Join(b, partFile(2))); err != nil {
		t.Fatal(err)
	}
	refused("part-0002.arrow: it was part-0003.arrow")
	if _, err := CreateSplit(a, recordingSchema(), time.Second, nil); err == nil ||
		!strings.Contains(err.Error(), "already") {
		t.Errorf("a second recording into the folder: %v", err)
	}
}

func TestALastPartWithoutFooterOpensAndIsRepaired(t *testing.T) {
	dir, _ := splitRecording(t, 1000, 2000)
	last := filepath.Join(dir, partFile(5))
	data, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	var x index
	m := newMessages(data)
	m.seen = &x
	if _, err := takeApart(background, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(last, data[:x.blocks[1].at+40], 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	n := c.Len()
	if n <= 800 || n >= 1000 || !hasWarning(c, "part-0005.arrow is truncated") {
		t.Fatalf("%d samples, warnings %q", n, c.Warnings)
	}
	checkRecording(t, c, n)
	parts, err := Parts(dir)
	if err != nil || len(parts) != 5 || !slices.IsSorted(parts) {
		t.Fatalf("parts %q: %v", parts, err)
	}
	for _, p := range parts {
		if err := Repair(background, p, anything); err != nil {
			t.Error(err)
		}
	}
	if c = open(t, dir); c.Len() != n || hasWarning(c, "truncated") {
		t.Errorf("%d samples after the repair, %d before; warnings %q", c.Len(), n, c.Warnings)
	}
}
