package amd

// shade lets a chunk's waves run: they start where there is room for them, use all units at the same time, and end
// with the last of them.
func (l *line) shade(m *machine, stage, k int, w *work, at float64, from pred, varies float64, o *outcome, look bool) {
	n := &l.nodes[stage][k]
	*n = node{start: at, end: at, from: from, cause: causeLatency}
	if !w.on {
		if k > 0 {
			n.later(l.nodes[stage][k-1].end, pred{int8(stage), int8(k - 1), true})
			n.end = n.start
		}
		return
	}
	if fits := int(w.slots); k >= fits {
		n.later(l.nodes[stage][k-fits].end, pred{int8(stage), int8(k - fits), true})
	}
	if stage == stPS && l.toCB > 0 {
		n.room(l, stCB, k, l.toCB)
	}
	part := varies / chunks
	n.end = n.start + w.alone*w.long*min(2, varies)
	alone := n.end
	var done [resources]float64
	for _, r := range [...]int{rVALU, rTA, rLDS, rCache, rMem} {
		done[r] = n.start
		if w.of[r] > 0 {
			done[r] = l.units[r].serve(n.start, w.of[r]*part)
			if done[r] > n.end {
				n.end, n.cause = done[r], r
			}
		}
		o.busy[r] += w.bare[r] * part
	}
	if !look {
		return
	}
	if ta := w.bare[rTA] * part; ta > 0 {
		behind := max(done[rCache], done[rMem])
		served := n.start + ta
		o.ta.add(n.start, served+max(0, max(done[rTA], min(alone, n.end))-served)*m.taWait)
		if behind > max(done[rTA], alone) {
			stall := (behind - max(done[rTA], alone)) * m.taStall
			o.taStall.add(behind-stall, behind)
			o.ta.add(behind-stall, behind)
		}
	}
	if wait := done[rLDS] - n.start; w.bare[rLDS] > 0 {
		o.ldsWait += max(wait-w.bare[rLDS]*part/4, wait*0.3) / w.long / chunks
	}
	if all := w.read + w.written; all > 0 && done[rMem]-n.start > 1.2*w.bare[rMem]*part {
		stall := (done[rMem] - n.start - w.bare[rMem]*part) * min(1, 1.6*w.written/all)
		o.wrStall.add(done[rMem]-stall, done[rMem])
	}
}

// walk goes back from the end of the draw over what each chunk waited for.
func (l *line) walk(d *draw, q *demand, o *outcome) {
	at := pred{stPS, 0, true}
	best := -1.0
	for s := range int8(stages) {
		if d.compute && s != stPS || s == stPS && !d.compute && !q.ps.on || s == stCB && !d.colors() {
			continue
		}
		if n := &l.nodes[s][chunks-1]; n.end > best {
			best, at = n.end, pred{s, chunks - 1, true}
		}
		for k := range int8(chunks) {
			if n := &l.nodes[s][k]; n.end > best {
				best, at = n.end, pred{s, k, true}
			}
		}
	}
	for at.stage >= 0 {
		n := &l.nodes[at.stage][at.chunk]
		if at.end {
			l.charge(d, q, n, int(at.stage), o)
		}
		at = n.from
	}
	o.share[launch] += o.launch
}

var leafOf = [resources]int{rGE: vertexFetch, rPA: primitiveAssembly, rSC: rasterizer, rDB: depthTest, rCB: pixelBackend,
	rVALU: arithmetic, rLDS: localMemory, rCache: cacheRate, rMem: bandwidth}

// charge gives the time of a node to what it waited for.
func (l *line) charge(d *draw, q *demand, n *node, stage int, o *outcome) {
	time := n.end - n.start
	w := &q.ps
	switch {
	case d.compute:
		w = &q.cs
	case stage == stVS:
		w = &q.vs
	}
	switch n.cause {
	case rTA:
		o.share[texture] += time * w.texture
		o.share[loadStore] += time * (1 - w.texture)
	case causeLatency:
		for i, t := range w.by {
			if t > 0 {
				o.share[i] += time * t / w.alone
			}
		}
	default:
		o.share[leafOf[n.cause]] += time
	}
}
