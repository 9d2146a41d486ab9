package tsearch

import (
	"slices"
	"strings"
)

// WordCount says how often a word is in documents.
type WordCount struct {
	Word               string
	Documents, Entries int32
}

// Statistics counts words of documents.
type Statistics struct {
	weights uint8 // bits of the weights that count; 0 = all positions, and words without
	words   map[string]*WordCount
}

// NewStatistics counts positions of the weights whose letters are listed; none = all.
func NewStatistics(weights string) *Statistics {
	s := &Statistics{words: map[string]*WordCount{}}
	for i := range len(weights) {
		if w, ok := weightOf(weights[i]); ok {
			s.weights |= 1 << w
		}
	}
	return s
}

// Add counts the words of a document.
func (s *Statistics) Add(v Vector) {
	for _, e := range v {
		n := int32(0)
		for _, p := range e.Pos {
			if s.weights == 0 || s.weights&(1<<p.weight()) != 0 {
				n++
			}
		}
		if s.weights == 0 && len(e.Pos) == 0 {
			n = 1
		}
		if n == 0 {
			continue
		}
		c := s.words[e.Word]
		if c == nil {
			word := strings.Clone(e.Word)
			c = &WordCount{Word: word}
			s.words[word] = c
		}
		c.Documents++
		c.Entries += n
	}
}

// Words lists the words, the last in order first.
func (s *Statistics) Words() []WordCount {
	list := make([]WordCount, 0, len(s.words))
	for _, c := range s.words {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b WordCount) int { return strings.Compare(b.Word, a.Word) })
	return list
}
