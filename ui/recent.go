package ui

// recent is a cache in two generations: when the young one is full it becomes
// the old one, and what is asked for again moves back. It never holds more
// than twice its limit and needs no bookkeeping per use.
type recent[K comparable, V any] struct {
	limit      int
	young, old map[K]V
}

func newRecent[K comparable, V any](limit int) recent[K, V] {
	return recent[K, V]{limit: limit, young: make(map[K]V, limit)}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.young[k]
	if ok {
		return v, true
	}
	if v, ok = r.old[k]; ok {
		r.put(k, v)
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	if len(r.young) >= r.limit {
		r.old, r.young = r.young, make(map[K]V, r.limit)
	}
	r.young[k] = v
}

func (r *recent[K, V]) clear() {
	r.old = nil
	clear(r.young)
}
