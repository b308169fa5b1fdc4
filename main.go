// Rewatch is a flight recorder and debugger for Kubernetes watches, in a
// terminal. See README.md.
package main

import (
	"os"

	"rewatch/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
