package delimited

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"astrolabe/capture"
)

// number is a decimal number as it stands in the text: mant * 10^exp, negative if neg.
type number struct {
	mant  uint64
	exp   int
	neg   bool
	whole bool // written without a fraction (other than zeros) and without an exponent
	exact bool // mant holds every significant digit
}

// scanNumber reads the number that begins at p and returns where it ends; ok is false if there is no number. buf must
// end in a byte that cannot be part of a number, as a line end.
func scanNumber(buf []byte, p int, decimal byte) (n number, q int, ok bool) {
	n.exact, n.whole = true, true
	switch buf[p] {
	case '-':
		n.neg = true
		p++
	case '+':
		p++
	}
	q = n.pushDigits(buf, p)
	digits := q - p
	if b := buf[q]; b == decimal && decimal != 0 || decimal == 0 && (b == '.' || b == ',') {
		from := q + 1
		for q = from; buf[q] == '0'; q++ { // 12.0 is the integer 12
		}
		if buf[q]-'0' <= 9 {
			n.whole = false
			q = n.pushDigits(buf, from)
			n.exp -= q - from
		}
		digits += q - from
	}
	if digits == 0 {
		return n, q, false
	}
	if buf[q]|0x20 == 'e' {
		r, neg := q+1, false
		if buf[r] == '-' || buf[r] == '+' {
			neg = buf[r] == '-'
			r++
		}
		e := 0
		from := r
		for d := buf[r] - '0'; d <= 9; d = buf[r] - '0' {
			e = min(e*10+int(d), 1<<20)
			r++
		}
		if r == from {
			return n, q, false
		}
		if neg {
			e = -e
		}
		n.exp += e
		n.whole = false
		q = r
	}
	return n, q, true
}

// pushDigits appends the digits from q on and returns where they end.
func (n *number) pushDigits(buf []byte, q int) int {
	for n.mant < 1e10 && q+8 <= len(buf) { // eight more fit
		text := binary.LittleEndian.Uint64(buf[q:])
		k := countDigits(text)
		n.mant = n.mant*tens[k] + joinDigits(text<<(64-8*k))
		if q += int(k); k < 8 {
			return q
		}
	}
	for d := buf[q] - '0'; d <= 9; d = buf[q] - '0' {
		n.push(d)
		q++
	}
	return q
}

// countDigits is how many of eight characters, the first in the lowest byte, are digits before another one.
func countDigits(text uint64) uint {
	t := text ^ 0x3030303030303030
	// The lowest byte above 9 gets its highest bit here; carries reach only those behind it.
	return uint(bits.TrailingZeros64(((t+0x7676767676767676)|t)&0x8080808080808080)) >> 3
}

// joinDigits is the number of eight digits, the first in the lowest byte, where a byte of zero is a digit 0 too: by
// pairs, fours and all of them.
func joinDigits(text uint64) uint64 {
	t := text & 0x0f0f0f0f0f0f0f0f
	t = t*10 + t>>8
	const first, second = 100 + 1000000<<32, 1 + 10000<<32
	const pair = 0x000000ff000000ff
	return ((t&pair)*first + (t>>16&pair)*second) >> 32
}

// tens are the powers of ten up to eight digits.
var tens = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// push appends a digit to the mantissa, or only counts it where the mantissa is full.
func (n *number) push(d byte) {
	if n.mant < 1e18 {
		n.mant = n.mant*10 + uint64(d)
		return
	}
	if n.mant <= (math.MaxUint64-uint64(d))/10 {
		n.mant = n.mant*10 + uint64(d)
		return
	}
	n.exp++
	n.exact = false
}

// uint64 is the number as an exact unsigned integer, if it is written as one and fits. Minus zero is not.
func (n *number) uint64() (uint64, bool) { return n.mant, n.whole && n.exact && n.exp == 0 && !n.neg }

var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
	1e20, 1e21, 1e22,
}

// float64 is the nearest double where one exact operation gives it.
func (n *number) float64() (float64, bool) {
	if !n.exact || n.mant > 1<<53 || n.exp < -22 || n.exp > 22 {
		return 0, false
	}
	f := float64(n.mant)
	if n.exp < 0 {
		f /= pow10[-n.exp]
	} else {
		f *= pow10[n.exp]
	}
	if n.neg {
		f = -f
	}
	return f, true
}

// slowFloat rounds the text of a number correctly; ok is false where it is beyond the range of a double.
func slowFloat(text []byte) (float64, bool) {
	if i := bytes.IndexByte(text, ','); i >= 0 {
		text = bytes.Clone(text)
		text[i] = '.'
	}
	// ParseFloat keeps nothing of its argument, so the bytes need not be copied into a string for each value.
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	return f, err == nil
}

// IsNumber reports whether a whole cell is a decimal number, also one beyond the range of a double.
func IsNumber(text string, decimal byte) bool {
	if len(text) > 0 && strings.Trim(text, "0123456789") == "" {
		return true
	}
	buf := append(trimSpaces([]byte(text)), '\n')
	if _, q, ok := scanNumber(buf, 0, decimal); ok && q == len(buf)-1 {
		return true
	}
	_, ok := ungroup(buf[:len(buf)-1], decimal)
	return ok
}

// ParseFloat reads a whole cell as a decimal number: the nearest double. Decimal 0 accepts a point and a comma.
func ParseFloat(text []byte, decimal byte) (float64, bool) {
	buf := append(trimSpaces(text), '\n')
	n, q, ok := scanNumber(buf, 0, decimal)
	if !ok || q != len(buf)-1 {
		return 0, false
	}
	if f, ok := n.float64(); ok {
		return f, true
	}
	return slowFloat(buf[:q])
}

