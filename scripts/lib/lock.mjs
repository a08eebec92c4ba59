import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCRATCH, say } from './project.mjs';

/**
 * Run `work` while no other process of this clone runs work of this name. The lock of a killed process is taken over.
 * If two processes take over such a lock at the same instant, both do the work.
 */
export async function exclusively(name, work) {
  mkdirSync(SCRATCH, { recursive: true });
  const path = join(SCRATCH, `${name}.lock`);
  let told = false;
  while (!createWhole(path)) {
    const holder = Number(read(path));
    if (!isAlive(holder)) rmSync(path, { force: true });
    else {
      if (!told) say(`waiting for process ${holder}, which is already at it (${name})`);
      told = true;
      await sleep(250);
    }
  }
  try {
    return await work();
  } finally {
    if (Number(read(path)) === process.pid) rmSync(path, { force: true });
  }
}

/** Create the lock file with the ID of this process in one step, so that nobody reads a half-written file. */
function createWhole(path) {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(processId) {
  if (!processId) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
