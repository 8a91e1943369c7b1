package amd

// event is a piece that asks for its next step.
type event struct {
	at    float64
	piece int32
	step  int16
	node  int32
}

func (e event) before(f event) bool { return e.at < f.at || e.at == f.at && e.piece < f.piece }

// events is a heap with the earliest on top.
type events []event

func (q *events) push(e event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(h[up]) {
			break
		}
		h[i], i = h[up], up
	}
	h[i] = e
	*q = h
}

func (q *events) pop() event {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	i := 0
	for {
		k := 2*i + 1
		if k >= len(h) {
			break
		}
		if k+1 < len(h) && h[k+1].before(h[k]) {
			k++
		}
		if !h[k].before(last) {
			break
		}
		h[i], i = h[k], k
	}
	if len(h) > 0 {
		h[i] = last
	}
	*q = h
	return top
}

// union adds up intervals whose starts come in order, or nearly.
type union struct{ sum, first, last float64 }

func (u *union) add(from, to float64) {
	if to <= from {
		return
	}
	if u.sum == 0 {
		u.first = from
	}
	u.sum += max(0, to-max(from, u.last))
	u.last = max(u.last, to)
}
