package watch

import (
	"slices"

	"rewatch/model"
)

// anyEnd lists what can become of a stream whose request failed or was
// interrupted, whatever it was doing.
var anyEnd = []model.State{model.Backoff, model.Expired, model.Denied, model.Gone, model.Paused, model.Slept, model.Stopped}

// transitions is the state machine of a stream: every step that may ever be
// published. A step that is not here is a bug of the engine. A state may
// follow itself only where the table says so: those steps carry news (a total,
// a later retry) rather than a change.
var transitions = map[model.State][]model.State{
	model.Idle: {model.Connecting, model.Paused, model.Stopped},
	model.Connecting: append([]model.State{model.Syncing, model.Relisting, model.Live, model.Quiet, model.Polling,
		model.Connecting, model.Rotating}, anyEnd...),
	model.Syncing: append([]model.State{model.Syncing, model.Live, model.Quiet, model.Polling, model.Connecting, model.Rotating}, anyEnd...),
	model.Live:    append([]model.State{model.Overdue, model.Rotating, model.Connecting, model.Polling}, anyEnd...),
	model.Quiet:   append([]model.State{model.Rotating, model.Connecting, model.Polling}, anyEnd...),
	model.Overdue: append([]model.State{model.Live, model.Rotating, model.Connecting, model.Polling}, anyEnd...),
	model.Rotating: append([]model.State{model.Live, model.Quiet, model.Connecting, model.Relisting, model.Rotating,
		model.Polling}, anyEnd...),
	model.Backoff: append([]model.State{model.Connecting, model.Relisting}, anyEnd...),
	model.Expired: append([]model.State{model.Relisting, model.Connecting}, anyEnd...),
	model.Relisting: append([]model.State{model.Relisting, model.Live, model.Quiet, model.Polling, model.Connecting,
		model.Rotating}, anyEnd...),
	model.Denied:  append([]model.State{model.Connecting, model.Syncing, model.Relisting, model.Polling, model.Live, model.Quiet}, anyEnd...),
	model.Gone:    append([]model.State{model.Syncing, model.Polling, model.Connecting, model.Relisting}, anyEnd...),
	model.Paused:  {model.Connecting, model.Relisting, model.Backoff, model.Stopped},
	model.Slept:   append([]model.State{model.Connecting, model.Relisting}, anyEnd...),
	model.Stopped: {model.Connecting, model.Relisting, model.Paused, model.Stopped},
	model.Polling: append([]model.State{model.Polling, model.Connecting, model.Relisting}, anyEnd...),
}

// legal reports whether the machine allows a step.
func legal(from, to model.State) bool { return slices.Contains(transitions[from], to) }
