// Package terminal encodes pictures for terminals that draw them between lines of text. It knows nothing of how a
// picture came to be.
package terminal

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"

	"golang.org/x/image/draw"
)

// Inline is a way in which terminals take pictures between lines of text.
type Inline uint8

const (
	NoInline   Inline = iota
	Characters        // charts are drawn in characters, which every terminal shows
	Kitty             // kitty's graphics protocol, also of Ghostty, Konsole and WezTerm
	ITerm2            // OSC 1337 of iTerm2, also of WezTerm, mintty and the terminal of VS Code
	Sixel             // DEC's sixels: xterm, foot, mlterm, Windows Terminal
)

var inlineNames = [...]string{"none", "text", "kitty", "iterm2", "sixel"}

func (i Inline) String() string {
	if int(i) < len(inlineNames) {
		return inlineNames[i]
	}
	return "inline(" + strconv.Itoa(int(i)) + ")"
}

// ParseInline is the inverse of Inline.String.
func ParseInline(s string) (Inline, error) {
	for i, n := range inlineNames {
		if n == s {
			return Inline(i), nil
		}
	}
	return NoInline, fmt.Errorf("unknown terminal graphics %q: choose kitty, iterm2, sixel, text or none", s)
}

// cellWidth is how many pixels are taken to make one cell of a terminal that does not say it.
const cellWidth = 8

// WriteInline writes a PNG so that a terminal draws it at the cursor in its own size, but no wider than columns cells
// (0 does not limit it) of cell pixels each (0 is not known), and ends the line. An error is one of w, or says that the
// data are no PNG.
func WriteInline(w io.Writer, how Inline, data []byte, columns, cell int) error {
	if cell <= 0 {
		cell = cellWidth
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("show picture: %w", err)
	}
	var out bytes.Buffer
	switch how {
	case Kitty:
		writeKitty(&out, data, min(columns, (cfg.Width+cell-1)/cell))
	case ITerm2:
		size := "auto"
		if columns > 0 && cfg.Width > columns*cell {
			size = strconv.Itoa(columns)
		}
		fmt.Fprintf(&out, "\x1b]1337;File=inline=1;preserveAspectRatio=1;size=%d;width=%s:%s\a\n", len(data), size,
			base64.StdEncoding.EncodeToString(data))
	case Sixel:
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("show picture: %w", err)
		}
		writeSixel(&out, narrowed(img, columns*cell))
		out.WriteByte('\n')
	default:
		return fmt.Errorf("show picture: this terminal has no graphics")
	}
	_, err = w.Write(out.Bytes())
	return err
}

// writeKitty sends the PNG in pieces of at most 4096 bytes of base64, as the protocol asks. q=2 keeps the terminal from
// answering into the input of the session.
func writeKitty(out *bytes.Buffer, data []byte, columns int) {
	text := base64.StdEncoding.EncodeToString(data)
	const piece = 4096
	for at := 0; at < len(text); at += piece {
		end := min(at+piece, len(text))
		more := 0
		if end < len(text) {
			more = 1
		}
		out.WriteString("\x1b_G")
		if at == 0 {
			out.WriteString("a=T,f=100,q=2,")
			if columns > 0 {
				fmt.Fprintf(out, "c=%d,", columns)
			}
		}
		fmt.Fprintf(out, "m=%d;%s\x1b\\", more, text[at:end])
	}
	out.WriteByte('\n')
}

// narrowed scales a picture down to a width in pixels; 0 keeps it.
func narrowed(img image.Image, width int) image.Image {
	b := img.Bounds()
	if width <= 0 || b.Dx() <= width {
		return img
	}
	dst := image.NewRGBA(image.Rect(0, 0, width, max(1, b.Dy()*width/b.Dx())))
	draw.CatmullRom.Scale(dst, dst.Rect, img, b, draw.Src, nil)
	return dst
}

// sixelLevels is how many steps each channel has where a picture is reduced to the colours of the terminal: 6 x 7 x 6
// makes 252 of 256.
var sixelLevels = [3]int{6, 7, 6}

