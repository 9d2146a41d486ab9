package types

// QSort is Bentley and McIlroy's "Engineering a Sort Function" quicksort with PostgreSQL's check for input that is in order already. Rows that
// compare equal come out in PostgreSQL's order, which clients see and its regression files record; no other sort gives that.
func QSort[T any](a []T, cmp func(x, y *T) int) {
	for {
		n := len(a)
		if n < 7 {
			insertionSort(a, cmp)
			return
		}
		if inOrder(a, cmp) {
			return
		}
		pivot(a, cmp)
		// a[0] is the pivot. Equal elements gather at both ends, then move to the middle.
		pa, pb, pc, pd := 1, 1, n-1, n-1
		for {
			for pb <= pc {
				r := cmp(&a[pb], &a[0])
				if r > 0 {
					break
				}
				if r == 0 {
					a[pa], a[pb] = a[pb], a[pa]
					pa++
				}
				pb++
			}
			for pb <= pc {
				r := cmp(&a[pc], &a[0])
				if r < 0 {
					break
				}
				if r == 0 {
					a[pc], a[pd] = a[pd], a[pc]
					pd--
				}
				pc--
			}
			if pb > pc {
				break
			}
			a[pb], a[pc] = a[pc], a[pb]
			pb++
			pc--
		}
		swapRanges(a, 0, pb-min(pa, pb-pa), min(pa, pb-pa))
		swapRanges(a, pb, n-min(pd-pc, n-pd-1), min(pd-pc, n-pd-1))
		left, right := a[:pb-pa], a[n-(pd-pc):]
		if len(left) > len(right) {
			left, right = right, left
		}
		if len(left) > 1 {
			QSort(left, cmp)
		}
		if len(right) <= 1 {
			return
		}
		a = right
	}
}

func insertionSort[T any](a []T, cmp func(x, y *T) int) {
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && cmp(&a[j-1], &a[j]) > 0; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

func inOrder[T any](a []T, cmp func(x, y *T) int) bool {
	for i := 1; i < len(a); i++ {
		if cmp(&a[i-1], &a[i]) > 0 {
			return false
		}
	}
	return true
}

// pivot moves the pivot to a[0]: the middle element, the median of three, or of nine in long inputs.
func pivot[T any](a []T, cmp func(x, y *T) int) {
	n := len(a)
	m := n / 2
	if n > 7 {
		l, r := 0, n-1
		if n > 40 {
			d := n / 8
			l = median(a, l, l+d, l+2*d, cmp)
			m = median(a, m-d, m, m+d, cmp)
			r = median(a, r-2*d, r-d, r, cmp)
		}
		m = median(a, l, m, r, cmp)
	}
	a[0], a[m] = a[m], a[0]
}

func median[T any](a []T, i, j, k int, cmp func(x, y *T) int) int {
	if cmp(&a[i], &a[j]) < 0 {
		switch {
		case cmp(&a[j], &a[k]) < 0:
			return j
		case cmp(&a[i], &a[k]) < 0:
			return k
		}
		return i
	}
	switch {
	case cmp(&a[j], &a[k]) > 0:
		return j
	case cmp(&a[i], &a[k]) < 0:
		return i
	}
	return k
}

func swapRanges[T any](a []T, i, j, n int) {
	for ; n > 0; i, j, n = i+1, j+1, n-1 {
		a[i], a[j] = a[j], a[i]
	}
}
