import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';

/** The start time distinguishes the process that holds the lock from a later one with the same ID. */
interface Holder {
  processId: number;
  /** The process's start time in clock ticks since boot, if the system shows it (Linux); otherwise empty. */
  startedAt: string;
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * If the process that holds the lock is gone, the lock is taken over, so that a killed run does not block the next one.
 */
export async function tryLock(path: string): Promise<Lock | { heldBy: number }> {
  const content = JSON.stringify({
    processId: process.pid,
    startedAt: await startTimeOf(process.pid),
  } satisfies Holder);
  for (;;) {
    if (await createWhole(path, content)) return { release: () => rm(path, { force: true }) };
    const found = await readFile(path, 'utf8').catch(() => undefined);
    if (found === undefined) continue;
    const holder = parse(found);
    if (holder !== undefined && (await isAlive(holder))) return { heldBy: holder.processId };
    await removeStale(path, found);
  }
}

/** `onWait` is called once if the lock is not free. */
export async function lock(path: string, onWait: (heldBy: number) => void): Promise<Lock> {
  let told = false;
  for (;;) {
    const result = await tryLock(path);
    if ('release' in result) return result;
    if (!told) onWait(result.heldBy);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Whether a process with this ID exists, whoever owns it. */
export function processExists(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Create the file with its content in one step, so that nobody reads a half-written lock. */
async function createWhole(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, content);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Moves a lock whose process is gone out of the way. If a third process replaced the lock in the meantime, the new lock
 * is put back. If a fourth process takes the lock before that, both hold it.
 */
async function removeStale(path: string, expected: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return; // Another process has already removed the lock.
  }
  if ((await readFile(aside, 'utf8')) !== expected) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function parse(content: string): Holder | undefined {
  try {
    return JSON.parse(content) as Holder;
  } catch {
    return undefined;
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  return processExists(holder.processId) && (await startTimeOf(holder.processId)) === holder.startedAt;
}

async function startTimeOf(processId: number): Promise<string> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  // The second field, which is the program's name in parentheses, may contain spaces. The start time is the 20th field
  // after the name.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
