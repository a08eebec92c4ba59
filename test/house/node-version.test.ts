import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: a script has no types
import { nodeProblem } from '../../scripts/lib/node-version.mjs';

it('a Node that is too old for the demo and the tests is told so in one sentence, before anything else', () => {
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '24.1.0']) expect(nodeProblem(version)).toBeUndefined();
  for (const version of ['18.20.0', '20.3.0', '20.18.3', '21.7.3', '22.11.0']) {
    expect(nodeProblem(version)).toBe(
      `Node ${version} is too old for the demo and the tests: install 20.19 or newer of Node 20, or 22.12 or newer.`,
    );
  }
});

it('no package that ships asks for Node 21 or newer, of which npm would warn each user on Node 20', () => {
  const { packages } = JSON.parse(readFileSync(resolve(__dirname, '../../package-lock.json'), 'utf8'));
  const newer = Object.entries<{ dev?: boolean; engines?: { node?: string } }>(packages).filter(
    ([, { dev, engines }]) => !dev && /^([~^>= ]*(2[1-9]|[3-9]\d)|> ?20\b)/.test(engines?.node ?? ''),
  );
  expect(newer.map(([name]) => name)).toEqual([]);
});
