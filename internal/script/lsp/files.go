package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
)

// Bounds of what is searched for scripts, so that a folder that is opened by mistake, such as that of a user, does not
// keep an editor waiting. The client is told where they are reached.
const (
	maxEntries = 50_000
	maxScripts = 5_000
)

// roots are the folders of the client, and those that the open documents may load from; none is in another.
func (s *server) roots() []string {
	var all []string
	folder := func(uri string) {
		if path, err := pathOf(uri); err == nil && strings.HasPrefix(uri, "file:") {
			all = append(all, filepath.Clean(path))
		}
	}
	for _, f := range s.client.WorkspaceFolders {
		folder(f.URI)
	}
	folder(s.client.RootURI)
	for _, d := range s.docs {
		if strings.HasPrefix(d.uri, "file:") {
			all = append(all, script.Root(d.path))
		}
	}
	slices.Sort(all)
	var out []string
	for _, root := range all {
		inside := func(outer string) bool {
			rel, err := filepath.Rel(outer, root)
			return err == nil && filepath.IsLocal(rel)
		}
		if !slices.ContainsFunc(out, inside) {
			out = append(out, root)
		}
	}
	return out
}

// errEnough ends a search that has seen enough.
var errEnough = errors.New("enough was seen")

// files lists the scripts below the roots, and those that are open, each once.
func (s *server) files(ctx context.Context) ([]string, error) {
	var out []string
	entries := 0
	for _, root := range s.roots() {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if entries++; entries > maxEntries || len(out) >= maxScripts {
				return errEnough
			}
			switch name := ""; {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil || path == root: // what cannot be read has no scripts that anybody loads
			case e.IsDir():
				name = e.Name()
				if strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" {
					return fs.SkipDir
				}
			case e.Type().IsRegular() && strings.HasSuffix(path, ".star"):
				out = append(out, path)
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			s.log(ctx, fmt.Sprintf(
				"astrolabe: only the first %d scripts among the first %d files below %s were searched: open a smaller folder",
				len(out), entries-1, strings.Join(s.roots(), ", ")))
			break
		}
		if err != nil {
			return nil, err
		}
	}
	for _, d := range s.docs {
		out = append(out, d.file.Source.Key)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// log tells the people behind the client something.
func (s *server) log(ctx context.Context, text string) {
	const info = 3
	if s.conn != nil {
		s.conn.Notify(ctx, "window/logMessage", logParams{info, text}) // a client that is gone hears nothing
	}
}

type logParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// containing reads the scripts whose text has a word in it, as they are in the client.
func (s *server) containing(ctx context.Context, w *infer.World, word string) ([]*infer.File, error) {
	paths, err := s.files(ctx)
	if err != nil {
		return nil, err
	}
	var out []*infer.File
	seen := map[string]bool{}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		src, err := w.Reader().File(path)
		if err != nil {
			if src = s.opened(w, path); src == nil {
				continue // it went away meanwhile, or may not be read
			}
		}
		text, ok := w.Reader().Unsaved(src.Key)
		if !ok {
			text = src.Text
		}
		src = w.Reader().Text(path, text) // with the name by which it is shown
		if seen[src.Key] || !bytes.Contains(src.Text, []byte(word)) {
			continue
		}
		seen[src.Key] = true
		out = append(out, w.Known(src))
	}
	return out, nil
}

// opened is the source of a document that was never stored.
func (s *server) opened(w *infer.World, key string) *script.Source {
	if text, ok := w.Reader().Unsaved(key); ok {
		return w.Reader().Text(key, text)
	}
	return nil
}

// uriFor is the URI of a file: the client's own where it has it open.
func (s *server) uriFor(src *script.Source) string {
	for _, d := range s.docs {
		if d.file.Source.Key == src.Key {
			return d.uri
		}
	}
	return uriOf(src.Path)
}
