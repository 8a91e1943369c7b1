// Package content draws what programs give a GPU to do, in terms that every family of GPUs has: passes with the time
// that they are worth, and for each kind of resource the share of that time which the pass would need of it alone.
// Families turn these shares into work on their own units and into counts of vertices, quads, warps, instructions and
// bytes.
//
// A pass whose share is 1 for one resource and well below for all others is limited by that one when nothing else
// interferes. Whether it is, and whether that shows in a frame beside other passes, a processor and a display, the
// simulation finds out.
package content
