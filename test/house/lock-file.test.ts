import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

it.each(['package-lock.json', 'site/package-lock.json'])('%s names no download address', (file) => {
  const { packages } = JSON.parse(readFileSync(resolve(__dirname, '../..', file), 'utf8')) as {
    packages: Record<string, { resolved?: string; link?: boolean }>;
  };
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
  expect(named.map(([name]) => name)).toEqual([]);
});
