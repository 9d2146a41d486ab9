package pgstat

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// saved is the file's content. A version that does not fit is thrown away: figures are not worth a migration.
type saved struct {
	Version   int
	Relations []savedRelation
	Databases map[OID]Database
}

type savedRelation struct {
	DB, Rel OID
	Relation
}

const savedVersion = 1

// Save writes the figures to a file, at a clean stop.
func (c *Collector) Save(path string) error {
	out := saved{Version: savedVersion, Databases: map[OID]Database{}}
	c.eachShard(func(s *shard) {
		for k, r := range s.rels {
			out.Relations = append(out.Relations, savedRelation{k.db, k.rel, *r})
		}
	})
	c.mu.Lock()
	for db, d := range c.dbs {
		out.Databases[db] = *d
	}
	c.mu.Unlock()
	f, err := os.OpenFile(path+".tmp", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("saving statistics: %w", err)
	}
	err = gob.NewEncoder(f).Encode(&out)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		return fmt.Errorf("saving statistics: %w", err)
	}
	return nil
}

// Load reads the figures that the last clean stop saved and removes the file, so that a crash starts at zero. A file that cannot be read counts
// as none; the error is for the log.
func (c *Collector) Load(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading statistics: %w", err)
	}
	var in saved
	err = gob.NewDecoder(f).Decode(&in)
	f.Close()
	os.Remove(path)
	if err != nil {
		return fmt.Errorf("reading statistics: %w", err)
	}
	if in.Version != savedVersion {
		return nil
	}
	for i := range in.Relations {
		r := &in.Relations[i]
		k := key{r.DB, r.Rel}
		c.shard(k).rels[k] = &r.Relation
	}
	for db, d := range in.Databases {
		c.dbs[db] = &d
	}
	return nil
}
