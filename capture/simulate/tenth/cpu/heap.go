package cpu

// event is something that happens at a time. Events of one time happen in the order in which they were made.
type event struct {
	at   int64
	seq  int64
	kind uint8
	id   int
}

const (
	evChunk uint8 = iota
	evWake
	evTick
)

type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
