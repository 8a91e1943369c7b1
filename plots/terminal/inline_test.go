package terminal

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

func smallPNG(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	p, err := charts.Bar(charts.BarOptions{Title: "Time by kernel", Labels: []string{"copy", "fill", "reduce"}},
		charts.BarSeries{Values: []float64{12, 3, 7}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteTo(&b, "png", canvas.Size{Width: 400, Height: 300, DPI: 96}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestKittyGetsThePNGInPieces(t *testing.T) {
	data := smallPNG(t)
	var b bytes.Buffer
	if err := WriteInline(&b, Kitty, data, 30, 0); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	parts := regexp.MustCompile("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\").FindAllStringSubmatch(b.String(), -1)
	for i, p := range parts {
		if len(p[2]) > 4096 || (i < len(parts)-1) != strings.HasSuffix(p[1], "m=1") {
			t.Errorf("piece %d of %d: %q with %d bytes", i, len(parts), p[1], len(p[2]))
		}
		text.WriteString(p[2])
	}
	if got, err := base64.StdEncoding.DecodeString(text.String()); err != nil || !bytes.Equal(got, data) ||
		!strings.Contains(parts[0][1], "c=30,") {
		t.Errorf("%d bytes arrive of %d (%v)", len(got), len(data), err)
	}
}

func TestKittyDrawsPicturesInTheirOwnSizeAndNoWiderThanTheTerminal(t *testing.T) {
	data := smallPNG(t)
	for _, c := range []struct {
		columns, cell int
		want          string
	}{{200, 10, "c=40,"}, {200, 0, "c=50,"}, {200, 9, "c=45,"}, {30, 10, "c=30,"}, {0, 10, ""}} {
		var b bytes.Buffer
		if err := WriteInline(&b, Kitty, data, c.columns, c.cell); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(b.String(), ";")
		if c.want == "" && strings.Contains(head, "c=") || !strings.Contains(head, c.want) {
			t.Errorf("400 pixels in %d cells of %d: %q, want %q", c.columns, c.cell, head, c.want)
		}
	}
}

func TestITerm2GetsThePNGWhole(t *testing.T) {
	data := smallPNG(t)
	var b bytes.Buffer
	if err := WriteInline(&b, ITerm2, data, 20, 0); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(
		"^\x1b]1337;File=inline=1;.*size=([0-9]+);width=20:([A-Za-z0-9+/=]*)\a\n$").FindStringSubmatch(b.String())
	if m == nil || m[1] != strconv.Itoa(len(data)) {
		t.Fatalf("%.80q", b.String())
	}
	if got, err := base64.StdEncoding.DecodeString(m[2]); err != nil || !bytes.Equal(got, data) {
		t.Error(err)
	}
}

// decodeSixel reads what writeSixel writes.
func decodeSixel(t *testing.T, s string) *image.RGBA {
	t.Helper()
	head := regexp.MustCompile("^\x1bP0;1;0q\"1;1;([0-9]+);([0-9]+)").FindStringSubmatch(s)
	if head == nil {
		t.Fatalf("%.60q is no sixel picture", s)
	}
	w, _ := strconv.Atoi(head[1])
	h, _ := strconv.Atoi(head[2])
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	pal := map[int]color.RGBA{}
	x, y, c := 0, 0, 0
	number := func(i int) (n, next int) {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			n, i = n*10+int(s[i]-'0'), i+1
		}
		return n, i
	}
	for i := len(head[0]); i < len(s); {
		switch ch := s[i]; {
		case ch == 0x1b:
			return img
		case ch == '#':
			c, i = number(i + 1)
			if s[i] == ';' {
				var v [4]int
				for k := range v {
					v[k], i = number(i + 1)
				}
				pal[c] = color.RGBA{uint8(v[1] * 255 / 100), uint8(v[2] * 255 / 100), uint8(v[3] * 255 / 100), 255}
			}
		case ch == '$':
			x, i = 0, i+1
		case ch == '-':
			x, y, i = 0, y+6, i+1
		default:
			n := 1
			if ch == '!' {
				n, i = number(i + 1)
			}
			for range n {
				for bit := range 6 {
					if (s[i]-0x3f)>>bit&1 == 1 {
						img.SetRGBA(x, y+bit, pal[c])
					}
				}
				x++
			}
			i++
		}
	}
	t.Fatal("the picture has no end")
	return nil
}

func TestSixelsShowThePicture(t *testing.T) {
	data := smallPNG(t)
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteInline(&b, Sixel, data, 0, 0); err != nil {
		t.Fatal(err)
	}
	got := decodeSixel(t, b.String())
	if got.Rect != want.Bounds() {
		t.Fatalf("%v, want %v", got.Rect, want.Bounds())
	}
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			r, g, bl, _ := want.At(x, y).RGBA()
			if c := got.RGBAAt(x, y); abs(int(c.R)-int(r>>8)) > 3 || abs(int(c.G)-int(g>>8)) > 3 ||
				abs(int(c.B)-int(bl>>8)) > 3 || c.A == 0 {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, c, want.At(x, y))
			}
		}
	}
	b.Reset()
	if err := WriteInline(&b, Sixel, data, 30, 0); err != nil {
		t.Fatal(err)
	}
	if small := decodeSixel(t, b.String()); small.Rect.Dx() != 30*cellWidth ||
		small.RGBAAt(small.Rect.Dx()-1, small.Rect.Dy()-1).A == 0 {
		t.Errorf("30 columns make %v", small.Rect)
	}
}

func abs(v int) int { return max(v, -v) }

func TestInlineNamesAndErrors(t *testing.T) {
	for _, i := range []Inline{NoInline, Kitty, ITerm2, Sixel} {
		if got, err := ParseInline(i.String()); got != i || err != nil {
			t.Error(i, got, err)
		}
	}
	if _, err := ParseInline("ascii"); err == nil {
		t.Error("ascii is accepted")
	}
	if WriteInline(io.Discard, Kitty, []byte("no picture"), 0, 0) == nil ||
		WriteInline(io.Discard, NoInline, smallPNG(t), 0, 0) == nil {
		t.Error("nothing is drawn without an error")
	}
}
