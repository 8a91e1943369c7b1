package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// pinned reads one version of an object: where it has been replaced, reading fails.
type pinned struct {
	*object
	ctx context.Context // of the work that it is read for
	key string

	size int64
	mod  time.Time
	tag  string // ETag; "" where the storage has none
	gen  int64  // generation, of Google's storage
}

var errReplaced = errors.New("it was replaced while it was read")

// pin finds the version of an object that is there now.
func (o *object) pin(ctx context.Context, key string) (*pinned, error) {
	p := &pinned{object: o, ctx: ctx, key: key}
	err := retry(ctx, func() error {
		a, err := o.Attributes(ctx, key)
		if err != nil {
			return err
		}
		p.size, p.mod, p.tag = a.Size, a.ModTime, a.ETag
		var google storage.ObjectAttrs
		if a.As(&google) {
			p.gen = google.Generation
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// only asks the server for this version alone, where it can be asked.
func (p *pinned) only(as func(any) bool) error {
	var amazon *s3.GetObjectInput
	var google **storage.ObjectHandle
	var azure *azblob.DownloadStreamOptions
	switch {
	case p.tag == "" && p.gen == 0:
	case as(&amazon):
		amazon.IfMatch = &p.tag
	case as(&google):
		*google = (*google).Generation(p.gen)
	case as(&azure):
		tag := azcore.ETag(p.tag)
		azure.AccessConditions = &azureblob.AccessConditions{
			ModifiedAccessConditions: &azureblob.ModifiedAccessConditions{IfMatch: &tag}}
	}
	return nil
}

// same reports whether an answer is of this version: not every server heeds what it is asked.
func (p *pinned) same(r *blob.Reader) bool {
	var amazon s3.GetObjectOutput
	if r.As(&amazon) && amazon.ETag != nil && *amazon.ETag != p.tag {
		return false
	}
	// Google's answers tell the time in whole seconds, and are those of the generation that was asked for.
	return r.Size() == p.size && (p.gen != 0 || r.ModTime().Equal(p.mod))
}

// read hands on n bytes from an offset, and goes on where a connection breaks.
func (p *pinned) read(w io.Writer, off, n int64) error {
	var lost error
	err := retry(p.ctx, func() error {
		if n == 0 {
			return nil
		}
		r, err := p.NewRangeReader(p.ctx, p.key, off, n, &blob.ReaderOptions{BeforeRead: p.only})
		if gcerrors.Code(err) == gcerrors.FailedPrecondition || err == nil && !p.same(r) {
			err = errors.Join(errFinal, errReplaced)
		}
		if r != nil {
			defer r.Close()
		}
		if err != nil {
			return err
		}
		to := &sink{w: w}
		k, err := io.Copy(to, io.LimitReader(r, n))
		off, n = off+k, n-k
		switch lost = to.err; {
		case lost != nil:
			err = errFinal
		case err == nil && n > 0:
			err = io.ErrUnexpectedEOF
		}
		return err
	})
	switch {
	case lost != nil:
		return lost
	case errors.Is(err, errReplaced):
		return p.problem(errReplaced)
	case err != nil:
		return p.problem(err)
	}
	return nil
}

// sink is a writer that keeps its error, which asking the server again does not mend.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.w.Write(p)
	return n, s.err
}

// ReadAt reads a range.
func (p *pinned) ReadAt(b []byte, off int64) (int, error) {
	w := &filler{b: b}
	err := p.read(w, off, int64(len(b)))
	return w.n, err
}

// filler is a writer to a slice that is large enough.
type filler struct {
	b []byte
	n int
}

func (f *filler) Write(p []byte) (int, error) {
	n := copy(f.b[f.n:], p)
	if f.n += n; n < len(p) {
		return n, fmt.Errorf("%d bytes more than were asked for", len(p)-n)
	}
	return n, nil
}
