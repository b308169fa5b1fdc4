package cli

import (
	"bytes"
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/near"
	"rewatch/watch/player"
	"rewatch/watch/resolve"
	"rewatch/watch/tape"
	"rewatch/watch/timeserver"
)

// demoTape is three minutes of a small cluster: a rolling update, a fight over
// spec.replicas, a container that is killed again and again, nodes that do not
// answer, an apiserver that restarts and has forgotten what was before. It has
// the requests of all streams.
//
//go:generate go run ./internal/mkdemo -o demo.rwt
//go:embed demo.rwt
var demoTape []byte

// demoStart is where the demo begins on a terminal: the cluster is known, and a
// rollout is about to begin.
const demoStart = 4 * time.Second

// replayDemo plays the demo's tape, or what it has of some types.
func replayDemo(ctx context.Context, f *flags, o demoOptions, types []resolve.Arg, s streams) error {
	t, err := tape.Open(bytes.NewReader(demoTape), int64(len(demoTape)), tape.Limits{})
	if err != nil {
		return failed("please report it", "the demo cannot start: %s", oneLine(err))
	}
	if len(types) > 0 {
		if t, err = someOf(t, types); err != nil {
			return err
		}
	}
	r := replay{flags: f, streams: s, title: "demo  a recorded cluster", sources: []player.Source{{Name: "the demo", Tape: t}}, speed: o.speed.times, tour: o.tour,
		told: &infos{tapes: []*tapeFile{{Tape: t, path: "the demo"}}}}
	if r.onTerminal() || f.plain {
		r.at = t.Info().From.Add(demoStart)
	}
	return r.run(ctx)
}

// someOf copies what a tape has of some types to a tape in memory.
func someOf(t *tape.Tape, types []resolve.Arg) (*tape.Tape, error) {
	streams := t.Info().Streams
	for _, a := range types {
		if !slices.ContainsFunc(streams, func(s model.StreamInfo) bool { return isOfType(s, a.Type) }) {
			return nil, noSuchType(a.Type, streams)
		}
	}
	var out bytes.Buffer
	w := tape.NewWriter(&out, t.Info().Header, tape.Options{AlreadyRedacted: true})
	numbers := map[model.StreamID]model.StreamID{}
	wanted := func(s model.StreamID, name string) bool {
		return slices.ContainsFunc(types, func(a resolve.Arg) bool {
			return isOfType(streams[s], a.Type) && (a.Name == "" || name == "" || a.Name == name)
		})
	}
	for _, s := range streams {
		if wanted(s.ID, "") {
			numbers[s.ID] = w.AddStream(s)
		}
	}
	for e, err := range t.Records() {
		if err != nil {
			return nil, failed("please report it", "the demo is damaged: %s", oneLine(err))
		}
		if !wanted(e.Stream, e.Identity.Name) {
			continue
		}
		r := e.Record
		r.Stream = numbers[e.Stream]
		if err := w.AppendFrame(r, e.AppendFrame(nil)); err != nil {
			return nil, failed("please report it", "the demo cannot start: %s", oneLine(err))
		}
	}
	if err := w.Close(); err != nil {
		return nil, failed("please report it", "the demo cannot start: %s", oneLine(err))
	}
	return tape.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), tape.Limits{})
}

// isOfType reports whether a word, in lower case, means what a stream watches:
// a plural, singular or short name, with group and version if wanted, or a
// category.
func isOfType(s model.StreamInfo, word string) bool {
	name, rest, _ := strings.Cut(word, ".")
	if rest != "" && rest != s.Group && rest != s.Version && rest != s.Version+"."+s.Group {
		return false
	}
	if name == s.Resource || name == strings.ToLower(s.Kind) {
		return true
	}
	b, ok := timeserver.Builtin(s.Resource)
	return ok && b.Group == s.Group && (slices.Contains(b.ShortNames, name) || rest == "" && slices.Contains(b.Categories, name))
}

func noSuchType(word string, streams []model.StreamInfo) error {
	var names []string
	for _, s := range streams {
		names = append(names, s.Name())
	}
	next := "the demo has: " + strings.Join(names, ", ")
	if meant := near.Names(word, names, 1); len(meant) > 0 {
		next = "did you mean " + meant[0] + "? " + next
	}
	return failed(next, "the demo has no type %q", word)
}