// writeSixel writes bands of six rows, one pass per colour of the band, with runs of equal columns counted.
func writeSixel(out *bytes.Buffer, img image.Image) {
	idx, pal := sixelColors(img)
	w, h := idx.Rect.Dx(), idx.Rect.Dy()
	fmt.Fprintf(out, "\x1bP0;1;0q\"1;1;%d;%d", w, h)
	for i, c := range pal {
		r, g, b, _ := c.RGBA()
		fmt.Fprintf(out, "#%d;2;%d;%d;%d", i, (r*100+0x7fff)/0xffff, (g*100+0x7fff)/0xffff, (b*100+0x7fff)/0xffff)
	}
	rows := make([][]uint8, len(pal)) // sixels of the band by colour
	for y0 := 0; y0 < h; y0 += 6 {
		used := make([]bool, len(pal))
		var order []int
		for y := y0; y < min(y0+6, h); y++ {
			for x, c := range idx.Pix[y*idx.Stride : y*idx.Stride+w] {
				if !used[c] {
					used[c] = true
					order = append(order, int(c))
					if rows[c] == nil {
						rows[c] = make([]uint8, w)
					}
					clear(rows[c])
				}
				rows[c][x] |= 1 << (y - y0)
			}
		}
		for k, c := range order {
			if k > 0 {
				out.WriteByte('$')
			}
			fmt.Fprintf(out, "#%d", c)
			writeSixelRow(out, rows[c])
		}
		out.WriteByte('-')
	}
	out.WriteString("\x1b\\")
}

func writeSixelRow(out *bytes.Buffer, row []uint8) {
	end := len(row)
	for end > 0 && row[end-1] == 0 {
		end--
	}
	for x := 0; x < end; {
		n := x + 1
		for n < end && row[n] == row[x] {
			n++
		}
		if c := row[x] + 0x3f; n-x > 3 {
			fmt.Fprintf(out, "!%d%c", n-x, c)
		} else {
			for range n - x {
				out.WriteByte(c)
			}
		}
		x = n
	}
}

// sixelColors gives a picture at most 256 colours: its own where it has so few, else even steps of each channel.
func sixelColors(img image.Image) (*image.Paletted, color.Palette) {
	b := img.Bounds()
	if p, ok := img.(*image.Paletted); ok && b.Min == (image.Point{}) {
		return p, p.Palette
	}
	var pal color.Palette
	for r := range sixelLevels[0] {
		for g := range sixelLevels[1] {
			for bl := range sixelLevels[2] {
				pal = append(pal, color.RGBA{uint8(r * 255 / (sixelLevels[0] - 1)),
					uint8(g * 255 / (sixelLevels[1] - 1)), uint8(bl * 255 / (sixelLevels[2] - 1)), 0xff})
			}
		}
	}
	own := map[color.RGBA]uint8{}
	var ownPal color.Palette
	out := image.NewPaletted(image.Rect(0, 0, b.Dx(), b.Dy()), nil)
	few := true
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := color.RGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.RGBA)
			if few {
				i, ok := own[c]
				if !ok {
					if few = len(ownPal) < 256; few {
						i = uint8(len(ownPal))
						own[c] = i
						ownPal = append(ownPal, c)
					}
				}
				out.Pix[y*out.Stride+x] = i
			}
		}
	}
	if few {
		out.Palette = ownPal
		return out, ownPal
	}
	for y := range b.Dy() {
		for x := range b.Dx() {
			r, g, bl, _ := img.At(b.Min.X+x, b.Min.Y+y).RGBA()
			step := func(v uint32, n int) int { return (int(v)*(n-1) + 0x7fff) / 0xffff }
			out.Pix[y*out.Stride+x] = uint8((step(r, sixelLevels[0])*sixelLevels[1]+step(g, sixelLevels[1]))*
				sixelLevels[2] + step(bl, sixelLevels[2]))
		}
	}
	out.Palette = pal
	return out, pal
}
