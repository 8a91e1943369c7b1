package charts

import (
	"image/color"
	"math"

	"astrolabe/plots/canvas"
)

// ramp is a scale of colours from 0 to 1 in few enough steps that a picture keeps its palette.
type ramp [rampSteps]color.NRGBA

const rampSteps = 64

// newRamp goes evenly through colours that stand at equal distances.
func newRamp(stops ...uint32) *ramp {
	var r ramp
	for i := range r {
		at := float64(i) / (rampSteps - 1) * float64(len(stops)-1)
		k := min(int(at), len(stops)-2)
		f := at - float64(k)
		a, b := canvas.Rgb(stops[k]), canvas.Rgb(stops[k+1])
		part := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-f) + float64(y)*f)) }
		r[i] = color.NRGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 0xff}
	}
	return &r
}

// sequential is for amounts. Its lightness grows evenly, so it reads in grey and for colour-blind people (the stops are
// those of viridis by Smith and van der Walt).
var sequential = newRamp(0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58,
	0xb5de2b, 0xfde725)

// diverging is for amounts below and above zero, which is nearly the page.
func diverging(t *canvas.Theme) *ramp {
	if t.Dark() {
		return newRamp(0xff9a5c, 0xb5552a, 0x5c3526, 0x262b33, 0x25475c, 0x2f82b3, 0x6cc6ff)
	}
	return newRamp(0x9c3d00, 0xd9752b, 0xf6cfae, 0xf7f8fa, 0xb3d7ec, 0x3d8fc2, 0x00538a)
}

// at is the colour for a place between 0 and 1.
func (r *ramp) at(f float64) color.NRGBA {
	return r[min(max(int(f*rampSteps), 0), rampSteps-1)]
}

// inkOn is black or white, whichever reads better on a colour.
func inkOn(c color.NRGBA) color.NRGBA {
	if canvas.Luminance(c) > 0.179 {
		return canvas.Rgb(0x10141a)
	}
	return canvas.Rgb(0xffffff)
}

// colorBar is the scale of a ramp, drawn to the right of a frame.
type colorBar struct {
	ramp    *ramp
	axis    valueAxis
	missing bool // show the hatching that stands for missing values
}

func (b colorBar) labels() []string {
	var out []string
	for _, k := range b.axis.ticks {
		out = append(out, k.label)
	}
	return out
}

// width is the space that the bar takes, its distance to the frame included.
func (b colorBar) width(t *canvas.Theme) float64 {
	s := canvas.Regular.Of(t.Text)
	w := s.Width(b.axis.unit)
	for _, l := range b.labels() {
		w = max(w, s.Width(l))
	}
	if b.missing {
		w = max(w, s.Width("missing"))
	}
	return t.Text*(1.2+1.1+0.5) + w
}

// draw puts the bar beside a frame: the unit above, the scale, and below it what stands for missing values.
func (b colorBar) draw(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect) {
	s := canvas.Regular.Of(t.Text)
	bar := canvas.Box(frame.Right()+t.Text*1.2, frame.Y, t.Text*1.1, frame.H)
	tx := bar.Right() + t.Text*0.5
	if b.axis.unit != "" {
		bar.Y += s.Leading()
		bar.H -= s.Leading()
		sc.TextAt(tx, frame.Y+s.Ascent()-t.Text*0.15, canvas.Left, s, t.Muted, b.axis.unit)
	}
	if b.missing {
		bar.H -= s.Leading()
	}
	if bar.H < t.Text*2 {
		return
	}
	bar = sc.Snapped(bar)
	for i := rampSteps - 1; i >= 0; i-- { // each covers the rest of the bar, so that no seam shows between two
		h := bar.H * float64(i+1) / rampSteps
		sc.Fill(canvas.Box(bar.X, bar.Bottom()-h, bar.W, h), b.ramp[i])
	}
	sc.Frame(bar, 1, t.Rule)
	lastTop := math.Inf(1)
	for _, k := range b.axis.ticks {
		y := bar.Bottom() - b.axis.frac(k.at)*bar.H
		base := min(max(y+s.Size*0.35, bar.Y+s.Ascent()*0.8), bar.Bottom())
		if y < bar.Y-1 || y > bar.Bottom()+1 || base+s.Descent() > lastTop {
			continue
		}
		sc.Hline(bar.Right(), bar.Right()+t.Text*0.25, y, 1, t.Rule)
		lastTop = sc.TextAt(tx, base, canvas.Left, s, t.Ink, k.label).Y
	}
	if b.missing {
		box := sc.Snapped(canvas.Box(bar.X, frame.Bottom()-s.Size*0.75, bar.W, s.Size*0.75))
		img := canvas.NewImage(sc, box)
		for i := 0; i < len(img.Pix)/4; i++ {
			t.Hatch(img.Pix[4*i:4*i+4], i%img.Rect.Dx(), i/img.Rect.Dx(), sc.Scale)
		}
		sc.Image(box.X, box.Y, img)
		sc.Frame(box, 1, t.Rule)
		sc.TextAt(tx, frame.Bottom(), canvas.Left, s, t.Muted, "missing")
	}
}
