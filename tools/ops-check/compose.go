package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/schema"
	"go.yaml.in/yaml/v4"
)

// checkCompose validates the file as it is by the published schema, then loads it as `docker compose` does, with variables
// from the files.
func checkCompose(file string, environmentFiles []string) []error {
	text, err := os.ReadFile(file)
	if err != nil {
		return []error{err}
	}
	var model map[string]any
	if err := yaml.Unmarshal(text, &model); err != nil {
		return []error{fmt.Errorf("%s: %w", file, err)}
	}
	if err := schema.Validate(model); err != nil {
		return []error{fmt.Errorf("%s: the schema of Compose: %w", file, err)}
	}
	options, err := cli.NewProjectOptions([]string{file}, cli.WithEnvFiles(environmentFiles...), cli.WithDotEnv)
	if err != nil {
		return []error{err}
	}
	if _, err := options.LoadProject(context.Background()); err != nil {
		return []error{fmt.Errorf("%s: compose-go: %w", file, err)}
	}
	return nil
}
