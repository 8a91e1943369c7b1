package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Inputs finds captures by what a user names.
type Inputs struct {
	// Claimed reports whether a folder is one capture.
	Claimed func(folder string) bool
	// Endings are those of captures' files in folders, without the point.
	Endings []string
	// Elsewhere lists the captures that an argument names which is no path of this machine; theirs is false where it is
	// one. It may be nil.
	Elsewhere func(arg string) (captures []string, theirs bool, err error)
	// LeftOut counts files in folders that have none of the endings.
	LeftOut int
}

// Expand lists the captures that arguments name, each once, in the order of the arguments: a file or folder that is a
// capture as it is; of another folder the captures below it; of a pattern (*, ?, [a-z], {a,b}, and ** for folders of
// any depth) what is called so, sorted. What is not there and is no pattern stays, so that it fails as a capture does.
func (in *Inputs) Expand(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		if in.Elsewhere != nil {
			found, theirs, err := in.Elsewhere(arg)
			if err != nil {
				return nil, err
			}
			if theirs {
				out = append(out, found...)
				continue
			}
		}
		st, err := os.Stat(arg)
		switch {
		case err == nil && st.IsDir() && !in.Claimed(arg):
			found, err := in.below(arg)
			if err != nil {
				return nil, err
			}
			if len(found) == 0 {
				found = []string{arg}
			}
			out = append(out, found...)
		case err == nil || !strings.ContainsAny(arg, "*?[{"):
			out = append(out, arg)
		default:
			found, err := in.glob(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	return Once(out), nil
}

func (in *Inputs) glob(pattern string) ([]string, error) {
	options := []doublestar.GlobOption{doublestar.WithNoHidden(), doublestar.WithFailOnIOErrors()}
	if strings.HasSuffix(filepath.ToSlash(pattern), "**") {
		options = append(options, doublestar.WithFilesOnly())
	}
	found, err := doublestar.FilepathGlob(pattern, options...)
	switch {
	case errors.Is(err, doublestar.ErrBadPattern):
		return nil, fmt.Errorf("%q is no pattern of files: a bracket is not closed", pattern)
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("no file is called like %q", pattern)
	}
	slices.Sort(found)
	return found, nil
}

// below lists the captures in a folder that is none, and in the folders in it. Names that begin with a point or an
// underscore are of no capture, as in data sets of other programs.
func (in *Inputs) below(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case path == dir:
			return nil
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if _, _, ok := partition(name); ok || !in.Claimed(path) {
				return nil
			}
			out = append(out, path)
			return fs.SkipDir
		case slices.Contains(in.Endings, strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))):
			out = append(out, path)
		default:
			in.LeftOut++
		}
		return nil
	})
	return out, err
}

// Once drops what stands in a list already.
func Once(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}

// ParseList reads a list of paths: with a zero byte behind each, as find -print0 writes it, or with one on each line.
func ParseList(data []byte) []string {
	end := byte('\n')
	if bytes.IndexByte(data, 0) >= 0 {
		end = 0
	}
	var out []string
	for part := range bytes.SplitSeq(data, []byte{end}) {
		if end == '\n' {
			part = bytes.TrimSuffix(part, []byte{'\r'})
		}
		if len(part) > 0 {
			out = append(out, string(part))
		}
	}
	return Once(out)
}

// Label is what a folder KEY=VALUE in the path of a capture says of it.
type Label struct {
	Key   string
	Value string
	None  bool // the folder is that of what has no value
}

// noValue is what Hive, Spark and DuckDB call the folder of what has no value.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// Labels lists what the folders above a capture say of it, from the outside in; of two with the same key the inner one
// counts.
func Labels(path string) []Label {
	var out []Label
	parts := strings.Split(filepath.ToSlash(path), "/")
	for _, part := range parts[:len(parts)-1] {
		key, value, ok := partition(part)
		if !ok {
			continue
		}
		l := Label{key, value, value == noValue}
		if plain, err := url.PathUnescape(value); err == nil && !l.None {
			l.Value = plain
		}
		if i := slices.IndexFunc(out, func(o Label) bool { return o.Key == key }); i >= 0 {
			out[i] = l
		} else {
			out = append(out, l)
		}
	}
	return out
}

// Partitioned reports whether a folder has folders KEY=VALUE.
func Partitioned(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(d fs.DirEntry) bool {
		_, _, ok := partition(d.Name())
		return ok && d.IsDir()
	})
}

// partition takes the name of a folder KEY=VALUE apart.
func partition(name string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(name, "=")
	word := func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return key, value, ok && key != "" && strings.TrimFunc(key, word) == "" && key[0] != '-' && key[0] != '.'
}
