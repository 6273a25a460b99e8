#!/bin/sh
# Runs once, when the data folder of the postgres image is empty: the roles, and a database for each of the two systems.
# The service uses market_app, which owns nothing; market_owner owns the tables and runs migrations only.
set -eu
psql -v ON_ERROR_STOP=1 -v owner="$MARKET_OWNER_PASSWORD" -v app="$MARKET_APP_PASSWORD" -v temporal="$TEMPORAL_DB_PASSWORD" \
  --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE market_owner LOGIN PASSWORD :'owner';
CREATE ROLE market_app LOGIN PASSWORD :'app';
CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE DATABASE market OWNER market_owner;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE ALL ON DATABASE market, temporal, temporal_visibility FROM PUBLIC;
GRANT CONNECT ON DATABASE market TO market_app;
SQL
