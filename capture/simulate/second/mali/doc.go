// Package mali is a second, independent simulator of programs on Arm Mali GPUs with a command stream front end, written
// by an author who had seen neither the rules of the diagnosis nor the first simulator.
package mali
