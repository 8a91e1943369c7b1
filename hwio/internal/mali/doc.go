// Package mali is what the readers of Arm's two kernel drivers share: which GPU an id is, how its counters are arranged
// in blocks, what they are called, and how blocks turn into rows of a recording. It knows no driver's calls.
//
// Numbers are those of Arm's public driver headers and of the open counter database of Arm's libGPUCounters. An index
// counts from the start of a block, with its header of four words.
package mali
