package rocpd

import (
	"encoding/binary"
	"fmt"
	"os"

	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
)

// SQLite takes the descriptions of all tables of a file into memory before it answers the first question, and nothing
// stops it meanwhile. So their size is looked up first: they are a tree of pages whose root is page 1 ("Database File
// Format", section 1.6 and 2.6).

const (
	fileHeader   = 100 // bytes before the header of page 1
	interiorPage = 0x05
	leafPage     = 0x0d
	deepestTree  = 20 // levels; SQLite itself takes no more
)

// schemaRoom is what a description takes in memory, for each of its bytes.
const schemaRoom = 16

// checkSchema asks for the memory that the descriptions of the tables take. What it does not understand is left to
// SQLite, which says what is wrong.
func checkSchema(path string) error {
	f, err := formats.OpenRegular(path) // another program may have put a pipe there since it was recognised
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, fileHeader)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil
	}
	size := int64(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 || size&(size-1) != 0 {
		return nil
	}
	t := &schemaTree{f: f, page: make([]byte, size), left: st.Size()/size + 1}
	t.walk(1, 0)
	if err := memory.Room(uint64(t.leaves) * uint64(size) * schemaRoom); err != nil {
		return fmt.Errorf("the descriptions of its tables, on %d pages: %w", t.leaves, err)
	}
	return nil
}

type schemaTree struct {
	f      *os.File
	page   []byte
	left   int64 // pages that may still be looked at: a tree has each but once
	leaves int64
}

func (t *schemaTree) walk(number uint32, depth int) {
	if t.left--; t.left < 0 || number == 0 || depth > deepestTree {
		return
	}
	if _, err := t.f.ReadAt(t.page, (int64(number)-1)*int64(len(t.page))); err != nil {
		return
	}
	at := 0
	if number == 1 {
		at = fileHeader
	}
	switch t.page[at] {
	case leafPage:
		t.leaves++
		return
	case interiorPage:
	default:
		return
	}
	cells := int(binary.BigEndian.Uint16(t.page[at+3:]))
	children := []uint32{binary.BigEndian.Uint32(t.page[at+8:])}
	for k := range cells {
		place := at + 12 + 2*k
		if place+2 > len(t.page) {
			break
		}
		if cell := int(binary.BigEndian.Uint16(t.page[place:])); cell+4 <= len(t.page) {
			children = append(children, binary.BigEndian.Uint32(t.page[cell:]))
		}
	}
	for _, child := range children { // the page is used again below
		t.walk(child, depth+1)
	}
}
