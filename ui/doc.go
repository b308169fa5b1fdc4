// Package ui is the interface in the terminal. It is the only package that
// imports Bubble Tea, and it never imports client-go.
//
// Delivery: the screen shows snapshots of a [model.Log], at most one per frame;
// it drops frames, never rows. Nothing is read, compared or decoded inside
// Update and View: what takes long is asked for by a command, one at a time,
// and answers that come too late are dropped. What a frame costs depends on the
// rows shown, never on the rows held.
//
// Every text passes the sanitiser where it is written (see line), so nothing
// that came from a cluster can reach the terminal as it is.
package ui
