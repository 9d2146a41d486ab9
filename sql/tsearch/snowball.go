package tsearch

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/porter"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"

	"github.com/calfdb/calf/sql/pgerr"
)

// stemmers are the languages that the library has; nil is one that PostgreSQL has too and the library lacks.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"arabic": arabic.Stem, "danish": danish.Stem, "dutch": dutch.Stem, "english": english.Stem, "finnish": finnish.Stem, "french": french.Stem,
	"german": german.Stem, "hungarian": hungarian.Stem, "irish": irish.Stem, "italian": italian.Stem, "norwegian": norwegian.Stem,
	"porter": porter.Stem, "portuguese": portuguese.Stem, "romanian": romanian.Stem, "russian": stemRussian, "spanish": spanish.Stem,
	"swedish": swedish.Stem, "tamil": tamil.Stem, "turkish": turkish.Stem,
	"armenian": nil, "basque": nil, "catalan": nil, "greek": nil, "hindi": nil, "indonesian": nil, "lithuanian": nil, "nepali": nil, "serbian": nil,
	"yiddish": nil,
}

// stemRussian: PostgreSQL's stemmer, a later one, takes the letter io for ie.
func stemRussian(env *snowballstem.Env) bool {
	env.SetCurrent(strings.ReplaceAll(env.Current(), "ё", "е"))
	return russian.Stem(env)
}

// snowball cuts words to their stems.
type snowball struct {
	stop   map[string]bool
	stem   func(*snowballstem.Env) bool
	envs   sync.Pool
	ctypeC bool
}

// stemBytesMax bounds what is given to a stemmer: longer ones are no words of a language.
const stemBytesMax = 1000

func newSnowball(env *DictEnv, options []Option) (Dictionary, error) {
	d := &snowball{ctypeC: env.CTypeC}
	d.envs.New = func() any { return snowballstem.NewEnv("") }
	known := false
	r := optionReader{what: "Snowball", once: map[string]string{"stopwords": "StopWords", "language": "Language"}}
	r.each = map[string]func(o Option) error{
		"stopwords": func(o Option) (err error) { d.stop, err = stopWords(o.Value, env.CTypeC); return err },
		"language": func(o Option) error {
			name := strings.ToLower(o.Value)
			if d.stem, known = stemmers[name]; !known {
				return pgerr.New(pgerr.UndefinedObject, "no Snowball stemmer available for language \"%s\" and encoding \"UTF8\"", o.Value)
			}
			if d.stem == nil {
				return pgerr.NotSupported("the Snowball stemmer of language %s", name)
			}
			return nil
		},
	}
	if err := r.read(options); err != nil {
		return nil, err
	}
	if !known {
		return nil, errOption("missing Language parameter")
	}
	return d, nil
}

func (d *snowball) Lexize(token string, _ *Lookahead) ([]Lexeme, error) {
	w := lower(token, d.ctypeC)
	if len(token) > stemBytesMax {
		return []Lexeme{{Text: w}}, nil
	}
	if w == "" || d.stop[w] {
		return []Lexeme{}, nil
	}
	env := d.envs.Get().(*snowballstem.Env)
	env.SetCurrent(w)
	d.stem(env)
	if s := env.Current(); s != "" {
		w = s
	}
	d.envs.Put(env)
	return []Lexeme{{Text: w}}, nil
}
