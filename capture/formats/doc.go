// Package formats opens and saves captures in every file format that astrolabe knows.
//
// It holds what the formats share: the Format and Writer interfaces, a Registry that recognises a file or folder
// by its content and has the catalogue describe the counters, atomic writing, and hashing for the provenance of
// reports. Each format lives in a folder of its own (arrow, csv, rocprofcompute) and package all puts them together.
// Nothing here accesses a device or knows a vendor.
package formats
