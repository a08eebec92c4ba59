import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder that lasts as long as the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'escapement-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A file in a folder of its own that lasts as long as the test. */
export async function temporaryFile(name: string, content: string): Promise<string> {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, content);
  return file;
}
