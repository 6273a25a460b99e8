// Command registry-check validates server.json documents as the MCP registry does before it publishes them: by its schema and by
// its own rules, without a network. Usage: registry-check <file>..., each with a document.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/registry/internal/validators"
	apiv0 "github.com/modelcontextprotocol/registry/pkg/api/v0"
)

func main() {
	failed := len(os.Args) < 2
	for _, file := range os.Args[1:] {
		for _, problem := range problemsOf(file) {
			fmt.Fprintf(os.Stderr, "%s: %s\n", file, problem)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func problemsOf(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return []string{err.Error()}
	}
	var server apiv0.ServerJSON
	if err := json.Unmarshal(text, &server); err != nil {
		return []string{err.Error()}
	}
	problems := []string{}
	for _, issue := range validators.ValidateServerJSON(&server, validators.ValidationAll).Issues {
		problems = append(problems, fmt.Sprintf("%s %s: %s (%s)", issue.Severity, issue.Path, issue.Message, issue.Reference))
	}
	return problems
}
