// Package intel is a third model of Intel's GPUs with OA metric sets: Kaby Lake GT2 and Tiger Lake.
package intel
