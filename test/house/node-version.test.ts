import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
// @ts-expect-error: the package has no types
import { minVersion, satisfies } from 'semver';
import { expect, it } from 'vitest';
// @ts-expect-error: a script has no types
import { nodeProblem } from '../../scripts/lib/node-version.mjs';
// @ts-expect-error: a script has no types
import { shippedBy } from '../../scripts/lib/supply-chain.mjs';

interface Shipped {
  name: string;
  engines?: { node?: string };
}

const read = (file: string) => JSON.parse(readFileSync(resolve(__dirname, '../..', file), 'utf8'));
const lock = read('package-lock.json');

it('a Node that is too old for the demo and the tests is told so in one sentence, before anything else', () => {
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '24.1.0']) expect(nodeProblem(version)).toBeUndefined();
  for (const version of ['18.20.0', '20.3.0', '20.18.3', '21.7.3', '22.11.0']) {
    expect(nodeProblem(version)).toBe(
      `Node ${version} is too old for the demo and the tests: install 20.19 or newer of Node 20, or 22.12 or newer.`,
    );
  }
});

it('each package that ships, required peers among them, runs on the oldest Node that we support', () => {
  const { version } = minVersion(read('package.json').engines.node);
  const needsNewer = (lock: object): string[] =>
    shippedBy(lock)
      .filter(({ engines }: Shipped) => !satisfies(version, engines?.node ?? '*'))
      .map(({ name }: Shipped) => name);
  expect(version).toBe('20.3.0');
  expect(needsNewer(lock)).toEqual([]);
  const changed = structuredClone(lock);
  for (const [name, node] of Object.entries({ '@grpc/proto-loader': '>=22', fastq: '^18 || >=22', pino: '>=18 <20' })) {
    changed.packages[`node_modules/${name}`].engines = { node };
  }
  expect(needsNewer(changed).sort()).toEqual(['@grpc/proto-loader', 'fastq', 'pino']);
});
