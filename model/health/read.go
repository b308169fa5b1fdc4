package health

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"rewatch/model/jsonscan"
)

// cond is one of status.conditions.
type cond struct {
	status, reason, message string
	since                   time.Time
}

func condition(status []byte, name string) (out cond) {
	each(jsonscan.Find(status, "conditions"), func(c []byte) {
		if out.status == "" && text(c, "type") == name {
			out = cond{text(c, "status"), text(c, "reason"), text(c, "message"), moment(c, "lastTransitionTime")}
		}
	})
	return out
}

// eachContainer calls f with what a Pod says of its containers, the init
// containers first.
func eachContainer(status []byte, f func(name string, s []byte)) {
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		each(jsonscan.Find(status, list), func(s []byte) { f(text(s, "name"), s) })
	}
}

// each calls f with the elements of an array.
func each(array []byte, f func([]byte)) {
	var buf [16]jsonscan.Span
	spans, _ := jsonscan.AppendElements(buf[:0], array)
	for _, s := range spans {
		f(s.Of(array))
	}
}

func texts(array []byte) (out []string) {
	each(array, func(x []byte) {
		if s, err := jsonscan.Unquote(x); err == nil {
			out = append(out, strings.Clone(s))
		}
	})
	return out
}

func has(value []byte) bool { return len(value) > 0 && !bytes.Equal(value, []byte("null")) }

// text is the text at a path, "" if there is none; not a view of object.
func text(object []byte, path ...string) string {
	s, err := jsonscan.Unquote(jsonscan.Get(object, path...))
	if err != nil {
		return ""
	}
	return strings.Clone(s)
}

// text0 is what stands at a key, as it is written there.
func text0(object []byte, key string) string { return string(jsonscan.Find(object, key)) }

func number(object []byte, absent int, path ...string) int {
	n, err := strconv.Atoi(string(jsonscan.Get(object, path...)))
	if err != nil {
		return absent
	}
	return n
}

func moment(object []byte, path ...string) time.Time {
	t, err := time.Parse(time.RFC3339, text(object, path...))
	if err != nil {
		return time.Time{}
	}
	return t
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
