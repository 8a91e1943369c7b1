package arrow

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// Before captures had Late, recorders put late time among the gaps. Only the wording tells.
func TestLateTimeAmongTheGapsOfOldFilesIsSortedOut(t *testing.T) {
	lost := func(start int64, text string) capture.Gap {
		return capture.Gap{Start: start, End: start + 5, Lost: 1,
			Reason: capture.Reason{Code: capture.LostReports, Text: text}}
	}
	late := []string{
		"the recorder was not run in time and ticks passed without a read; the sample here covers their time",
		"the writer could not keep up and ticks passed without a read; the sample here covers their time",
		"the driver took no sample in some periods, for lack of room or time; the sample here covers their time and counts",
		"the driver had no room for a sample per period; the sample here covers their time and counts",
		"no sample was taken for a while; the sample here covers that time and its counts",
		"the GPU did not answer the request for a sample in time; the sample here covers that time and what was counted in it",
		"the hardware dropped reports here: the counters ran on, so this one row holds what happened meanwhile, of whichever context",
	}
	gaps := []string{
		"samples were dropped before they could be read",
		"the driver flagged a sample as in error",
		"the GPU did not answer the request for a sample in time, and the recording ended",
		"the buffer overflowed and every report in it was lost",
		"between two rounds nothing is measured",
		"",
	}
	schema := capture.Schema{Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}}
	for _, text := range late[:2] {
		schema.Config.Gaps = append(schema.Config.Gaps, lost(0, text))
	}
	path := filepath.Join(t.TempDir(), "old.arrow")
	w, err := Create(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&schema, 1)
	b.Start, b.End = append(b.Start, 0), append(b.End, 10)
	b.AppendInt(0, 1)
	for _, text := range late[2:] {
		b.Gaps = append(b.Gaps, lost(1, text))
	}
	for _, text := range gaps {
		b.Gaps = append(b.Gaps, lost(2, text))
	}
	b.Late = append(b.Late, lost(3, "a new one"))
	if err := errors.Join(w.Write(b), w.Close()); err != nil {
		t.Fatal(err)
	}
	c := open(t, path)
	if len(c.Late) != len(late)+1 || len(c.Gaps) != len(gaps) {
		t.Errorf("%d late spans of %d, %d gaps of %d: late %+v, gaps %+v", len(c.Late), len(late)+1, len(c.Gaps),
			len(gaps), c.Late, c.Gaps)
	}
	for _, g := range c.Gaps {
		if !slices.Contains(gaps, g.Reason.Text) {
			t.Errorf("%q is a gap", g.Reason.Text)
		}
	}
}

func TestEqualWarningsOfOldFilesAreCounted(t *testing.T) {
	schema := capture.Schema{Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}}
	schema.Config.Warnings = []string{"first"}
	path := filepath.Join(t.TempDir(), "old.arrow")
	w, err := Create(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&schema, 1)
	for k := range 3 {
		b.Reset()
		b.Start, b.End = append(b.Start, int64(k)), append(b.End, int64(k+1))
		b.AppendInt(0, 1)
		b.Warnings = append(b.Warnings, "region draw was still open when the recording ended",
			"region draw was still open when the recording ended", "other")
		if k > 0 {
			b.Warnings = b.Warnings[:2]
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"first", "region draw was still open when the recording ended (6 times)", "other"}
	for range 2 { // in the form that Close made, and that which Write makes of it
		c := open(t, path)
		if !slices.Equal(c.Warnings, want) {
			t.Errorf("%q", c.Warnings)
		}
		if err := formats.NewRegistry(Format{}).Save(background, path, Format{}.Name(), c); err != nil {
			t.Fatal(err)
		}
	}
}
