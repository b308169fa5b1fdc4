package ui

import (
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// denial is what this user would have to be allowed.
type denial struct {
	verb   string // "list"; both where it is not known which
	stream model.StreamInfo
	user   string // as the server knows them, "" is not known
}

// forbidden is how a Kubernetes API server refuses: pods is forbidden: User
// "dev" cannot list resource "pods" in API group "" in the namespace "shop".
var forbidden = regexp.MustCompile(`(?:User "([^"]*)" )?cannot ([a-z]+) resource`)

// denied returns what a stream lacks; ok is false if that is nothing.
func denied(s model.StreamInfo, t model.Transition) (d denial, ok bool) {
	if t.To != model.Denied || t.Cause != model.CauseForbidden {
		return denial{}, false
	}
	d = denial{verb: "list and watch", stream: s}
	if m := forbidden.FindStringSubmatch(t.Text); m != nil {
		d.user, d.verb = m[1], m[2]
	} else if t.Request != nil {
		switch t.Request.Verb {
		case model.VerbList:
			d.verb = "list"
		case model.VerbWatch, model.VerbWatchList:
			d.verb = "watch"
		}
	}
	return d, true
}

// String is "may not list deployments.apps in namespace shop".
func (d denial) String() string { return "may not " + d.verb + " " + d.what() + " " + d.where() }

// what is the resource with its API group, and the name if it is about one.
func (d denial) what() string {
	if name := d.name(); name != "" {
		return d.stream.Name() + "/" + name
	}
	return d.stream.Name()
}

func (d denial) name() string {
	rest, ok := strings.CutPrefix(d.stream.Field, "metadata.name=")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, ",")
	return name
}

func (d denial) where() string {
	switch {
	case !d.stream.Namespaced:
		return "in the cluster"
	case d.stream.Namespace == "":
		return "in all namespaces"
	}
	return "in namespace " + d.stream.Namespace
}

// scope is what kubectl takes for where.
func (d denial) scope() string {
	switch {
	case !d.stream.Namespaced:
		return ""
	case d.stream.Namespace == "":
		return " -A"
	}
	return " -n " + d.stream.Namespace
}

// check is the command that asks whether it is allowed.
func (d denial) check() string {
	verb, _, _ := strings.Cut(d.verb, " ")
	s := "kubectl auth can-i " + verb + " " + d.what() + d.scope()
	if d.stream.Context != "" {
		s += " --context " + d.stream.Context
	}
	return s
}

// grant is what would allow it: the role, and the binding of this user to it.
// Somebody else has to do that.
func (d denial) grant() (role, binding string) {
	kind, scope := "clusterrole", ""
	if d.stream.Namespace != "" {
		kind, scope = "role", d.scope()
	}
	if d.stream.Context != "" {
		scope += " --context " + shellWord(d.stream.Context)
	}
	role = "kubectl create " + kind + " watch-" + d.stream.Resource + " --verb=list,watch --resource=" + d.stream.Name()
	if name := d.name(); name != "" {
		role += " --resource-name=" + shellWord(name)
	}
	binding = "kubectl create " + kind + "binding watch-" + d.stream.Resource + " --" + kind + "=watch-" + d.stream.Resource + d.subject()
	return role + scope, binding + scope
}

// subject is whom to bind, as kubectl takes it; USER where the server has not
// said who asked.
func (d denial) subject() string {
	if account, ok := strings.CutPrefix(d.user, "system:serviceaccount:"); ok {
		return " --serviceaccount=" + shellWord(account)
	}
	if d.user == "" {
		return " --user=USER"
	}
	return " --user=" + shellWord(d.user)
}

// whoami tells how to find out who USER is, where that is not known.
func (d denial) whoami() string {
	if d.user != "" {
		return ""
	}
	s := "kubectl auth whoami"
	if d.stream.Context != "" {
		s += " --context " + shellWord(d.stream.Context)
	}
	return s
}

// denialFields are what the details of a row tell of it, name and text by turns.
func denialFields(s model.StreamInfo, t model.Transition) []string {
	d, ok := denied(s, t)
	if !ok {
		return nil
	}
	who := d.user
	if who == "" {
		who = "this user"
	}
	role, binding := d.grant()
	out := []string{"missing", who + " " + d.String(), "check", d.check(), "admin runs", role + " && " + binding}
	if w := d.whoami(); w != "" {
		out = append(out, "USER is", "what "+w+" says")
	}
	return out
}

// grantKeys take along what somebody else has to run.
func grantKeys() []binding {
	return []binding{{id: "copy-grant", keys: []string{"y g"}, help: "copy the two commands that grant what is DENIED", hint: "commands that grant", when: (*App).hasDenial, do: (*App).copyGrant}}
}

func (a *App) hasDenial() (bool, string) {
	_, ok := a.denial()
	return ok, "nothing is DENIED here"
}

// denial is what is refused to the stream under the cursor or of the row under
// it, else to the first stream that is refused something.
func (a *App) denial() (denial, bool) {
	if s, ok := a.streams.selected(); ok && a.focus == paneStreams && a.inPanes() {
		if d, ok := denied(s.StreamInfo, s.Last); ok {
			return d, true
		}
	}
	if e, ok := a.timeline.selected(); ok && a.inPanes() && a.focus != paneStreams {
		if t, is := e.Detail.(model.Transition); is {
			if d, ok := denied(a.all.stream(e.Stream), t); ok {
				return d, true
			}
		}
	}
	for _, t := range a.all.troubles {
		if d, ok := denied(t.StreamInfo, t.Last); ok {
			return d, true
		}
	}
	return denial{}, false
}

// copyGrant copies both commands, a line each.
func (a *App) copyGrant() tea.Cmd {
	d, _ := a.denial()
	role, binding := d.grant()
	return a.copyText("commands that grant it", role+"\n"+binding)
}
