package delimited

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// placed is a cell's value, the bits of a double in hexadecimal, where it stands in the first row: before another cell or
// at the end of the row, and with text behind that is read eight characters at a time, or without.
func placed(t *testing.T, cell string, last, alone bool) string {
	t.Helper()
	text, col := "a,b\n"+cell+",7\n", 0
	if last {
		text, col = "a,b\n7,"+cell+"\n", 1
	}
	if !alone {
		text += strings.Repeat("8,8\n", 12)
	}
	_, tab, err := readText(text, 0, Number)
	if err != nil {
		return err.Error()
	}
	d := tab.Col(col).Num.Data()
	switch {
	case d.Missing(0):
		return "missing"
	case d.U != nil:
		return fmt.Sprint(d.U[0])
	}
	return fmt.Sprintf("%x", math.Float64bits(d.F[0]))
}

func FuzzACellIsTheSameNumberEverywhere(f *testing.F) {
	for n := 1; n <= 20; n++ {
		digits := "98765432109876543210"[:n]
		f.Add(digits)
		f.Add(strings.Repeat("0", n))
		for k := range 12 {
			f.Add(digits + "." + "123456789012"[:k])
			f.Add(digits + "." + strings.Repeat("0", k))
			f.Add("." + "000000000001"[12-k:])
		}
	}
	for _, s := range []string{"1/5", "1:5", "9\xff", "-3.25", "1e3", "1234567x", "12345678x", "0.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		if strings.ContainsAny(cell, ",;|\t\n\r\"#\x00") || strings.TrimSpace(cell) == "" || strings.HasPrefix(cell, "sep=") {
			return
		}
		want := placed(t, cell, false, true)
		for _, last := range []bool{false, true} {
			for _, alone := range []bool{false, true} {
				got := placed(t, cell, last, alone)
				// The error of a cell names its column.
				if got = strings.ReplaceAll(got, `column "b"`, `column "a"`); got != want {
					t.Fatalf("%q: %s at the end of a row %v, alone %v; elsewhere %s", cell, got, last, alone, want)
				}
			}
		}
		if strings.Trim(cell, "0123456789.") != "" || len(cell) > 30 {
			return
		}
		if u, err := strconv.ParseUint(cell, 10, 64); err == nil && want != fmt.Sprint(u) {
			t.Fatalf("%q is %s", cell, want)
		}
		v, err := strconv.ParseFloat(cell, 64)
		if whole, frac, ok := strings.Cut(cell, "."); err == nil && ok && whole != "" && strings.Trim(frac, "0") != "" &&
			want != fmt.Sprintf("%x", math.Float64bits(v)) {
			t.Fatalf("%q is %s, not %v", cell, want, v)
		}
	})
}
