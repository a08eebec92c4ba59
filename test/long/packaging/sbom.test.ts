import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: a script has no types
import { sbom } from '../../../scripts/lib/supply-chain.mjs';
import { temporaryFolder } from '../../support/folder';

it('the SBOM has each dependency with its version and hash, no tool, and is the same each time', async () => {
  const files = await Promise.all(['first', 'second'].map(async (name) => join(await temporaryFolder(), name)));
  for (const file of files) expect(await sbom(file)).toMatchObject({ code: 0, output: '' });
  const [first, second] = files.map((file) => readFileSync(file, 'utf8'));
  expect(first).toBe(second);
  const { metadata, components } = JSON.parse(first!);
  expect(metadata.component.name).toBe('escapement');
  const names = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['pg', 'kysely', 'jose', '@opentelemetry/api', '@temporalio/client']));
  expect(names).not.toContain('vitest');
  expect(first).not.toContain('package:development');
  expect(components.filter(({ hashes }: { hashes?: unknown[] }) => !hashes?.length)).toEqual([]);
});
