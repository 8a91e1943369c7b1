// Package top shows a recording under way in a terminal: a line for each counter and metric, with its value over the
// last moment, a bar and its history. It names no vendor and reads no device: a Feed is a sink of hwio.Record, a Board
// turns its samples into values as every other reader of a capture does, and a View draws them with tcell.
package top
