package diff

import (
	"bytes"
	"strconv"

	"rewatch/model/jsonscan"
)

// mergeKey tells the elements of a list apart by the values of these parts.
type mergeKey []keyPart

type keyPart struct {
	path     []string
	optional bool
}

// of returns the scalar that an element has for the part, nil without one.
func (p keyPart) of(element []byte) []byte {
	v := jsonscan.Get(element, p.path...)
	if len(v) == 0 || v[0] == '{' || v[0] == '[' || v[0] == 'n' {
		return nil
	}
	return v
}

func key(path ...string) keyPart    { return keyPart{path: path} }
func option(path ...string) keyPart { return keyPart{path: path, optional: true} }

// keysOf returns the merge keys to try for a list, the one of its field first.
// Sources: the patchMergeKey and listMapKey tags of k8s.io/api. Endpoints are
// an atomic list there, and are matched by the pod behind them.
func keysOf(field string) []mergeKey {
	var known []mergeKey
	switch field {
	case "volumeMounts":
		known = []mergeKey{{key("mountPath")}}
	case "volumeDevices":
		known = []mergeKey{{key("devicePath")}}
	case "ports":
		known = []mergeKey{{key("containerPort"), option("protocol")}, {key("port"), option("protocol")}}
	case "ownerReferences":
		known = []mergeKey{{key("uid")}}
	case "endpoints":
		known = []mergeKey{{key("targetRef", "name")}}
	case "addresses":
		known = []mergeKey{{key("type")}, {key("type"), key("address")}, {key("targetRef", "name")}}
	case "taints":
		known = []mergeKey{{key("key"), key("effect")}}
	case "topologySpreadConstraints":
		known = []mergeKey{{key("topologyKey"), key("whenUnsatisfiable")}}
	case "tolerations":
		return nil // by content: a key may occur with several effects
	}
	if known == nil {
		return commonKeys
	}
	return append(known, commonKeys...)
}

// commonKeys are tried for every list. Nobody changes them.
var commonKeys = []mergeKey{{key("name")}, {key("type")}, {key("uid")}, {key("id")}, {key("key")}, {key("ip")}}

// unordered lists are sets: controllers write them in any order, and nobody
// reads anything out of it.
func unordered(field string) bool {
	switch field {
	case "conditions", "endpoints", "addresses", "ownerReferences", "containerStatuses", "initContainerStatuses",
		"ephemeralContainerStatuses", "imagePullSecrets", "taints", "volumes", "images":
		return true
	}
	return false
}

// list is one version of a list.
type list struct {
	raw   []byte
	spans []jsonscan.Span
	keys  []string // by which elements are matched
}

func (l list) at(i int) []byte { return l.spans[i].Of(l.raw) }

// arrays compares two lists; it reports false if one cannot be read.
func (d *differ) arrays(old, new []byte, field string, depth int) bool {
	base := len(d.spans)
	defer func() { d.spans = d.spans[:base] }()
	var err error
	if d.spans, err = jsonscan.AppendElements(d.spans, old); err != nil {
		return false
	}
	split := len(d.spans)
	if d.spans, err = jsonscan.AppendElementsLike(d.spans, new, old, d.spans[base:]); err != nil {
		return false
	}
	was, is := list{raw: old, spans: d.spans[base:split]}, list{raw: new, spans: d.spans[split:]}
	if k := chooseKey(field, &was, &is); k != nil {
		d.keyed(was, is, k, field, depth)
	} else {
		d.content(was, is, field, depth)
	}
	return true
}

// chooseKey finds a key that every element of both versions has and that is
// unique in each, and fills in the keys.
func chooseKey(field string, was, is *list) mergeKey {
	for _, l := range []*list{was, is} {
		for i := range l.spans {
			if l.at(i)[0] != '{' {
				return nil
			}
		}
	}
	for _, k := range keysOf(field) {
		if k.fill(was, &list{}) && k.fill(is, was) {
			return k
		}
	}
	return nil
}

// fill sets the keys of a list, taking over those of elements that are as they
// were; it reports false if k does not tell its elements apart.
func (k mergeKey) fill(l, was *list) bool {
	l.keys = make([]string, len(l.spans))
	j := 0 // follows i through was
	for i := range l.spans {
		element := l.at(i)
		for ahead := j; ahead < min(j+2, len(was.spans)); ahead++ {
			if bytes.Equal(element, was.at(ahead)) {
				l.keys[i], j = was.keys[ahead], ahead+1
				break
			}
		}
		if l.keys[i] == "" {
			if l.keys[i] = k.of(element); l.keys[i] == "" {
				return false
			}
			j++
		}
	}
	return unique(l.keys)
}

// of returns the key of an element, "" if it has none.
func (k mergeKey) of(element []byte) string {
	if len(k) == 1 {
		return canonical(k[0].of(element))
	}
	var joined []byte
	for _, part := range k {
		v := part.of(element)
		if v == nil && !part.optional {
			return ""
		}
		joined = append(append(joined, canonical(v)...), 0)
	}
	return string(joined)
}

