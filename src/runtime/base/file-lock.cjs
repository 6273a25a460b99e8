'use strict';

/**
 * A lock between processes: a file that contains the id of the process that holds it. A file whose process has ended is
 * taken over. No package and nothing compiled is needed, because `npm start` takes a lock before it installs packages.
 */
const { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { isAlive } = require('./alive.cjs');

const RETRY_MS = 100;

function tryFileLock(path) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    for (;;) {
      if (linked(draft, path)) return undefined;
      const holder = readHolder(path);
      if (holder > 0 && isAlive(holder)) return holder;
      removeAbandoned(path, holder);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function releaseFileLock(path) {
  rmSync(path, { force: true });
}

async function withFileLock(path, onWait, work) {
  let hasWaited = false;
  for (;;) {
    const holder = tryFileLock(path);
    if (holder === undefined) break;
    if (!hasWaited) onWait(holder);
    hasWaited = true;
    await sleep(RETRY_MS);
  }
  const release = () => releaseFileLock(path);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

/** Links the draft to the path. A link, unlike a new file, appears together with its content. */
function linked(draft, path) {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the file of an ended process, but not a file that a third process has put there in the meantime. */
function removeAbandoned(path, holder) {
  const aside = `${path}.${process.pid}.old`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readHolder(aside) !== holder) linked(aside, path);
  rmSync(aside, { force: true });
}

/** The process id in the lock file; 0 when the file has just been removed. */
function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    return 0;
  }
}

module.exports = { tryFileLock, releaseFileLock, withFileLock };
