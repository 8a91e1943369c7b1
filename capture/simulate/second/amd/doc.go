// Package amd is a second model of Radeon GPUs with which the diagnosis is judged. Its author knew neither the rules of
// the diagnosis nor the first simulator, only the data model of captures, the catalogues of counters and what the
// vendor and others have published of the hardware.
package amd
