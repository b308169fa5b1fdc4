package query

import "rewatch/model"

// concerns reports whether a gap may hide a row that the query matches: unless
// the terms about the kind, the namespace, the context or the stream are
// certain to hold of nothing that its stream brings.
func (m *Matcher) concerns(stream model.StreamID) bool {
	s, ok := m.log.Stream(stream)
	return !ok || m.root.judge(func(l *leaf) verdict { return brings(s, l) }) != no
}

// brings says whether a term holds of whatever a stream brings: of all of it, of
// nothing, or, unknown, of some.
func brings(s model.StreamInfo, l *leaf) verdict {
	var hit bool
	switch l.field {
	case kindField:
		if hit = matchAny(l.any, kindNames(s.Kind, s.Resource, s.Group)...); !hit && s.Kind == "" {
			return unknown
		}
	case nsField:
		if s.Namespace == "" && (s.Namespaced || s.Kind == "") {
			return unknown
		}
		hit = matchAny(l.any, s.Namespace)
	case contextField:
		hit = matchAny(l.any, s.Context)
	case streamField:
		hit = matchAny(l.any, append(kindNames("", s.Resource, "")[1:], s.Name())...)
	default:
		return unknown
	}
	if hit {
		return yes
	}
	return no
}
