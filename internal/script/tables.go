package script

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.starlark.net/starlark"
)

// What a GPU has and can do at most is a dict called ACCOUNT in a file of the folder tables, which is named by the
// GPU's id, or by a beginning of it where GPUs share one: that of mali-g720 is mali_g720.star, else mali.star.
const (
	tablesFolder = "tables"
	tableName    = "ACCOUNT"
)

// table finds the table of a GPU: in the repository of the working directory, else in the library. nil where neither
// has one.
func (r *Runner) table(ctx context.Context, gpu string) (*starlark.Dict, error) {
	root, inRepo := FindRepo(".")
	id := strings.ReplaceAll(gpu, "-", "_")
	for name := id; name != "" && fs.ValidPath(name) && !strings.ContainsAny(name, "/\\"); {
		file := tablesFolder + "/" + name + sourceSuffix
		if inRepo {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil {
				real := realPath(root)
				m, err := r.diskModule(&module{base: real, fence: real}, real, file)
				if err != nil {
					return nil, fmt.Errorf("the table of %s: %w", gpu, err)
				}
				return r.tableOf(ctx, m, gpu)
			}
		}
		if r.has(file) {
			m, err := r.libraryModule(file)
			if err != nil {
				return nil, err
			}
			return r.tableOf(ctx, m, gpu)
		}
		i := strings.LastIndexByte(name, '_')
		if i < 0 {
			return nil, nil
		}
		name = name[:i]
	}
	return nil, nil
}

// has reports whether the library has a file.
func (r *Runner) has(file string) bool {
	if r.opt.Library == nil {
		return false
	}
	_, err := fs.Stat(r.opt.Library, file)
	return err == nil
}

// tableOf is the table that a module defines.
func (r *Runner) tableOf(ctx context.Context, m *module, gpu string) (*starlark.Dict, error) {
	globals, err := r.run(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("the table of %s: %w", gpu, err)
	}
	d, ok := globals[tableName].(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("%s, the table of %s, defines no dict %s", m.name, gpu, tableName)
	}
	return d, nil
}
