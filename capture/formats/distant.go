package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"astrolabe/capture"
)

// ErrFetch is content that lies elsewhere and cannot be had.
var ErrFetch = errors.New("fetch it")

// Distant is a file that lies elsewhere, such as an object in a bucket. What is read of it is fetched, once, in blocks,
// into a temporary file as large as it, which takes the room of these blocks only. It is safe for concurrent use.
type Distant struct {
	name string
	size int64
	most int64 // that may be fetched, in bytes
	from io.ReaderAt

	mu      sync.Mutex
	file    *os.File
	have    []uint64 // a bit for each block
	fetched int64    // bytes
	next    int64    // the block behind those that were fetched last
	ahead   int64    // how many blocks are fetched at a time
	failed  error    // nothing is fetched after that: what is mixed of two contents is worse than none
}

// What is fetched at a time, in bytes: at least a block, and up to distantMost of what is asked for, or while one block
// after the other is.
const (
	distantBlock = 64 << 10
	distantMost  = 4 << 20
)

// NewDistant is a file of size bytes; most is how many of them may be fetched. Close closes from too, if it can be.
func NewDistant(name string, size, most int64, from io.ReaderAt) (*Distant, error) {
	f, err := os.CreateTemp("", "astrolabe-distant-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // where the system allows it at once, so that nothing is left whatever happens
	d := &Distant{name: name, size: size, most: most, from: from, file: f,
		have: make([]uint64, (size/distantBlock)/64+1)}
	if err := f.Truncate(size); err != nil {
		return nil, errors.Join(WriteError(f.Name(), err), d.Close())
	}
	return d, nil
}

// Name is what the file is called where it lies.
func (d *Distant) Name() string { return d.name }

// Size is that of the whole file, in bytes.
func (d *Distant) Size() int64 { return d.size }

// File has the content where it was fetched, and zeros elsewhere. It stands until Close.
func (d *Distant) File() *os.File { return d.file }

// Failed is why something could not be fetched, nil where everything could.
func (d *Distant) Failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// ReadAt reads what lies at an offset, and fetches it first where nobody has.
func (d *Distant) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: read at byte %d", d.name, off)
	}
	if err := d.Need(off, off+int64(len(p))); err != nil {
		return 0, err
	}
	return d.file.ReadAt(p, off)
}

// Need fetches the bytes from from to to, as far as there are such, unless they are there.
func (d *Distant) Need(from, to int64) error {
	from, to = max(from, 0), min(to, d.size)
	d.mu.Lock()
	defer d.mu.Unlock()
	for b := from / distantBlock; from < to && b*distantBlock < to; b++ {
		if d.has(b) {
			continue
		}
		if d.failed != nil {
			return d.failed
		}
		end := b + 1
		grow := func(until int64) {
			for end*distantBlock < min(until, d.size) && end-b < distantMost/distantBlock && !d.has(end) {
				end++
			}
		}
		grow(to)
		if d.ahead = max(2*d.ahead, 1); b != d.next {
			d.ahead = 1 // else one block after the other is asked for
		}
		grow((b + d.ahead) * distantBlock)
		if d.failed = d.fetch(b, end); d.failed != nil {
			return d.failed
		}
		d.next = end
	}
	return nil
}

func (d *Distant) has(block int64) bool { return d.have[block/64]&(1<<(block%64)) != 0 }

// fetch fetches blocks.
func (d *Distant) fetch(block, end int64) error {
	at := block * distantBlock
	buf := make([]byte, min(end*distantBlock, d.size)-at)
	if d.fetched+int64(len(buf)) > d.most {
		return fmt.Errorf("%s: %w: more than %d MiB of it would be read, which is the most", d.name, ErrFetch, d.most>>20)
	}
	if n, err := d.from.ReadAt(buf, at); n < len(buf) {
		return fmt.Errorf("%w at byte %d: %w", ErrFetch, at, err)
	}
	if _, err := d.file.WriteAt(buf, at); err != nil {
		return WriteError(d.file.Name(), err)
	}
	d.fetched += int64(len(buf))
	for ; block < end; block++ {
		d.have[block/64] |= 1 << (block % 64)
	}
	return nil
}

// Close gives up what was fetched. Nothing may be read afterwards, also not from a mapping of the file.
func (d *Distant) Close() error {
	err := d.file.Truncate(0) // a mapping would keep it on the disk
	name := d.file.Name()
	err = errors.Join(err, d.file.Close())
	os.Remove(name) // where it could not be removed before
	if c, ok := d.from.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}

// Ranger is a Format that reads of a file no more than what it is asked for, also where the file lies elsewhere.
type Ranger interface {
	Format
	// OpenDistant is Open for a file that lies elsewhere. The capture reads from d, lazily.
	OpenDistant(ctx context.Context, in *Input, d *Distant, opt Options) (*capture.Capture, error)
}

// OpenDistant opens a capture that lies elsewhere, where it is of a format that reads parts of files. It is nil where
// it is not, or where another format may have its turn: then Open is to be given a copy.
func (r *Registry) OpenDistant(ctx context.Context, d *Distant, opt Options) (*capture.Capture, error) {
	if d.size == 0 {
		return nil, nil
	}
	if err := checkGPU(opt); err != nil {
		return nil, err
	}
	in := &Input{Path: d.name, Size: d.size, Head: make([]byte, min(d.size, HeadSize))}
	if _, err := d.ReadAt(in.Head, 0); err != nil {
		return nil, err
	}
	claims, err := r.claims(in, opt.Format)
	if err != nil || len(claims) > 1 {
		return nil, nil // of what is no capture Open says why
	}
	f, ok := claims[0].(Ranger)
	if !ok {
		return nil, nil
	}
	c, err := openBest(ctx, []Format{&distantFormat{f, d}}, in, opt)
	if failed := d.Failed(); failed != nil {
		return nil, failed // in whatever words the format put it
	}
	if err != nil {
		return nil, err
	}
	return settle(c, d.name, opt)
}

// distantFormat opens a file that lies elsewhere.
type distantFormat struct {
	Ranger
	d *Distant
}

// Open opens the file.
func (f *distantFormat) Open(ctx context.Context, in *Input, opt Options) (*capture.Capture, error) {
	return f.OpenDistant(ctx, in, f.d, opt)
}
