package canvas

import (
	"cmp"
	"image/color"
	"math"
	"slices"
)

// cloud collects points in the device pixels of a frame, so that drawing costs as much as the frame is large, however
// many points there are. Every point leaves ink; where many fall together the cloud is denser.
type cloud struct {
	frame  Rect
	w, h   int
	few    bool // every point is a disc of its own
	points []cloudPoint
	counts []uint32
	colors []color.NRGBA // of the last point in each pixel, nil where all points have one colour
	one    color.NRGBA
	radius float64 // device pixels
	Opaque bool    // colours carry a value, which mixing would falsify
}

type cloudPoint struct {
	x, y  float64
	color color.NRGBA
}

// fewPoints is up to how many points are drawn singly.
const fewPoints = 1500

func NewCloud(sc *Scene, frame Rect, n int) *cloud {
	c := &cloud{frame: frame, few: n <= fewPoints}
	if c.few {
		return c
	}
	c.w, c.h = int(math.Round(frame.W*sc.Scale)), int(math.Round(frame.H*sc.Scale))
	c.counts = make([]uint32, c.w*c.h)
	c.radius = sc.Scale * min(3, max(1.1, 3*math.Sqrt(float64(fewPoints)/float64(n))))
	return c
}

// Paint is the colour of a point. Where all points have one, it is asked for once.
func (c *cloud) Paint(f func() color.NRGBA, many bool) color.NRGBA {
	if many {
		if !c.few && c.colors == nil {
			c.colors = make([]color.NRGBA, len(c.counts))
		}
		return f()
	}
	if c.one.A == 0 {
		c.one = f()
	}
	return c.one
}

// Add takes a point at fractions of the frame's width, from the left, and height, from below.
func (c *cloud) Add(fx, fy float64, clr color.NRGBA) {
	if c.few {
		c.points = append(c.points, cloudPoint{c.frame.X + fx*c.frame.W, c.frame.Bottom() - fy*c.frame.H, clr})
		return
	}
	x := min(max(int(fx*float64(c.w)), 0), c.w-1)
	y := min(max(c.h-1-int(fy*float64(c.h)), 0), c.h-1)
	i := y*c.w + x
	c.counts[i]++
	if c.colors != nil {
		c.colors[i] = clr
	}
}

// shades is how many degrees of density are told apart.
const shades = 10

func (c *cloud) Draw(sc *Scene, t *Theme) {
	if c.few {
		r := t.Text * 0.2
		if len(c.points) <= 100 {
			r *= 1.4
		}
		alpha := uint8(0xd0)
		switch {
		case c.Opaque:
			alpha = 0xff
		case len(c.points) > 200:
			alpha = 0xa0
		}
		for _, p := range c.points {
			sc.Disc(min(max(p.x, c.frame.X), c.frame.Right()), min(max(p.y, c.frame.Y), c.frame.Bottom()), r,
				WithAlpha(p.color, alpha))
		}
		return
	}
	img := NewImage(sc, c.frame)
	sums := c.spread()
	// Density is ranked by its logarithm: a core of thousands must not make single points vanish.
	most := slices.Max(sums)
	k := (shades - 1) / math.Log1p(float64(most))
	for i, n := range sums {
		if n <= 0 || i >= len(img.Pix)/4 {
			continue
		}
		clr := c.one
		if c.colors != nil {
			clr = c.colors[i]
			clr.A = 0xff
		} else {
			level := math.Ceil(math.Log1p(float64(n)) * k)
			clr.A = uint8(0x60 + level*(0xff-0x60)/(shades-1)*0.999)
		}
		SetPixel(img.Pix[4*i:4*i+4], clr)
	}
	sc.Image(c.frame.X, c.frame.Y, img)
}

// spread gives every point the size of a dot: each pixel gets the number of points whose dot covers it. Colours spread
// with the densest of them.
func (c *cloud) spread() []float32 {
	type offset struct{ dx, dy int }
	var dot []offset
	r := int(math.Ceil(c.radius))
	for dy := -r; dy <= r; dy++ {
		for dx := -r; dx <= r; dx++ {
			if math.Hypot(float64(dx), float64(dy)) <= c.radius {
				dot = append(dot, offset{dx, dy})
			}
		}
	}
	out := make([]float32, len(c.counts))
	var best []uint32
	var from []color.NRGBA
	if c.colors != nil {
		best, from = make([]uint32, len(c.counts)), c.colors
		c.colors = make([]color.NRGBA, len(c.counts))
	}
	// By pixels that have points and not by points: a million samples cost what their picture does.
	for y := range c.h {
		for x := range c.w {
			i := y*c.w + x
			n := c.counts[i]
			if n == 0 {
				continue
			}
			for _, o := range dot {
				px, py := x+o.dx, y+o.dy
				if px < 0 || py < 0 || px >= c.w || py >= c.h {
					continue
				}
				j := py*c.w + px
				out[j] += float32(n)
				// Where dots overlap the densest is seen, whatever the order of the points, so that pictures stay the
				// same.
				if best != nil && (n > best[j] || (o.dx == 0 && o.dy == 0)) {
					best[j], c.colors[j] = n, from[i]
					if o.dx == 0 && o.dy == 0 {
						best[j] = math.MaxUint32 // a pixel keeps the colour of its own point
					}
				}
			}
		}
	}
	return out
}

// SortByCount puts the most frequent names first, equals in the order of the alphabet.
func SortByCount(names []string, counts map[string]int) {
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
