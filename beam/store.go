package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/gcsblob" // gs://
	_ "gocloud.dev/blob/s3blob"  // s3://
	"gocloud.dev/gcerrors"
)

// isURL reports whether a path is that of an object in a bucket, or of several.
func isURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// splitURL takes s3://bucket/key?options apart into the bucket's URL and the key.
func splitURL(text string) (bucket, key string, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", "", fmt.Errorf("%q is no URL of an object: %w", text, err)
	}
	if u.User != nil {
		return "", "", fmt.Errorf("%s://…: credentials come from the environment, not from a URL", u.Scheme)
	}
	key = strings.TrimPrefix(u.Path, "/")
	if u.Scheme == fileblob.Scheme {
		key = ""
		u.RawQuery = "no_tmp_dir=true&create_dir=true"
	} else {
		u.Path = ""
	}
	if u.Scheme == "s3" && u.Query().Get("use_path_style") == "" &&
		os.Getenv("AWS_ENDPOINT_URL")+os.Getenv("AWS_ENDPOINT_URL_S3") != "" {
		q := u.Query()
		q.Set("use_path_style", "true") // servers that are not Amazon's have no name for each bucket
		u.RawQuery = q.Encode()
	}
	return u.String(), key, nil
}

// below is the URL of what a name stands for below another.
func below(at, name string) string {
	at, options, ok := strings.Cut(at, "?")
	if at = strings.TrimSuffix(at, "/") + "/" + name; ok {
		at += "?" + options
	}
	return at
}

// openFolder opens a folder, or what stands below a prefix of a bucket.
func openFolder(ctx context.Context, path string) (*blob.Bucket, error) {
	if !isURL(path) {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		return fileblob.OpenBucket(abs, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	}
	where, key, err := splitURL(path)
	if err != nil {
		return nil, err
	}
	b, err := blob.OpenBucket(ctx, where)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if key != "" {
		b = blob.PrefixedBucket(b, strings.TrimSuffix(key, "/")+"/")
	}
	return b, nil
}

// put writes an object: whole, or not at all.
func put(ctx context.Context, b *blob.Bucket, key string, write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	if err := write(w); err != nil {
		cancel() // nothing appears
		return errors.Join(err, ignoreCanceled(w.Close()))
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	return nil
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) || gcerrors.Code(err) == gcerrors.Canceled {
		return nil
	}
	return err
}

// list calls f with the keys below a prefix.
func list(ctx context.Context, b *blob.Bucket, prefix string, f func(key string) error) error {
	it := b.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list %s: %w", prefix, err)
		}
		if err := f(o.Key); err != nil {
			return err
		}
	}
}
