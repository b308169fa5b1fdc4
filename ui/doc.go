// Package ui is the interface in the terminal. It is the only package that
// imports Bubble Tea, and it never imports client-go.
package ui