func unique(keys []string) bool {
	if len(keys) <= 8 {
		for i, k := range keys {
			for _, other := range keys[:i] {
				if k == other {
					return false
				}
			}
		}
		return true
	}
	seen := make(map[string]struct{}, len(keys))
	for _, k := range keys {
		seen[k] = struct{}{}
	}
	return len(seen) == len(keys)
}

// keyed compares lists whose elements have keys.
func (d *differ) keyed(was, is list, k mergeKey, field string, depth int) {
	find := positions(was.keys)
	used := make([]bool, len(was.keys))
	last, inOrder, matched := -1, true, 0
	for i := range is.spans {
		if d.cut {
			return
		}
		j := find(is.keys[i], last+1)
		if j < 0 {
			at := d.enterLabel(appendLabel(nil, is.at(i), k))
			d.report(Add, nil, is.at(i))
			d.path = d.path[:at]
			continue
		}
		used[j] = true
		matched++
		inOrder = inOrder && j > last
		last = j
		if bytes.Equal(was.at(j), is.at(i)) {
			continue
		}
		at := d.enterLabel(appendLabel(nil, is.at(i), k))
		d.value(was.at(j), is.at(i), field, depth)
		d.path = d.path[:at]
	}
	for j := range was.spans {
		if !used[j] && !d.cut {
			at := d.enterLabel(appendLabel(nil, was.at(j), k))
			d.report(Remove, was.at(j), nil)
			d.path = d.path[:at]
		}
	}
	if !inOrder && !unordered(field) {
		at := d.enterLabel([]byte("order"))
		d.report(Replace, labels(was, k), labels(is, k))
		d.path = d.path[:at]
	}
}

// positions returns a function that finds a key, which it expects at hint.
func positions(keys []string) func(key string, hint int) int {
	var index map[string]int
	return func(key string, hint int) int {
		if hint < len(keys) && keys[hint] == key {
			return hint
		}
		if index == nil {
			index = make(map[string]int, len(keys))
			for i, k := range keys {
				index[k] = i
			}
		}
		if i, ok := index[key]; ok {
			return i
		}
		return -1
	}
}

// labels is a JSON array of the labels of a list's elements.
func labels(l list, k mergeKey) []byte {
	out := []byte{'['}
	for i := range l.spans {
		if i > 0 {
			out = append(out, ',')
		}
		out = jsonscan.AppendQuote(out, string(appendLabel(nil, l.at(i), k)))
	}
	return append(out, ']')
}

// content compares lists whose elements have no keys. What both versions have
// stays; if nothing of the middle stays and its length did, the elements are
// compared one by one.
func (d *differ) content(was, is list, field string, depth int) {
	for _, l := range []*list{&was, &is} {
		l.keys = make([]string, len(l.spans))
		for i := range l.spans {
			l.keys[i] = canonical(l.at(i))
		}
	}
	head, n, m := 0, len(was.keys), len(is.keys)
	for head < n && head < m && was.keys[head] == is.keys[head] {
		head++
	}
	for n > head && m > head && was.keys[n-1] == is.keys[m-1] {
		n, m = n-1, m-1
	}
	keepOld, keepNew, kept := common(was.keys[head:n], is.keys[head:m])
	switch {
	case kept < 0: // the same elements in another order: all one can say
		d.report(Replace, was.raw, is.raw)
	case kept == 0 && n == m:
		for i := head; i < n && !d.cut; i++ {
			at := d.enterIndex(i)
			d.value(was.at(i), is.at(i), field, depth)
			d.path = d.path[:at]
		}
	default:
		for i := head; i < n && !d.cut; i++ {
			if !keepOld[i-head] {
				at := d.enterIndex(i)
				d.report(Remove, was.at(i), nil)
				d.path = d.path[:at]
			}
		}
		for i := head; i < m && !d.cut; i++ {
			if !keepNew[i-head] {
				at := d.enterIndex(i)
				d.report(Add, nil, is.at(i))
				d.path = d.path[:at]
			}
		}
	}
}

func (d *differ) enterIndex(i int) int { return d.enterLabel(strconv.AppendInt(nil, int64(i), 10)) }

// common marks what two lists share, each element as often as both have it,
// and counts it; -1 if that is not in the same order in both.
func common(was, is []string) (keepOld, keepNew []bool, kept int) {
	count := make(map[string]int, len(was))
	for _, k := range was {
		count[k]++
	}
	keepOld, keepNew = make([]bool, len(was)), make([]bool, len(is))
	shared := make(map[string]int)
	var order []string
	for i, k := range is {
		if count[k] > 0 {
			count[k]--
			shared[k]++
			keepNew[i] = true
			order = append(order, k)
		}
	}
	for i, k := range was {
		if shared[k] == 0 {
			continue
		}
		shared[k]--
		keepOld[i] = true
		if order[kept] != k {
			return nil, nil, -1
		}
		kept++
	}
	return keepOld, keepNew, kept
}
