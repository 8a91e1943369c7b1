// Package screenshots reads folders of pictures that other programs took while a capture was recorded: which moment or
// frame each is of, from its name or from an index, and the picture itself, scaled down. It knows no chart, and it opens
// nothing outside of the folder.
package screenshots
