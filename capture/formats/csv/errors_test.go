package csv

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func wantError(t testing.TB, err error, pattern string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that matches %q", pattern)
	}
	if !regexp.MustCompile("(?s)" + pattern).MatchString(err.Error()) {
		t.Errorf("error %q does not match %q", err, pattern)
	}
}

func TestDamageIsReportedWithFileAndLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"bad number": {"time,a\n0.5,1\n1.5,12a\n",
			`x\.csv:3: column "a": "12a" is not a number \(option labels=\["a"\]`},
		"bad quoted number": {"time,a\n0.4,1\n0.5,\"1\n2\"\n", `x\.csv:3: column "a": "1\\n2" is not`},
		"two points":        {"time,a\n0.4,1\n0.5,1.2.3\n", `x\.csv:3: column "a": "1.2.3" is not a number`},
		"hexadecimal":       {"time,a\n0.5,1\n1.5,0x10\n", `x\.csv:3: column "a": "0x10"`},
		"beyond a double":   {"time,a\n0.5,1e999\n", `x\.csv:2: column "a": "1e999" is beyond the range`},
		"bad time":          {"time,a\n0.5,1\nsoon,2\n1.5,3\n", `x\.csv:3: column "time": "soon" is not a time`},
		"empty time":        {"time,a\n0.5,1\n,2\n", `x\.csv:3: column "time": the time is empty`},
		"time goes back": {"time (ns),a\n5,1\n7,1\n\n6,2\n",
			`x\.csv:5: column "time \(ns\)": time goes back from 7 ns to 6 ns`},
		"end before start": {"start (ns),end (ns),a\n5,4,1\n", `x\.csv:2: the sample ends at 4 ns, before its start`},
		"a column twice":   {"time,a,b,a\n0.5,1,2,3\n", `x\.csv:1: columns 2 and 4 are both called "a"`},
		"short row": {"time,a,b\n0.5,1,2\n1.5,1\n2.5,1,2\n",
			`x\.csv:3: the row has 2 cells, the header has 3`},
		"long row":      {"time,a\n0.5,1\n1.5,1,2\n", `x\.csv:3: the row has 3 cells, the header has 2`},
		"after a quote": {"time,a\n0.5,\"1\"2\n", `x\.csv:2: column "a": text stands after the closing quote`},
		"open quote":    {"time,k\n0.5,a\n1.5,\"b\n2.5,c\n", `x\.csv:3: a quote that opens here never closes`},
		"no header": {"0.5,1\n1.5,2\n",
			`x\.csv:1: the first line holds numbers \(0.5, ...\) where the names of the 2 columns should be`},
		"comments only":    {"# nothing\n", `the file is empty.*comment lines only`},
		"blank lines only": {"\n\n", `the file is empty`},
		"empty":            {"", `empty file \(0 bytes\)`},
		"two values": {"time (ns),counter,value\n0,a,1\n0,b,1\n0,a,2\n",
			`x\.csv:4: counter "a" has two values at one time: the other one is in line 2`},
		"nameless counter":   {"time (ns),counter,value\n0,a,1\n0,,1\n", `x\.csv:3: the name of the counter is empty`},
		"time too large":     {"time (s),a\n1e10,1\n", `x\.csv:2: column "time \(s\)": "1e10" is too large`},
		"no thousands":       {"time;a\n0,5;1.23,5\n1,5;7,5\n", `x\.csv:2: column "a": "1.23,5" is not a number`},
		"wide beside header": {"time,counter,value\n", ``},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, "x.csv", tc.text, nil)
			if tc.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantError(t, err, tc.want)
		})
	}
}

func TestABadNumberInLine70000IsFound(t *testing.T) {
	for _, quotes := range []bool{false, true} {
		var b strings.Builder
		b.WriteString("time (ns),a,\"the b\"\n")
		for line := 2; line <= 90000; line++ {
			cell := fmt.Sprint(line)
			switch {
			case line == 70000:
				cell = "7O000"
			case line == 80000:
				cell = "later"
			case quotes:
				cell = `"` + cell + `"`
			}
			fmt.Fprintf(&b, "%d,%d,%s\n", line, line, cell)
		}
		_, err := open(t, "x.csv", b.String(), nil)
		wantError(t, err, `x\.csv:70000: column "the b": "7O000" is not a number`)
	}
}

func TestAHeaderWithoutRowsIsAnEmptyCaptureWithAWarning(t *testing.T) {
	c := mustOpen(t, "time (ns),a,b\n", nil)
	eq(t, "samples", c.Len(), 0)
	eq(t, "counters", len(c.Counters), 2)
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "empty: it has a header and no rows") {
		t.Errorf("warnings = %q", c.Warnings)
	}
}

func TestACutOffLastLineIsLeftOutWithAWarning(t *testing.T) {
	for _, last := range []string{"2,8.", "2", "2,9,x", "2,1.5,\"a", "2,9,1e"} {
		c := mustOpen(t, "time (ns),a,b\n0,1,2\n1,3,4\n"+last, nil)
		eq(t, last+": a", c.Counter("a").Col.Data().U, []uint64{1, 3})
		if !strings.Contains(strings.Join(c.Warnings, "\n"), "x.csv:4: truncated: the last line is cut off") {
			t.Errorf("%q: warnings = %q", last, c.Warnings)
		}
	}
}

func TestUnknownOptionsAreErrors(t *testing.T) {
	for _, tc := range []struct {
		extra map[string]any
		want  string
	}{
		{map[string]any{"delimeter": ";"}, `csv has no option "delimeter" \(it has kinds, decimal, delimiter,`},
		{map[string]any{"delimiter": ";;"}, `option delimiter: ";;" cannot delimit`},
		{map[string]any{"period": "fast"}, `option period: "fast" is no duration`},
		{map[string]any{"period": -1.0}, `option period: -1 is not a positive duration`},
		{map[string]any{"time": "middle"}, `option time: "middle": use "start", "end" or "length"`},
		{map[string]any{"time_unit": "fortnight"}, `option time_unit: "fortnight" is no unit`},
		{map[string]any{"labels": "zz"}, `option labels: .* no column "zz"`},
		{map[string]any{"time_column": "zz"}, `option time_column: .* no column "zz"`},
		{map[string]any{"shape": "long"}, `needs a column of counter names`},
	} {
		_, err := open(t, "x.csv", "time,a\n0.5,1\n", tc.extra)
		wantError(t, err, tc.want)
	}
}
