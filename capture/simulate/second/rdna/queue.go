package rdna

// queue holds waves by when they go on, as a binary heap. Waves of the same time go on in an order that is always the
// same.
type queue []*wave

func (q *queue) push(w *wave) {
	h := append(*q, w)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up].at <= w.at {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = w
	*q = h
}

func (q *queue) pop() *wave {
	h := *q
	first, w := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].at < h[down].at {
			down++
		}
		if h[down].at >= w.at {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = w
	return first
}
