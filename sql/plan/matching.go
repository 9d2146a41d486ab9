package plan

import "math"

// matching is a maximum matching of a bipartite graph whose sides are both numbered from 1, found by Hopcroft and Karp's algorithm.
type matching struct {
	adjacency [][]int // of the left side, tried last to first
	uv, vu    []int   // partner of each left and right vertex, 0 = none
	distance  []int
}

func match(adjacency [][]int) *matching {
	n := len(adjacency)
	m := &matching{adjacency: adjacency, uv: make([]int, n), vu: make([]int, n), distance: make([]int, n)}
	for m.breadthSearch() {
		for u := 1; u < n; u++ {
			if m.uv[u] == 0 {
				m.depthSearch(u)
			}
		}
	}
	return m
}

// breadthSearch layers the left side by its distance from unmatched vertices; false when no augmenting path is left.
func (m *matching) breadthSearch() bool {
	m.distance[0] = math.MaxInt
	var queue []int
	for u := 1; u < len(m.adjacency); u++ {
		m.distance[u] = math.MaxInt
		if m.uv[u] == 0 {
			m.distance[u] = 0
			queue = append(queue, u)
		}
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		if m.distance[u] >= m.distance[0] {
			continue
		}
		for i := len(m.adjacency[u]) - 1; i >= 0; i-- {
			next := m.vu[m.adjacency[u][i]]
			if m.distance[next] == math.MaxInt {
				m.distance[next] = m.distance[u] + 1
				queue = append(queue, next)
			}
		}
	}
	return m.distance[0] != math.MaxInt
}

// depthSearch augments the matching along a shortest path from u.
func (m *matching) depthSearch(u int) bool {
	if u == 0 {
		return true
	}
	if m.distance[u] == math.MaxInt {
		return false
	}
	for i := len(m.adjacency[u]) - 1; i >= 0; i-- {
		v := m.adjacency[u][i]
		if m.distance[m.vu[v]] == m.distance[u]+1 && m.depthSearch(m.vu[v]) {
			m.vu[v], m.uv[u] = u, v
			return true
		}
	}
	m.distance[u] = math.MaxInt
	return false
}
