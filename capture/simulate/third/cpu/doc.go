// Package cpu is a third model of Linux machines whose CPUs a recorder watches while one program runs.
package cpu
