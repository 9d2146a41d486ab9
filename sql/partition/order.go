package partition

// Ordered says whether partitions follow each other in the order of the key: no row of one belongs between rows of another.
func (d *Desc) Ordered(live []int) bool {
	for _, i := range live {
		if i == d.Default {
			return false
		}
	}
	switch d.Key.Strategy {
	case Range:
		return true
	case Hash:
		return false
	}
	mixed := map[int]bool{}
	last := -1
	for _, p := range d.Index {
		if p < last || p == d.Null {
			mixed[p] = true
		}
		last = p
	}
	for _, i := range live {
		if mixed[i] {
			return false
		}
	}
	return true
}
