package typeset

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A system may have hundreds of fonts, and most of what they are for is in their names. They are ranked by it, so that
// the first that is opened is usually the right one: fonts made for the script before those that happen to have it,
// upright sans serif of regular weight before the rest.

// preferred are beginnings of file names, the best first, for scripts whose fonts are not called after them. The keys
// are Unicode's names of scripts; Han has one list per language.
var preferred = map[string][]string{
	"Han": {"notosanscjk", "notosanssc", "sourcehansans", "pingfang", "hiraginosansgb", "msyh", "stheiti",
		"simhei", "deng", "simsun", "wqyzenhei", "wqymicrohei", "droidsansfallback"},
	"Han ja": {"notosanscjk", "notosansjp", "sourcehansans", "ヒラギノ角ゴシックw3", "hiraginosans", "hiraginokaku", "yugothr",
		"yugothic", "meiryo", "msgothic", "ipaexg", "ipag", "takaogothic", "vlgothic", "droidsansjapanese",
		"droidsansfallback"},
	"Han ko": {"notosanscjk", "notosanskr", "sourcehansans", "applesdgothicneo", "malgun", "nanumgothic",
		"nanumbarungothic", "gulim", "batang", "unbatang", "droidsansfallback"},
	"Han tw": {"notosanscjk", "notosanstc", "sourcehansans", "pingfang", "msjh", "mingliu", "uming",
		"droidsansfallback"},
	"Arabic":  {"notosansarabic", "notonaskharabic", "geezapro", "segoeui", "dejavusans"},
	"Hebrew":  {"notosanshebrew", "arialhb", "segoeui", "dejavusans"},
	"Thai":    {"notosansthai", "thonburi", "leelawui", "leelawad", "loma", "waree", "garuda"},
	"Bengali": {"notosansbengali", "nirmala", "kohinoorbangla", "vrinda"},
	"Common": {"notosanssymbols", "notosansmath", "notoemojiregular", "notoemoji", "symbola", "seguisym",
		"applesymbols", "dejavusans", "freesans"},
	"Ethiopic": {"notosansethiopic", "ebrima", "kefa", "nyala"},
}

// widely are fonts that have many scripts.
var widely = []string{"notosansregular", "notosansdisplay", "dejavusans", "nirmala", "segoeui", "arialunicode",
	"arialuni", "tahoma", "arial", "freesans", "droidsans", "roboto"}

// lastly are fonts that have everything, drawn coarsely.
var lastly = []string{"unifont"}

// never are fonts whose glyphs stand for the absence of one.
var never = []string{"lastresort", "adobeblank", "notosansblank", "tofu"}

// marksOfStyle are parts of names, with how much they speak against a font for running text.
var marksOfStyle = []struct {
	part string
	cost int
}{
	{"italic", 16}, {"oblique", 16}, {"bold", 8}, {"black", 8}, {"heavy", 8}, {"thin", 8}, {"extralight", 8},
	{"light", 6}, {"medium", 4}, {"demi", 4},
	{"condensed", 6}, {"narrow", 6}, {"serif", 3}, {"mono", 3}, {"kufi", 2}, {"naskh", 2}, {"nastaliq", 4},
	{"looped", 1}, {"ui", 1}, {"csur", 9}, {"upper", 1}, {"sample", 20},
}

// languageOf says whose forms the Han characters of a text have: those of the language of the letters among them, else
// Chinese.
func languageOf(text []rune) string {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "ja"
		case unicode.Is(unicode.Hangul, r):
			return "ko"
		case unicode.Is(unicode.Bopomofo, r):
			return "tw"
		}
	}
	return "zh"
}

// scriptName is Unicode's name of the script of a character.
func scriptName(r rune) string {
	for _, common := range []string{"Han", "Arabic", "Hebrew", "Common"} {
		if unicode.Is(unicode.Scripts[common], r) {
			return common
		}
	}
	found := "Common"
	for name, table := range unicode.Scripts { // each character is in one of them
		if unicode.Is(table, r) {
			found = name
		}
	}
	return found
}

// wishList is the key into preferred for a character in a text of a language, and what names of fonts for it contain.
func wishList(r rune, language string) (key, part string) {
	name := scriptName(r)
	if name == "Common" {
		switch {
		case r >= 0x3000 && r <= 0x33ff, r >= 0xfe30 && r <= 0xfe4f, r >= 0xff00 && r <= 0xffef:
			name = "Han"
		case r >= 0x600 && r <= 0x6ff:
			name = "Arabic"
		case r == 0x964 || r == 0x965:
			name = "Devanagari"
		}
	}
	switch name {
	case "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo":
		key = "Han"
		if language != "zh" {
			key = "Han " + language
		}
	case "Inherited":
		return "Common", "symbols"
	default:
		key = name
	}
	return key, strings.ReplaceAll(strings.ToLower(name), "_", "")
}

// ranked is the fonts in the order in which they are asked for a script.
func ranked(files []*fontFile, key, part string) []*fontFile {
	type scored struct {
		file       *fontFile
		tier, cost int
	}
	list := make([]scored, 0, len(files))
	for _, f := range files {
		if begins(f.name, never) >= 0 {
			continue
		}
		s := scored{file: f, cost: styleCost(f.name)}
		switch i := begins(f.name, preferred[key]); {
		case i >= 0:
			s.tier = i
		case part != "common" && strings.Contains(f.name, "sans"+part):
			s.tier = 100
		case part != "common" && strings.Contains(f.name, part):
			s.tier = 101
		default:
			s.tier = 300
			if i := begins(f.name, widely); i >= 0 {
				s.tier = 200 + i
			} else if begins(f.name, lastly) >= 0 {
				s.tier = 400
			}
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Or(a.tier-b.tier, a.cost-b.cost) })
	out := make([]*fontFile, len(list))
	for i, s := range list {
		out[i] = s.file
	}
	return out
}

// begins is the place of the first beginning that a name has, -1 where it has none.
func begins(name string, list []string) int {
	return slices.IndexFunc(list, func(p string) bool { return strings.HasPrefix(name, p) })
}

func styleCost(name string) int {
	sum := 0
	for _, m := range marksOfStyle {
		if strings.Contains(name, m.part) {
			sum += m.cost
		}
	}
	return sum
}

// boldNames are the names that the bold font of a family may have beside its regular one.
func boldNames(name string) []string {
	out := []string{strings.Replace(name, "regular", "bold", 1)}
	for _, pair := range [][2]string{{"msyh", "msyhbd"}, {"msjh", "msjhbd"}, {"malgun", "malgunbd"},
		{"meiryo", "meiryob"}, {"yugothr", "yugothb"}, {"yugothm", "yugothb"},
		{"segoeui", "segoeuib"}, {"nirmala", "nirmalab"}, {"leelawui", "leelauib"}, {"tahoma", "tahomabd"},
		{"arial", "arialbd"}, {"ヒラギノ角ゴシックw3", "ヒラギノ角ゴシックw6"}} {
		if name == pair[0] {
			out = append(out, pair[1])
		}
	}
	return slices.DeleteFunc(append(out, name+"bold"), func(s string) bool { return s == name })
}
