/**
 * Advisories (OSV records) by package, and which version of an agent pins what. An import queues every package of which
 * it changed something in the same transaction; the sweep takes from the queue, finds the versions that are hit, and
 * has their agents verified anew. A scan writes the packages of its version before it asks for advisories, so that
 * either the scan sees an advisory or the sweep sees the version.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE advisories (
    ecosystem    text NOT NULL CHECK (ecosystem IN ('npm', 'PyPI')),
    package      text NOT NULL,
    advisory_id  text NOT NULL,
    severity     text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
    summary      text NOT NULL,
    modified     timestamptz NOT NULL,
    affected     text NOT NULL,
    PRIMARY KEY (ecosystem, package, advisory_id)
  );
  COMMENT ON COLUMN advisories.affected IS 'JSON {versions, ranges}: src/verification/packages/osv.ts';
  CREATE INDEX advisories_id ON advisories (advisory_id);
  CREATE INDEX advisories_malicious ON advisories (ecosystem) WHERE advisory_id LIKE 'MAL-%';

  CREATE TABLE advisory_changes (
    ecosystem    text NOT NULL,
    package      text NOT NULL,
    advisory_id  text NOT NULL,
    queued_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (ecosystem, package, advisory_id)
  );

  CREATE TABLE version_packages (
    version_id  text NOT NULL REFERENCES agent_versions,
    ecosystem   text NOT NULL,
    package     text NOT NULL,
    version     text NOT NULL,
    is_dev      boolean NOT NULL,
    PRIMARY KEY (version_id, ecosystem, package, version)
  );
  COMMENT ON TABLE version_packages IS 'What the lockfiles of a version pin, from its last scan';
  CREATE INDEX version_packages_package ON version_packages (ecosystem, package);

  CREATE TABLE advisory_hits (
    version_id   text NOT NULL REFERENCES agent_versions,
    advisory_id  text NOT NULL,
    ecosystem    text NOT NULL,
    package      text NOT NULL,
    version      text NOT NULL,
    found_at     timestamptz NOT NULL DEFAULT now(),
    asked_at     timestamptz,
    PRIMARY KEY (version_id, advisory_id, ecosystem, package, version)
  );
  COMMENT ON COLUMN advisory_hits.asked_at IS 'When a run was asked for because of it, or a run had seen it already';
  CREATE INDEX advisory_hits_unasked ON advisory_hits (found_at) WHERE asked_at IS NULL;

  GRANT SELECT, INSERT, UPDATE, DELETE ON advisories, advisory_changes, version_packages, advisory_hits TO market_app;
`);

exports.down = (knex) =>
  knex.raw(
    'DROP TABLE advisory_hits; DROP TABLE version_packages; DROP TABLE advisory_changes; DROP TABLE advisories;',
  );
