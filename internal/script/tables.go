package script

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/capture/metrics"
)

// What a GPU has and can do at most is ACCOUNT of a file in the folder tables, which is named as the script that judges
// the GPU: that of mali-g720 is mali.star. A file that is named by the GPU's id (mali_g720.star) goes before it.
// ACCOUNT is a dict, or a function that makes it of the id.
const (
	tablesFolder = "tables"
	tableName    = "ACCOUNT"
)

// table finds the table of a GPU: in the repository of the working directory, else in the library. nil where neither
// has one.
func (r *Runner) table(ctx context.Context, gpu string) (*starlark.Dict, error) {
	files := tableFiles(gpu)
	if b := r.opt.Bundle; b != nil {
		for _, file := range files {
			if key, ok := b.Tables[file]; ok {
				return r.tableOf(ctx, b.module(r, key), gpu)
			}
		}
	} else if root, ok := FindRepo("."); ok {
		for _, file := range files {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil {
				real := realPath(root)
				m, err := r.diskModule(&module{base: real, fence: real}, real, file)
				if err != nil {
					return nil, fmt.Errorf("the table of %s: %w", gpu, err)
				}
				return r.tableOf(ctx, m, gpu)
			}
		}
	}
	for _, file := range files {
		if r.has(file) {
			m, err := r.libraryModule(file)
			if err != nil {
				return nil, err
			}
			return r.tableOf(ctx, m, gpu)
		}
	}
	return nil, nil
}

// OwnTable reports whether the user has a table of that GPU: one that goes before the library's.
func (r *Runner) OwnTable(gpu string) bool {
	root, inRepo := FindRepo(".")
	return slices.ContainsFunc(tableFiles(gpu), func(file string) bool {
		if b := r.opt.Bundle; b != nil {
			_, ok := b.Tables[file]
			return ok
		}
		if !inRepo {
			return false
		}
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
		return err == nil
	})
}

// tableFiles are the files that may have the table of a GPU, the one that goes first before the others.
func tableFiles(gpu string) (files []string) {
	names := []string{strings.ReplaceAll(gpu, "-", "_")}
	if c, err := metrics.Get(gpu); err == nil && c.Triage() != names[0] {
		names = append(names, c.Triage())
	}
	for _, name := range names {
		if name != "" && fs.ValidPath(name) && !strings.ContainsAny(name, "/\\") {
			files = append(files, tablesFolder+"/"+name+sourceSuffix)
		}
	}
	return files
}

// has reports whether the library has a file.
func (r *Runner) has(file string) bool {
	if r.opt.Library == nil {
		return false
	}
	_, err := fs.Stat(r.opt.Library, file)
	return err == nil
}

// tableOf is the table that a module has for a GPU.
func (r *Runner) tableOf(ctx context.Context, m *module, gpu string) (*starlark.Dict, error) {
	globals, err := r.run(ctx, m)
	v := globals[tableName]
	if make, ok := v.(starlark.Callable); ok && err == nil {
		v, err = r.thread(ctx, tableName, func(thread *starlark.Thread) (starlark.Value, error) {
			return starlark.Call(thread, make, starlark.Tuple{starlark.String(gpu)}, nil)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("the table of %s: %w", gpu, err)
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("%s, the table of %s, defines no dict %s, and no function of that name that returns one",
			m.name, gpu, tableName)
	}
	return d, nil
}
