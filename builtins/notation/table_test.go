package notation

import "testing"

func TestTableKeepsNamesWhole(t *testing.T) {
	table := &TextTable{Header: []string{"name", "n"}, Right: []bool{false, true}}
	table.Add("a_rather_long_name_é", "1")
	table.Add("b", "1000")
	want := "name                     n\na_rather_long_name_é     1\nb                     1000\n"
	if got := table.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Columns stand under one another on the screen, which shows wide characters in two cells and combining marks in none.
func TestColumnsAreCountedInTerminalCells(t *testing.T) {
	table := &TextTable{}
	table.Add("温度", "x")
	table.Add("e\u0301", "x")
	table.Add("a\nb", "x")
	if got, want := table.String(), "温度  x\ne\u0301     x\na b   x\n"; got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, want := Row([]string{"温度", "1", ""}, []int{6, 3, 9}, []bool{true, true}), "  温度    1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Row([]string{"longer", "1"}, []int{2, 3}, nil), "longer  1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A format without a width leaves an empty text empty.
func TestAWidthThatIsNotGivenPadsNothing(t *testing.T) {
	for width, want := range map[int]string{-1: "", 0: "", 2: "  "} {
		f := spec{width: width}
		if got := f.pad(""); got != want {
			t.Errorf("width %d: %q", width, got)
		}
		f.minus = true
		if got := f.pad(""); got != want {
			t.Errorf("width %d, to the left: %q", width, got)
		}
	}
}
