package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// kinds has the Go type of every kind in the manifests. A kind that is missing here fails the check.
var kinds = map[string]func() any{
	"v1/ConfigMap":                           func() any { return &core.ConfigMap{} },
	"v1/Namespace":                           func() any { return &core.Namespace{} },
	"v1/Secret":                              func() any { return &core.Secret{} },
	"v1/Service":                             func() any { return &core.Service{} },
	"v1/ServiceAccount":                      func() any { return &core.ServiceAccount{} },
	"apps/v1/Deployment":                     func() any { return &apps.Deployment{} },
	"autoscaling/v2/HorizontalPodAutoscaler": func() any { return &autoscaling.HorizontalPodAutoscaler{} },
	"batch/v1/CronJob":                       func() any { return &batch.CronJob{} },
	"batch/v1/Job":                           func() any { return &batch.Job{} },
	"networking.k8s.io/v1/NetworkPolicy":     func() any { return &networking.NetworkPolicy{} },
	"policy/v1/PodDisruptionBudget":          func() any { return &policy.PodDisruptionBudget{} },
}

func checkKubernetes(files []string) []error {
	var failures []error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for _, err := range checkDocuments(text) {
			failures = append(failures, fmt.Errorf("%s: %w", file, err))
		}
	}
	return failures
}

func checkDocuments(text []byte) []error {
	var failures []error
	reader := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	defer reader.Close()
	buffer := make([]byte, len(text)+1)
	for {
		length, err := reader.Read(buffer)
		if errors.Is(err, io.EOF) {
			return failures
		}
		if err != nil {
			return append(failures, err)
		}
		if err := checkObject(buffer[:length]); err != nil {
			failures = append(failures, err)
		}
	}
}

func checkObject(text []byte) error {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := strict.Unmarshal(text, &head); err != nil {
		return err
	}
	name := head.APIVersion + "/" + head.Kind
	make, isKnown := kinds[name]
	if !isKnown {
		return fmt.Errorf("unknown kind %s: list it in tools/ops-check/kubernetes.go", name)
	}
	if err := strict.UnmarshalStrict(text, make()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