// trimSpaces returns a copy of b without surrounding blanks.
func trimSpaces(b []byte) []byte {
	return append(make([]byte, 0, len(b)+1), strings.TrimSpace(string(b))...)
}

// missingForms are the spellings of a missing value, in lower case.
var missingForms = [...]string{"", "nan", "na", "n/a", "null", "none", "-", "--", "#n/a", "<not counted>",
	"<not supported>"}

// missingForm returns the index of the spelling, -1 if the text is something else.
func missingForm(text []byte) int {
	if len(text) > 16 {
		return -1
	}
	for i, f := range missingForms {
		if len(f) == len(text) && strings.EqualFold(f, string(text)) {
			return i
		}
	}
	return -1
}

// IsMissing reports whether text is one of the spellings of a missing value.
func IsMissing(text string) bool { return missingForm(trimSpaces([]byte(text))) >= 0 }

// infinity reads the spellings of infinity.
func infinity(text []byte) (float64, bool) {
	s := strings.ToLower(string(text))
	sign := 1
	switch {
	case strings.HasPrefix(s, "-"):
		s, sign = s[1:], -1
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	return math.Inf(sign), s == "inf" || s == "infinity"
}

// TimeUnit is the unit of a column of times: Mul * 10^Exp nanoseconds. The zero TimeUnit is nanoseconds.
type TimeUnit struct {
	Exp int
	Mul uint64 // 0 means 1
}

// Length is the unit in nanoseconds.
func (u TimeUnit) Length() int64 {
	ns := int64(max(u.Mul, 1))
	for range u.Exp {
		ns *= 10
	}
	return ns
}

// nanoseconds converts n exactly, rounding half away from zero below a nanosecond. ok is false where the result needs
// more than 63 bits.
func (u TimeUnit) nanoseconds(n number) (ns int64, ok bool) {
	m, exp := n.mant, n.exp+u.Exp
	if m == 0 {
		return 0, true
	}
	if u.Mul > 1 {
		if m > math.MaxUint64/u.Mul {
			return 0, false
		}
		m *= u.Mul
	}
	for ; exp > 0; exp-- {
		if m > math.MaxInt64/10 {
			return 0, false
		}
		m *= 10
	}
	if exp < 0 {
		half := false
		for ; exp < 0 && m > 0; exp++ {
			half = m%10 >= 5
			m /= 10
		}
		if half && exp == 0 {
			m++
		}
	}
	if m > math.MaxInt64 {
		return 0, false
	}
	if n.neg {
		return -int64(m), true
	}
	return int64(m), true
}

var dateLayouts = [...]string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999 UTC",
}

// parseElapsed reads a stretch of time as clocks show it: "1 days 02:03:04.5", "02:03:04" or "-0:00:01", in ns.
func parseElapsed(text string) (int64, bool) {
	if len(text) > 64 || !strings.Contains(text, ":") {
		return 0, false
	}
	text, negative := strings.CutPrefix(text, "-")
	var days uint64
	if head, rest, ok := strings.Cut(text, " day"); ok {
		n, err := strconv.ParseUint(strings.TrimSpace(head), 10, 16)
		if err != nil {
			return 0, false
		}
		days, text = n, strings.TrimLeft(strings.TrimPrefix(rest, "s"), " ,+")
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 || !allDigits([]byte(parts[0])) || !allDigits([]byte(parts[1])) || len(parts[1]) != 2 {
		return 0, false
	}
	hours, err1 := strconv.ParseUint(parts[0], 10, 16)
	minutes, err2 := strconv.ParseUint(parts[1], 10, 8)
	seconds := append([]byte(strings.Replace(parts[2], ",", ".", 1)), '\n')
	n, q, ok := scanNumber(seconds, 0, '.')
	if err1 != nil || err2 != nil || !ok || q != len(seconds)-1 || n.neg || seconds[0] == '+' || minutes > 59 {
		return 0, false
	}
	ns, ok := TimeUnit{Exp: 9}.nanoseconds(n)
	if !ok || ns > 61e9 {
		return 0, false
	}
	ns += int64(((days*24+hours)*60 + minutes) * 60e9)
	if negative {
		ns = -ns
	}
	return ns, true
}

// IsTime reports whether text is a date with a time of day, or a stretch of time as clocks show it.
func IsTime(text string) bool {
	if _, ok := parseDate(text); ok {
		return true
	}
	_, ok := parseElapsed(text)
	return ok
}

// parseDate reads a date with a time of day, in UTC where it names no zone.
func parseDate(text string) (time.Time, bool) {
	if len(text) < 16 || len(text) > 64 || text[4] != '-' {
		return time.Time{}, false
	}
	for _, l := range dateLayouts {
		if t, err := time.Parse(l, text); err == nil && t.Year() > 1677 && t.Year() < 2262 {
			return t, true
		}
	}
	return time.Time{}, false
}

// IsInfinity reports whether text is one of the spellings of infinity.
func IsInfinity(text string) bool {
	_, ok := infinity(trimSpaces([]byte(text)))
	return ok
}

// Narrow turns doubles into exact integers where every one that is not missing is whole, not negative and at most 2^53.
// whole reports that they are all whole although they stay doubles.
func Narrow(f []float64) (d capture.Data, whole bool) {
	present, whole, natural := 0, true, true
	for _, v := range f {
		if v != v {
			continue
		}
		present++
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return capture.Data{F: f}, false
		}
		natural = natural && !math.Signbit(v)
	}
	if !natural || present == 0 && len(f) > 0 {
		return capture.Data{F: f}, whole && present > 0
	}
	d.U = make([]uint64, len(f))
	if present < len(f) {
		d.Valid = capture.NewBitmap(len(f))
	}
	for i, v := range f {
		if v != v {
			d.Valid.Clear(i)
			continue
		}
		d.U[i] = uint64(v)
	}
	return d, false
}
