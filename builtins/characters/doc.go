// Package characters draws charts in characters, for terminals and logs that show no pictures: in braille and block
// characters, or in those of ASCII. It draws what charts.Outline says, on the axes of the picture; a value that is
// missing leaves a gap, and what is drawn ends in the cell in which its value lies.
package characters
