package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"

	"astrolabe/capture/formats"
)

// object is one in a bucket, or all below a key, as a URL names it.
type object struct {
	*blob.Bucket
	name string // the whole URL
	key  string
}

func openObject(ctx context.Context, name string) (*object, error) {
	where, key, err := splitURL(name)
	if err != nil {
		return nil, err
	}
	if root, ok := strings.CutPrefix(where, fileblob.Scheme+":///"); ok {
		root, _, _ = strings.Cut(root, "?")
		if key, err = url.PathUnescape(root); err != nil {
			return nil, err
		}
		where = fileblob.Scheme + ":///?no_tmp_dir=true&metadata=skip"
	}
	b, err := blob.OpenBucket(ctx, where)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &object{b, name, key}, nil
}

// tries is how often a server is asked, with a pause that doubles each time.
const tries = 6

// errFinal is a fault that does not pass.
var errFinal = errors.New("asking again does not help")

// retry asks again where the server or the way to it had a fault that may pass.
func retry(ctx context.Context, f func() error) error {
	for try, pause := 1, 200*time.Millisecond; ; try++ {
		err := f()
		switch gcerrors.Code(err) {
		case gcerrors.OK, gcerrors.NotFound, gcerrors.PermissionDenied, gcerrors.InvalidArgument, gcerrors.Unimplemented,
			gcerrors.FailedPrecondition, gcerrors.Canceled:
			return err
		}
		if try == tries || ctx.Err() != nil || errors.Is(err, errFinal) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause/2 + rand.N(pause)):
		}
		pause *= 2
	}
}

// problem is an error of a server in words that a user can act on. The server's own may show more than a row should.
func (o *object) problem(err error) error {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return fmt.Errorf("%s: no such object", o.name)
	case gcerrors.PermissionDenied:
		return fmt.Errorf("%s: refused: the credentials in the environment may not read it", o.name)
	}
	return fmt.Errorf("%s: %w", o.name, err)
}

// Elsewhere lists the captures that a URL names: an object; with a final slash those below it that have the ending of
// a format; or those that are called like a pattern.
func (e *engine) Elsewhere(ctx context.Context, arg string, endings []string) (found []string, theirs bool, err error) {
	if !isURL(arg) {
		return nil, false, nil
	}
	plain, options, _ := strings.Cut(arg, "?")
	star := strings.ContainsAny(plain, "*[{")
	if !star && !strings.HasSuffix(plain, "/") {
		return []string{arg}, true, nil
	}
	o, err := openObject(ctx, arg)
	if err != nil {
		return nil, true, err
	}
	defer o.Close()
	pattern := o.key
	fixed := pattern
	if star {
		if fixed = pattern[:strings.IndexAny(pattern, "*[{")]; !doublestar.ValidatePattern(pattern) {
			return nil, true, fmt.Errorf("%q is no pattern of objects: a bracket is not closed", arg)
		}
	}
	err = retry(ctx, func() error {
		found = nil
		return list(ctx, o.Bucket, fixed, func(key string) error {
			ending := strings.ToLower(strings.TrimPrefix(path.Ext(key), "."))
			if ok := star && doublestar.MatchUnvalidated(pattern, key); ok || !star && slices.Contains(endings, ending) {
				name := strings.TrimSuffix(plain, o.key) + key
				if options != "" {
					name += "?" + options
				}
				found = append(found, name)
			}
			return nil
		})
	})
	if err != nil {
		return nil, true, o.problem(err)
	}
	if len(found) == 0 {
		return nil, true, fmt.Errorf("there is no object like %s", arg)
	}
	slices.Sort(found)
	return found, true, nil
}

// Identity is the version of an object as its server tells it.
func (e *engine) Identity(ctx context.Context, capture string) (id string, theirs bool, err error) {
	if !isURL(capture) {
		return "", false, nil
	}
	o, err := openObject(ctx, capture)
	if err != nil {
		return "", true, err
	}
	defer o.Close()
	var a *blob.Attributes
	err = retry(ctx, func() error {
		a, err = o.Attributes(ctx, o.key)
		return err
	})
	if err != nil {
		return "", true, o.problem(err)
	}
	return fmt.Sprintf("object %d %s %s", a.Size, a.ETag, a.ModTime.UTC().Format(time.RFC3339Nano)), true, nil
}

