// Command calf is the server and its tools:
//
//	calf serve --data DIR [--port N] [--listen ADDR] [--socket-dir DIR] [--superuser NAME] [-c name=value]...
//	calf regress [flags] [test...]      SQL regression tests through psql
//	calf isolation [flags] [name...]    isolation specs
//	calf version
//
// This package parses flags and wires the parts together; what the parts do is in their packages.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// command is one subcommand; each registers itself from its own file.
type command struct {
	name, usage string
	run         func(args []string, out, errOut io.Writer) int
}

var commands []command

func register(c command) { commands = append(commands, c) }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes a command line and gives the exit status.
func run(args []string, out, errOut io.Writer) int {
	slices.SortFunc(commands, func(a, b command) int { return strings.Compare(a.name, b.name) })
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return c.run(args[1:], out, errOut)
			}
		}
	}
	if len(args) > 0 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help") {
		usage(out)
		return 0
	}
	if len(args) > 0 {
		fmt.Fprintf(errOut, "calf: no command %q\n", args[0])
	}
	usage(errOut)
	return 2
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "Usage: calf COMMAND [flags]")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.usage)
	}
	fmt.Fprintln(w, "`calf COMMAND -h` lists the flags of a command.")
}
