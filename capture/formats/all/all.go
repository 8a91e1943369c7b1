// Package all is the registry of every file format that astrolabe reads or writes.
package all

import "astrolabe/capture/formats"

// Registry returns all formats, the native one first.
func Registry() *formats.Registry { return formats.NewRegistry(known...) }
