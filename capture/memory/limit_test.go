package memory

import (
	"errors"
	"strings"
	"testing"
)

func TestRoomIsRefusedBeforeAnythingIsMade(t *testing.T) {
	defer SetLimit(0)
	SetLimit(1 << 30)
	err := Room(1 << 40)
	var over *LimitError
	if !errors.As(err, &over) || !errors.Is(err, ErrLimit) || over.Limit != 1<<30 || over.Need != 1<<40 {
		t.Fatalf("got %v", err)
	}
	if want := "memory limit 1 GiB reached (this takes 1 TiB): raise --max-memory"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if err := Room(1 << 20); err != nil {
		t.Errorf("a mebibyte of a gibibyte: %v", err)
	}
}

func TestRoomCountsWhatIsHeldAndNotGarbage(t *testing.T) {
	const most = 256 << 20
	SetLimit(most)
	defer SetLimit(0)
	for range 20 { // 20 times 64 MiB of garbage
		if err := Room(64 << 20); err != nil {
			t.Fatal(err)
		}
		clear(make([]byte, 64<<20))
	}
	var held [][]byte
	var err error
	for len(held) < 100 {
		if err = Room(16 << 20); err != nil {
			break
		}
		held = append(held, make([]byte, 16<<20))
		clear(held[len(held)-1])
	}
	if n := len(held) * 16; err == nil || n < 128 || n > 256 {
		t.Errorf("%d MiB were held under a limit of 256 MiB: %v", n, err)
	}
}

func TestATallyAsksForManySmallThings(t *testing.T) {
	SetLimit(1)
	defer SetLimit(0)
	var tally Tally
	n := 0
	for ; n < 1<<21; n++ {
		if tally.Add(16) != nil {
			break
		}
	}
	if n*16 > tallied || n == 0 {
		t.Errorf("%d bytes passed", n*16)
	}
}

func TestSizesAreWrittenWithBinaryUnits(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 1000: "1000 B", 1536: "1.5 KiB", 256 << 20: "256 MiB",
		8 << 30: "8 GiB", 3 << 50: "3072 TiB"} {
		if got := Text(n); got != want {
			t.Errorf("Text(%d) = %q, want %q", n, got, want)
		}
	}
	if text := (&LimitError{Limit: 1 << 20, Used: 2 << 20}).Error(); !strings.Contains(text, "(2 MiB in use)") {
		t.Error(text)
	}
}

func TestASliceAsksForTheArrayThatItMovesTo(t *testing.T) {
	const most = 128 << 20
	SetLimit(most)
	defer SetLimit(0)
	var tally Tally
	var values []int64
	err := func() (err error) {
		defer func() { err = Caught(recover()) }()
		for {
			values = Append(&tally, values, int64(len(values)))
		}
	}()
	var over *LimitError
	if !errors.As(err, &over) || over.Need < uint64(len(values))*8 {
		t.Errorf("%d values: %v", len(values), err)
	}
	// How little may be left is not this test's: the race detector's shadow of arrays that were dropped stays resident.
	if n := cap(values) * 8; n < 1<<20 || n > most*3/4 {
		t.Errorf("the array has %d bytes when there is no room for a larger one beside it", n)
	}
	for i, v := range values {
		if v != int64(i) {
			t.Fatalf("value %d is %d", i, v)
		}
	}
}
