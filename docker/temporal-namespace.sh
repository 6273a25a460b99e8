#!/bin/sh
# Makes the namespace. Its workflows are kept for a day: the ledger, not Temporal, is the record.
set -eu
until temporal operator cluster health; do sleep 2; done
temporal operator namespace describe -n "$TEMPORAL_NAMESPACE" || \
  temporal operator namespace create -n "$TEMPORAL_NAMESPACE" --retention 24h
