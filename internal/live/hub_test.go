package live

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var idOf = regexp.MustCompile(`(?m)^id: (\d+)$`)

// taken reads all that a viewer is to be sent now.
func taken(h *hub, v *viewer) (ids []int64, text string) {
	for {
		events, _, _ := h.next(v)
		if len(events) == 0 {
			return ids, text
		}
		text += string(events)
		for _, m := range idOf.FindAllSubmatch(events, -1) {
			n, _ := strconv.ParseInt(string(m[1]), 10, 64)
			ids = append(ids, n)
		}
	}
}

func newHub(last time.Duration) *hub { return &hub{last: last, wake: make(chan struct{})} }

// grow appends stretches of ten samples, each 10 ms long.
func grow(h *hub, from, to int) {
	for i := from; i < to; i++ {
		h.append([]byte("{}"), 10, int64(i+1)*10e6)
	}
}

func TestALateViewerBeginsWithWhatIsKept(t *testing.T) {
	h := newHub(time.Second)
	grow(h, 0, 1000)
	v := h.join(-1)
	grow(h, 1000, 1003)
	ids, text := taken(h, v)
	if len(ids) < 100 || len(ids) > 105 || ids[len(ids)-1] != 10030 || strings.Contains(text, "missed") {
		t.Errorf("%d stretches %v, missed %v", len(ids), ids, strings.Contains(text, "missed"))
	}
	for i := 1; i < len(ids); i++ {
		if ids[i] != ids[i-1]+10 {
			t.Fatalf("%d follows %d", ids[i], ids[i-1])
		}
	}
}

func TestAViewerThatComesBackMissesOnlyWhatIsGone(t *testing.T) {
	h := newHub(time.Second)
	grow(h, 0, 50)
	v := h.join(-1)
	ids, _ := taken(h, v)
	h.leave(v, false)
	grow(h, 50, 120)
	v = h.join(ids[len(ids)-1])
	if ids, text := taken(h, v); len(ids) != 70 || ids[0] != 510 || strings.Contains(text, "missed") {
		t.Errorf("after a short while: %v %s", ids, text)
	}
	h.leave(v, false)
	grow(h, 120, 1000)
	v = h.join(1200)
	ids, text := taken(h, v)
	first := ids[0] - 10 // number of the sample that the first stretch begins with
	if want := fmt.Sprintf("event: missed\ndata: %d\n", first-1200); !strings.Contains(text, want) || ids[len(ids)-1] != 10000 {
		t.Errorf("after a long while: from %d to %d, %s", first, ids[len(ids)-1], text[max(0, len(text)-100):])
	}
}

// What one viewer does not take costs no memory, goes to others all the same, and is counted for the one.
func TestASlowViewerLosesItsPlaceAndIsTold(t *testing.T) {
	h := newHub(time.Second)
	slow, quick := h.join(-1), h.join(-1)
	var got int
	for i := range 10_000 {
		grow(h, i, i+1)
		ids, text := taken(h, quick)
		if got += len(ids); strings.Contains(text, "missed") {
			t.Fatalf("the quick viewer missed something at %d", i)
		}
		if len(h.chunks) > 102 || cap(h.chunks) > 1000 {
			t.Fatalf("%d stretches are kept, with room for %d", len(h.chunks), cap(h.chunks))
		}
	}
	if got != 10_000 {
		t.Errorf("the quick viewer got %d stretches", got)
	}
	ids, text := taken(h, slow)
	if len(ids) != 1 || ids[0] != 100_000 || !strings.Contains(text, "event: missed\ndata: 99990\n") {
		t.Errorf("the slow viewer got %v and %q", ids, text)
	}
	if n, missed, _ := h.watched(); n != 2 || missed != 99990 {
		t.Errorf("%d viewers missed %d", n, missed)
	}
}

func TestOnlySoManyViewersAreThere(t *testing.T) {
	h := newHub(time.Second)
	var last *viewer
	for range mostViewers {
		if last = h.join(-1); last == nil {
			t.Fatal("a viewer was refused")
		}
	}
	if h.join(-1) != nil {
		t.Error("there is no end of viewers")
	}
	h.leave(last, false)
	if h.join(-1) == nil {
		t.Error("a place that was given up is not there")
	}
}
