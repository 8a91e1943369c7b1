package rdna

import "astrolabe/capture/simulate/content"

// rate is how many bytes/ns the memory that holds what the kernel touches gives at best.
func (d *device) rate(p *content.Pass) float64 {
	if d.cached(p) {
		return d.near
	}
	return d.memory
}

// settle makes a kernel keep what physics relates, where content draws the shares of time of each axis one by one.
// Waves wait for memory only while their lines are under way (Little's law), and what memory gives passes GL2 and the
// vector L1. The drawn part is left as it is.
func (d *device) settle(p *content.Pass) *content.Part {
	x := *p.Groups
	raise := func(a content.Axis, to float64) {
		if x.Press[a] < to && x.Press[a] > 0 {
			x.Press[a] = to
		}
	}
	// Latency is a limit of its own only where fewer lines are asked for at a time than keep memory busy: three to six
	// tenths of them, which is invented.
	under := 0.3 + 0.3*float64(x.Seed>>4%256)/256
	written := p.Memory.Written
	raise(content.Bandwidth, x.Press[content.Latency]*under/((1-written)*x.Effort[content.Bandwidth]))
	// Reads are of 128 bytes, writes of 64. A request takes a clock of one of GL2's channels, and before of a vector
	// L1.
	ghz := d.hz / 1e9
	bytes := x.Press[content.Bandwidth] * d.rate(p) * x.Effort[content.Bandwidth]
	requests := bytes * ((1-written)/128 + written/64) * 1.003
	raise(content.Cache, requests/(float64(d.gl2s)*gl2Clock*ghz*x.Effort[content.Cache]))
	requests = max(requests, x.Press[content.Cache]*x.Effort[content.Cache]*float64(d.gl2s)*gl2Clock*ghz)
	requests /= d.passedOn(p)
	raise(content.LoadStore, 1.02*requests/(float64(d.wgps())*ghz*x.Effort[content.LoadStore]))
	return &x
}
