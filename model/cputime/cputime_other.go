//go:build !linux

package cputime

import "time"

var begun = time.Now()

// Process is the time since the process began, where nothing better is at hand.
func Process() time.Duration { return time.Since(begun) }

// Thread is the same.
func Thread() time.Duration { return time.Since(begun) }
