package delimited

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Cells of digits are those that the standard library finds, whoever reads them, and what else there is is left.
func FuzzDigitCells(f *testing.F) {
	f.Add([]byte("1,22,333,4444,55555,666666,7777777,88888888,999999999,1,2,3\n"), uint8(20), uint8(3))
	f.Add([]byte("1,2,,4\n"), uint8(9), uint8(1))
	f.Add(bytes.Repeat([]byte("12345,"), 40), uint8(39), uint8(1))
	f.Add([]byte("0000000000000000000000000000000000000000000000000000000000000000000000000000,1"), uint8(4), uint8(1))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var text []byte
		for range rng.IntN(60) {
			text = strconv.AppendUint(text, rng.Uint64()>>(30+rng.IntN(34)), 10)
			text = append(text, ",,,,,,,,,,,,,,,.x;-\n/:"[rng.IntN(22)])
		}
		f.Add(text, uint8(rng.IntN(50)), uint8(1+rng.IntN(9)))
	}
	f.Fuzz(func(t *testing.T, text []byte, most, stride uint8) {
		text = append(text, '\n')
		buf := make([]byte, len(text), len(text)+slack)
		copy(buf, text)
		copy(buf[len(text):cap(buf)], "1,2,3,4,5,6,7,8") // must not be read
		step, limit := int(stride)+1, int(most)+1
		dst := make([]uint64, step*limit)
		for name, read := range map[string]func() (int, int){
			"any":   func() (int, int) { return digitCells(dst, step, limit, buf, 0, ',') },
			"plain": func() (int, int) { return plainDigitCells(dst, step, limit, buf, 0, ',') },
		} {
			n, next := read()
			pos := 0
			for i := range limit {
				at := bytes.IndexByte(text[pos:], ',')
				cell := text[pos:][:max(at, 0)]
				u, err := strconv.ParseUint(string(cell), 10, 64)
				// The text of fewer than eight bytes behind a cell is left to others.
				plain := err == nil && cell[0] != '+' && len(cell) <= 7 && pos+8 <= len(text)
				if i >= n {
					if plain {
						t.Fatalf("%s: %q: %d cells, and the next one is %s", name, text, n, cell)
					}
					break
				}
				if err != nil || len(cell) > 8 || dst[i*step] != u {
					t.Fatalf("%s: %q: cell %d is %d, not %q", name, text, i, dst[i*step], cell)
				}
				pos += at + 1
			}
			if next != pos {
				t.Fatalf("%s: %q: ends at %d, not %d", name, text, next, pos)
			}
		}
	})
}
