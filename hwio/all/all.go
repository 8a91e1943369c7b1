// Package all lists every reader that this program was built with. It is the one place to add a new one.
package all

import (
	"context"
	"runtime"

	"astrolabe/hwio"
	"astrolabe/hwio/amdgpu"
	"astrolabe/hwio/gpa"
	"astrolabe/hwio/i915"
	"astrolabe/hwio/kbase"
	"astrolabe/hwio/panfrost"
	"astrolabe/hwio/perfevent"
	"astrolabe/hwio/procfs"
	"astrolabe/hwio/rocprofiler"
	"astrolabe/hwio/xe"
)

// Sources returns every reader, usable or not, that looks at the machine below root; "" is this machine. Systems other
// than Linux have none unless root is a tree copied from one.
func Sources(root string) []hwio.Source {
	if runtime.GOOS != "linux" && root == "" {
		return nil
	}
	return []hwio.Source{perfevent.New(root), procfs.New(root), i915.New(root), xe.New(root), amdgpu.New(root),
		kbase.New(root), panfrost.New(root), rocprofiler.New(root), gpa.New(root)}
}

// Doctor says what the machine below root can measure, what not, and what to do about it.
func Doctor(ctx context.Context, root string) []hwio.Finding {
	return hwio.Doctor(ctx, root, Sources(root))
}
