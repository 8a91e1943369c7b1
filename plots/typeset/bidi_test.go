package typeset

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
)

// unicodes is Unicode's own test of levels and orders. Debian's package unicode-data has it.
const unicodes = "/usr/share/unicode/BidiCharacterTest.txt"

// TestLevelsAreUnicodes reads Unicode's own cases. testdata/bidi.txt has lines of our own with the order that another
// implementation gives.
func TestLevelsAreUnicodes(t *testing.T) {
	f, err := os.Open(unicodes)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("Unicode's BidiCharacterTest.txt is not installed (Debian: unicode-data)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, bad, done := bufio.NewScanner(f), 0, 0
	for lines.Scan() {
		line := lines.Text()
		fields := strings.Split(line, ";")
		if strings.HasPrefix(line, "#") || len(fields) < 5 {
			continue
		}
		var text []rune
		for _, h := range strings.Fields(fields[0]) {
			v, _ := strconv.ParseUint(h, 16, 32)
			text = append(text, rune(v))
		}
		ask, err := strconv.Atoi(fields[1])
		if err != nil || ask == 2 {
			ask = int(byItself)
		}
		got, base := levels(text, int8(ask))
		if fields[2] != strconv.Itoa(int(base)) {
			t.Errorf("%s: a paragraph of level %d, want %s", fields[0], base, fields[2])
		}
		done++
		var shown []int8
		var places []int
		for i, w := range strings.Fields(fields[3]) {
			if w == "x" {
				continue
			}
			shown, places = append(shown, got[i]), append(places, i)
			if l, _ := strconv.Atoi(w); int(got[i]) != l {
				if bad++; bad < 10 {
					t.Errorf("%s: levels %v, want %s", fields[0], got, fields[3])
				}
				break
			}
		}
		var order []string
		for _, k := range visual(shown) {
			order = append(order, strconv.Itoa(places[k]))
		}
		if strings.Join(order, " ") != strings.TrimSpace(fields[4]) {
			if bad++; bad < 10 {
				t.Errorf("%s: order %v, want %s", fields[0], order, fields[4])
			}
		}
	}
	t.Logf("%d lines, %d wrong", done, bad)
	if done < 90000 {
		t.Errorf("only %d lines were read", done)
	}
}

func TestLevelsAreThoseOfFriBidi(t *testing.T) {
	data, err := os.ReadFile("testdata/bidi.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), ";")
		if strings.HasPrefix(line, "#") || len(fields) != 3 {
			continue
		}
		n++
		var text []rune
		for _, h := range strings.Fields(fields[0]) {
			v, _ := strconv.ParseUint(h, 16, 32)
			text = append(text, rune(v))
		}
		got, base := levels(text, byItself)
		var list []string
		for _, l := range got {
			list = append(list, strconv.Itoa(int(l)))
		}
		if strconv.Itoa(int(base)) != fields[1] || strings.Join(list, " ") != fields[2] {
			t.Errorf("%q: a paragraph of level %d with %v, want %s with %s", string(text), base, list,
				fields[1], fields[2])
		}
	}
	if n < 150 {
		t.Errorf("only %d lines", n)
	}
}
