package gpa

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

const guide = "Identifier, GPUTime, VSVerticesIn, TexUnitBusy, \n" +
	"session: 1; sample: 0, 0.125000,18446744073709551615,12.500000,\n" +
	"session: 1; sample: 1, 123456789012.345673,0,0.000000,\n" +
	"session: 2; sample: 0, 0.000001,7,-1.000000,\n"

func open(t testing.TB, text string, extra map[string]any) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frames.txt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{Extra: extra})
}

func mustOpen(t testing.TB, text string, extra map[string]any) *capture.Capture {
	t.Helper()
	c, err := open(t, text, extra)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(t testing.TB, c *capture.Capture) string {
	t.Helper()
	var b bytes.Buffer
	if err := (Format{}).Encode(context.Background(), &b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRowsBecomeSamplesWithSessionAndSample(t *testing.T) {
	c := mustOpen(t, guide, nil)
	if c.Format != "gpa" || c.GPU != "amd-gpa" || c.Len() != 3 || len(c.Counters) != 3 {
		t.Fatalf("format %s, gpu %s, %d samples of %d counters", c.Format, c.GPU, c.Len(), len(c.Counters))
	}
	if s, _ := c.Label("session").Value(2); s != "2" {
		t.Errorf("the last row is of session %s", s)
	}
	if s, _ := c.Label("sample").Value(1); s != "1" {
		t.Errorf("the second row is sample %s", s)
	}
	if u, ok := c.Counter("VSVerticesIn").Value(0).Uint64(); !ok || u != 1<<64-1 {
		t.Errorf("a 64-bit integer is read as %d", u)
	}
	if busy := c.Counter("TexUnitBusy"); busy.Kind != capture.Gauge || busy.Unit != "percent" || busy.Value(0).Float() != 12.5 {
		t.Errorf("TexUnitBusy is a %s in %q of %v", busy.Kind, busy.Unit, busy.Value(0).Float())
	}
	if got := c.Axis.End[0] - c.Axis.Start[0]; got != 125000 {
		t.Errorf("a sample of 0.125 ms lasts %d ns", got)
	}
}

func TestWhatWasReadIsWrittenByteForByte(t *testing.T) {
	for name, text := range map[string]string{
		"the guide's":      guide,
		"windows":          strings.ReplaceAll(guide, "\n", "\r\n"),
		"header only":      "Identifier, A, B, \n",
		"no counters":      "Identifier, \nsession: 1; sample: 0, \n",
		"not a number":     "Identifier, A, B, \nsession: 1; sample: 0, nan,-nan(ind),\nsession: 1; sample: 1, -1.#IND00,5.000000,\nsession: 1; sample: 2, inf,1.500000,\n",
		"empty cells":      "Identifier, A, B, \nsession: 1; sample: 0, ,2,\nsession: 1; sample: 1, 1.500000,,\n",
		"only nan":         "Identifier, A, \nsession: -3; sample: 4, nan,\n",
		"integers and nan": "Identifier, A, \nsession: 1; sample: 4, 5,\nsession: 1; sample: 5, nan,\n",
	} {
		if got := encode(t, mustOpen(t, text, nil)); got != text {
			t.Errorf("%s:\n%q becomes\n%q", name, text, got)
		}
	}
}

func TestChangedCountersAreAnErrorThatNamesTheLine(t *testing.T) {
	text := guide + "session: 3; sample: 0, 1.000000,\n"
	_, err := open(t, text, nil)
	if err == nil || !strings.Contains(err.Error(), "frames.txt:5: the row has 1 values and the header names 3 counters") {
		t.Errorf("got %v", err)
	}
	c := mustOpen(t, text, map[string]any{"skip": true})
	if c.Len() != 3 || !strings.Contains(strings.Join(c.Warnings, "\n"), "1 rows were left out, the first at line 5") {
		t.Errorf("%d samples, warnings %q", c.Len(), c.Warnings)
	}
}

func TestJoinedFilesKeepTheirOwnHeaders(t *testing.T) {
	c := mustOpen(t, guide+"Identifier, TexUnitBusy, CSBusy, \nsession: 1; sample: 0, 50.000000,25.000000,\n", nil)
	if c.Len() != 4 || len(c.Counters) != 4 {
		t.Fatalf("%d samples of %d counters", c.Len(), len(c.Counters))
	}
	if c.Counter("TexUnitBusy").Value(3).Float() != 50 || !c.Counter("GPUTime").Value(3).Missing() || !c.Counter("CSBusy").Value(0).Missing() {
		t.Error("values are in other columns")
	}
	if why, ok := c.Counter("CSBusy").Why(0); !ok || why.Code != capture.NotCollected {
		t.Errorf("the reason is %v", why)
	}
	if why, ok := c.Counter("VSVerticesIn").Why(3); !ok || !strings.Contains(why.Text, "VSVerticesIn") {
		t.Errorf("the reason is %v", why)
	}
}

func TestBlanksAroundValuesAndEmptyCells(t *testing.T) {
	c := mustOpen(t, "Identifier, A, B, C, \nsession: 1; sample: 0, 1, 2.5, 3, \nsession: 1; sample: 1, 4,\t, 6,\n", nil)
	if c.Len() != 2 || c.Counter("B").Value(0).Float() != 2.5 || c.Counter("C").Value(1).Float() != 6 {
		t.Errorf("B and C are %v and %v", c.Counter("B").Value(0), c.Counter("C").Value(1))
	}
	if why, ok := c.Counter("B").Why(1); !c.Counter("B").Value(1).Missing() || !ok || why.Code != capture.NotCollected || why.Text != vacant {
		t.Errorf("an empty cell is %v because %v", c.Counter("B").Value(1), why)
	}
}

func TestDamageIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"Identifier, A, A, \n":                                            `both called "A"`,
		"Identifier, A, , B, \nsession: 1; sample: 0, 1,2,3,\n":           "has no name",
		"Identifier, A, \nsession: one; sample: 0, 1,\n":                  `"one" is no number`,
		"Identifier, A, \nframe 5, 1,\n":                                  "not with",
		"Identifier, A, \nsession: 1; sample: 0, x,\n":                    `counter A: "x" is no number`,
		"Identifier, A, \nsession: 1; sample: 0, 0x10,\n":                 `"0x10" is no number`,
		"Identifier, A, \nsession: 1; sample: 0, 1,2,\n":                  "has 2 values",
		"Identifier, A, \nsession: 1; sample: 99999999999999999999, 1,\n": "is no number",
	} {
		if _, err := open(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	c := mustOpen(t, guide[:len(guide)-6], nil)
	if c.Len() != 2 || !strings.Contains(strings.Join(c.Warnings, "\n"), "truncated") {
		t.Errorf("a truncated file has %d samples, warnings %q", c.Len(), c.Warnings)
	}
}

func TestASmallFileDoesNotBecomeAHugeTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("Identifier, ")
	for i := range 20000 {
		b.WriteString("c" + strconv.Itoa(i) + ", ")
	}
	b.WriteString("\nIdentifier, c0, \n" + strings.Repeat("session: 1; sample: 0, 1,\n", 20000))
	if _, err := open(t, b.String(), nil); err == nil || !strings.Contains(err.Error(), "split the file at its headers") {
		t.Errorf("got %v", err)
	}
}

func TestOtherCapturesCanBeSaved(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e9)
	cfg := capture.Config{Axis: axis, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "n"}, Axis: axis, Col: capture.NewColumn(capture.Data{U: []uint64{1, 2}})},
		{Meta: capture.Meta{Name: "x"}, Axis: axis, Col: capture.NewColumn(capture.Data{F: []float64{0.5, 1e-9}})},
	}}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	want := "Identifier, n, x, \nsession: 1; sample: 0, 1,0.500000,\nsession: 1; sample: 1, 2,0.000000,\n"
	if got := encode(t, c); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", []string{"a", "b"}, nil)}
	c, _ = capture.New(cfg)
	if err := (Format{}).Encode(t.Context(), &bytes.Buffer{}, c); err == nil {
		t.Error("a session that is no number is written")
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := formats.NewRegistry(Format{}).Save(t.Context(), path, "gpa", mustOpen(t, guide, nil)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != guide {
		t.Errorf("saved %q", got)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(guide)
	f.Add("Identifier, A, \r\nsession: 1; sample: 0, nan,\r\n")
	f.Add(guide + "Identifier, B, \nsession: 1; sample: 0, 1.#INF00,\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := &reader{name: "fuzz", skip: true}
		if r.read(t.Context(), text) != nil {
			return
		}
		cfg := capture.Config{GPU: "amd-gpa"}
		r.build(&cfg)
		c, err := capture.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		if err := (Format{}).Encode(t.Context(), &first, c); err != nil {
			return
		}
		again := &reader{name: "again"}
		if err := again.read(t.Context(), first.String()); err != nil {
			t.Fatalf("what was written cannot be read: %v\n%q", err, first.String())
		}
		cfg = capture.Config{GPU: "amd-gpa"}
		again.build(&cfg)
		if c, err = capture.New(cfg); err != nil {
			t.Fatal(err)
		}
		if err := (Format{}).Encode(t.Context(), &second, c); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("%q becomes %q", first.String(), second.String())
		}
	})
}
