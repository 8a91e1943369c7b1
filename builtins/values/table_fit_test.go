package values

import (
	"fmt"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/builtins/notation"
)

// wide is a table with long names, texts and as many numbers as a summary has.
func wide() *Table {
	t := NewTable(nil, []string{"name", "unit", "kind", "total", "mean", "max", "count", "missing", "why missing"}, nil)
	for i, name := range []string{"MaliGPUWaitCyclesMainPhaseQueueEndpointStall",
		"MaliGPUWaitCyclesComputeQueueEndpointStall", "frames"} {
		t.append([]starlark.Value{starlark.String(name),
			starlark.String([]string{"cycles", "instructions/cycle", "instructions/s"}[i]), starlark.String("delta"),
			starlark.MakeInt(123456789 + i), starlark.Float(1.5), starlark.MakeInt(99 * i), starlark.MakeInt(180),
			starlark.MakeInt(0),
			starlark.String(strings.Repeat("the divisor is 0 ", 5))})
	}
	return t
}

func columnsOf(text string) []string { return strings.Fields(strings.SplitN(text, "\n", 2)[0]) }

func TestNarrowTablesKeepTheirNumbers(t *testing.T) {
	for width, want := range map[int]string{
		300: "name unit kind total mean max count missing why missing",
		120: "name unit kind total mean max count missing why missing",
		80:  "name unit total mean max count",
		50:  "name unit total max",
		24:  "name total",
	} {
		text := wide().Format(Layout{Width: width})
		if got := strings.Join(columnsOf(text), " "); got != want {
			t.Errorf("at %d columns there are %q, want %q:\n%s", width, got, want, text)
		}
	}
}

func TestWhatANarrowTableLeavesOutIsTold(t *testing.T) {
	text := wide().Format(Layout{Width: 80})
	for _, want := range []string{"kind", "why missing", "missing (0 throughout)", "t.text(400)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told:\n%s", want, text)
		}
	}
	if text := wide().Format(Layout{}); strings.Contains(text, "…") {
		t.Errorf("without a limit something is left out:\n%s", text)
	}
}

func TestShortenedNamesAndUnitsStayDifferent(t *testing.T) {
	for width := 45; width < 120; width++ {
		text := wide().Format(Layout{Width: width})
		rows := strings.Split(text, "\n")[2:5]
		for k := range 2 {
			if columnsOf(text)[k] != []string{"name", "unit"}[k] {
				continue
			}
			if strings.Fields(rows[0])[k] == strings.Fields(rows[1])[k] ||
				strings.Fields(rows[1])[k] == strings.Fields(rows[2])[k] {
				t.Errorf("at %d columns two rows say the same:\n%s", width, text)
			}
		}
	}
}

func FuzzTablesFitTheirWidth(f *testing.F) {
	f.Add("name", "日本語 a", int64(-5), 1.5, 30)
	f.Add("", "\x00\n", int64(1<<62), 1e300, 1)
	f.Fuzz(func(t *testing.T, name, cell string, i int64, x float64, width int) {
		width = 1 + (width&0xff+256)&0xff
		tab := NewTable(nil, []string{name, "unit", "n", name + "2", "x"}, nil)
		for k := range 3 {
			tab.append([]starlark.Value{starlark.String(fmt.Sprint(cell, k)), starlark.String(cell),
				starlark.MakeInt64(i + int64(k)), starlark.String(cell + cell), starlark.Float(x)})
		}
		fit := tab.fitting([][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}, width)
		if fit.over(width) > 0 && strings.Count(fmt.Sprint(fit.shown), "true") > 1 {
			t.Errorf("%d columns are over by %d", strings.Count(fmt.Sprint(fit.shown), "true"), fit.over(width))
		}
		text := tab.Format(Layout{Width: width})
		widest := 0
		for _, n := range []int{notation.TextCells(formatCell(starlark.MakeInt64(i), 4)), 30} {
			widest = max(widest, n)
		}
		for _, line := range strings.Split(text, "\n") {
			if notation.TextCells(line) > max(width, widest) && !strings.HasPrefix(line, "…") {
				t.Errorf("a line of %d cells at a width of %d: %q", notation.TextCells(line), width, line)
			}
		}
	})
}
