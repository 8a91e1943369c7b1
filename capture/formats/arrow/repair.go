package arrow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/mapping"
	"astrolabe/capture/memory"
)

// Damage is what a file lacks that nobody finished.
type Damage struct {
	Whole            bool   // nothing is amiss
	Stream           bool   // the stream form, which ends with a mark instead of a footer
	Samples, Batches int    // that are whole
	Held             string // what else is lost where the recorder was killed, as the end of a sentence; "" if nothing
	At, Lost         int64
	Why              string // the bytes from At on, Lost of them, are no batch
	// Behind is how many batches stand behind the damage, which nobody reaches: what follows At does not merely break
	// off.
	Behind int
}

// Repair completes a file that was being recorded when its recorder was killed: what breaks off behind the last whole
// batch is cut off, and the footer of a file or the end mark of a stream appended. Nothing else is written, and nothing
// at all to a file that is whole. allow is told before and may refuse.
func Repair(ctx context.Context, path string, allow func(*Damage) error) (err error) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		if err == nil {
			err = errors.New("it is no regular file")
		}
		return fmt.Errorf("repair %s: %w", path, err)
	}
	in, err := formats.Inspect(path)
	if err != nil {
		return err
	}
	if (Format{}).Sniff(in) == 0 {
		return fmt.Errorf("%s is no Arrow file: %s", path, Format{}.WhyNot(in))
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return err
	}
	if st, err = f.Stat(); err != nil {
		return err
	}
	data, free, err := mapping.Load(f, st.Size())
	if err != nil {
		return err
	}
	defer free()
	d, end, err := examine(ctx, data)
	if err != nil {
		return fmt.Errorf("repair %s: %w", path, err)
	}
	if err := allow(d); err != nil || d.Whole {
		return err
	}
	return complete(path, d.At, end)
}

// examine finds out what data lacks, and what is to stand from d.At on.
func examine(ctx context.Context, data []byte) (d *Damage, end []byte, err error) {
	var x index
	m := newMessages(data)
	file := m.start > 0
	whole := m.listed
	m.seen = &x
	c, err := takeApart(ctx, m)
	d = &Damage{Stream: !file, At: m.pos}
	if err != nil {
		if errors.Is(err, memory.ErrLimit) || ctx.Err() != nil {
			return nil, nil, err
		}
		// What comes before the damage is good, as long as it has a schema.
		d.At, d.Why = m.current, err.Error()
		before := newMessages(data[:m.current:m.current])
		if c, err = takeApart(ctx, before); err != nil || whole {
			return nil, nil, errors.New(d.Why)
		}
		x.cutTo(d.At)
	}
	d.Samples, d.Batches = c.rows(), c.batches()
	if whole || !file && m.done && d.Why == "" {
		d.Whole = true
		return d, nil, nil
	}
	if d.Batches == 0 && len(x.dicts) > 0 {
		// Of the dictionaries before the first batch readers want all or none.
		d.At = x.dicts[0].at
		x.cutTo(d.At)
	}
	d.Lost, d.Held = int64(len(data))-d.At, c.heldBack()
	switch {
	case d.Why != "":
	case m.done: // the footer alone was not finished
		d.Lost, d.Why = 0, "there is an end mark and no whole footer"
	default:
		d.Why = c.cut
	}
	if d.Lost > 0 {
		d.Behind = batchesIn(data[d.At:])
	}
	if !file {
		return d, endMark, nil
	}
	if x.replaced {
		return nil, nil, errors.New(
			"its dictionaries are replaced on the way, which no file with a footer can have: convert it instead")
	}
	return d, x.end(), nil
}

// batchesIn counts what reads as a record batch in bytes that begin with none.
func batchesIn(b []byte) (n int) {
	le := binary.LittleEndian
	for pos := 8; pos+16 <= len(b); {
		size := int64(le.Uint32(b[pos+4:]))
		if le.Uint32(b[pos:]) == contToken && size > 0 && size%8 == 0 && size <= int64(len(b)-pos-8) {
			info, err := verifyMessage(b[pos+8:pos+8+int(size)], &viewCount{})
			next := int64(pos) + 8 + size + info.bodyLen
			if err == nil && info.header == headerBatch && info.bodyLen <= int64(len(b)) && next <= int64(len(b)) {
				n++
				pos = int(next)
				continue
			}
		}
		pos += 8
	}
	return n
}

// cutTo forgets the messages from a position of the file on.
func (x *index) cutTo(at int64) {
	beyond := func(p place) bool { return p.at >= at }
	x.dicts, x.blocks = slices.DeleteFunc(x.dicts, beyond), slices.DeleteFunc(x.blocks, beyond)
}

// complete puts end at a position of the file, and nothing behind it.
func complete(path string, at int64, end []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return formats.WriteError(path, err)
	}
	// Until the last byte is there the file is one without a footer, which can be repaired again.
	err = f.Truncate(at)
	if err == nil {
		_, err = f.WriteAt(end, at)
	}
	return formats.WriteError(path, errors.Join(err, f.Sync(), f.Close()))
}