// maxCopy bounds the copy of a capture, in bytes.
const maxCopy = 8 << 30

// Fetch copies an object to a folder of its own, or all objects below a key that is none: a capture that is a folder.
func (e *engine) Fetch(ctx context.Context, capture string) (at string, theirs bool, done func(), err error) {
	if !isURL(capture) {
		return "", false, nil, nil
	}
	o, err := openObject(ctx, capture)
	if err != nil {
		return "", true, func() {}, err
	}
	defer o.Close()
	dir, err := os.MkdirTemp("", "astrolabe-beam-copy-")
	if err != nil {
		return "", true, func() {}, err
	}
	done = func() { discard(dir) }
	at = filepath.Join(dir, filepath.Base(filepath.FromSlash(path.Clean("/"+o.key))))
	left := int64(maxCopy)
	err = o.copyOne(ctx, o.key, at, &left)
	if gcerrors.Code(err) == gcerrors.NotFound {
		err = o.copyFolder(ctx, at, &left)
	}
	if err != nil {
		done()
		return at, true, func() {}, err
	}
	return at, true, done, nil
}

// discard removes copies. They are made empty first: a capture that was read keeps its file mapped, and thereby on the
// disk, as long as the process runs.
func discard(dir string) {
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			os.Truncate(path, 0)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// copyFolder copies what is below a key.
func (o *object) copyFolder(ctx context.Context, at string, left *int64) error {
	var keys []string
	prefix := strings.TrimSuffix(o.key, "/") + "/"
	err := retry(ctx, func() error {
		keys = nil
		return list(ctx, o.Bucket, prefix, func(key string) error {
			keys = append(keys, key)
			return nil
		})
	})
	if err != nil {
		return o.problem(err)
	}
	if len(keys) == 0 {
		return fmt.Errorf("%s: no such object", o.name)
	}
	for _, key := range keys {
		rel := filepath.FromSlash(strings.TrimPrefix(key, prefix))
		if !filepath.IsLocal(rel) {
			return fmt.Errorf("%s: the object %q has a name that no file below a folder can have", o.name, key)
		}
		if err := o.copyOne(ctx, key, filepath.Join(at, rel), left); err != nil {
			return o.problem(err)
		}
	}
	return nil
}

// copyOne copies an object.
func (o *object) copyOne(ctx context.Context, key, at string, left *int64) error {
	p, err := o.pin(ctx, key)
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound:
		return err
	case err != nil:
		return o.problem(err)
	case p.size > *left:
		return fmt.Errorf("%s: more than %d GiB, which is the most that is copied of a capture", o.name, maxCopy>>30)
	}
	*left -= p.size
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return formats.WriteError(at, err)
	}
	defer f.Close()
	if err := p.read(f, 0, p.size); err != nil {
		return err
	}
	return f.Close()
}

// Distant is an object of which what is read is fetched.
func (e *engine) Distant(ctx context.Context, capture string) (d *formats.Distant, theirs bool, err error) {
	if !isURL(capture) {
		return nil, false, nil
	}
	o, err := openObject(ctx, capture)
	if err != nil {
		return nil, true, err
	}
	p, err := o.pin(ctx, o.key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, true, o.Close() // a folder, or nothing: Fetch says so
	}
	if err == nil {
		d, err = formats.NewDistant(capture, p.size, maxCopy, p)
	} else {
		err = o.problem(err)
	}
	if err != nil {
		return nil, true, errors.Join(err, o.Close())
	}
	return d, true, nil
}

// Put writes a file to an object.
func (e *engine) Put(ctx context.Context, file, to string) (theirs bool, err error) {
	if !isURL(to) {
		return false, nil
	}
	o, err := openObject(ctx, to)
	if err != nil {
		return true, err
	}
	defer o.Close()
	err = retry(ctx, func() error {
		return put(ctx, o.Bucket, o.key, func(w io.Writer) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		})
	})
	if err != nil {
		return true, o.problem(err)
	}
	return true, nil
}
