// Command ops-check loads what operators load, with the loaders that they use: the file of Compose by compose-go, which is the
// loader of `docker compose` and validates by the published schema, and each object of Kubernetes by its Go type, strictly.
// Usage: ops-check compose <file> <environment file> | ops-check kubernetes <file>...
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 {
		fail("usage: ops-check compose <file> <environment file> | ops-check kubernetes <file>...")
	}
	var failures []error
	switch os.Args[1] {
	case "compose":
		failures = checkCompose(os.Args[2], os.Args[3:])
	case "kubernetes":
		failures = checkKubernetes(os.Args[2:])
	default:
		fail("unknown check: " + os.Args[1])
	}
	for _, failure := range failures {
		fmt.Fprintln(os.Stderr, failure)
	}
	if len(failures) > 0 {
		os.Exit(1)
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}
