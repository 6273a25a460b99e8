'use strict';

/** Where a Temporal server may be on this machine, and which version is built or downloaded (tools/temporal-server). */
const { readFileSync } = require('node:fs');
const { homedir } = require('node:os');
const { delimiter, join } = require('node:path');

const PINNED = join(__dirname, '../../../tools/temporal-server');

function readTemporalBuild() {
  return JSON.parse(readFileSync(join(PINNED, 'build.json'), 'utf8'));
}

/** `part`: a part of Temporal's own cluster (build.json, `services`); without it, the local server. */
function cachedTemporalBinary(env = process.env, part = undefined) {
  const cache = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const name = part ? `temporal-${part}` : 'temporal';
  return join(cache, 'agent-marketplace', `${name}-${readTemporalBuild().version}`);
}

function temporalOnPath(env = process.env) {
  return (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'temporal'));
}

module.exports = { PINNED, readTemporalBuild, cachedTemporalBinary, temporalOnPath };
