#!/bin/sh
# Brings Temporal's two databases to the schema of this server version; does nothing when they have it.
set -eu
for name in temporal visibility; do
  database=temporal
  if [ "$name" = visibility ]; then database=temporal_visibility; fi
  tool() {
    temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" -p "$DB_PORT" -u "$POSTGRES_USER" --db "$database" "$@"
  }
  tool setup-schema -v 0.0
  tool update-schema --schema-name "postgresql/v12/$name"
done
