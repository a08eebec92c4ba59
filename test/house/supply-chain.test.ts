import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error: a script has no types
import { audit, licences } from '../../scripts/lib/supply-chain.mjs';

const WORKFLOWS = resolve(__dirname, '../../.github/workflows');

it('a licence that is not on the list, or is not named, fails the check; what is only for development does not ship', () => {
  expect(licences()).toMatchObject({ code: 0, output: '' });
  const root = {
    license: 'UNLICENSED',
    dependencies: { fine: '*', choice: '*' },
    devDependencies: { tool: '*' },
    peerDependencies: { tool: '*' },
    peerDependenciesMeta: { tool: { optional: true } },
  };
  const packages = {
    '': root,
    'node_modules/fine': { license: 'MIT' },
    'node_modules/choice': { license: '(GPL-3.0 OR MIT)' },
    'node_modules/tool': { license: 'GPL-3.0', dev: true },
  };
  expect(licences({ packages })).toMatchObject({ code: 0, note: '2 packages' });
  for (const license of ['GPL-3.0', 'MIT AND GPL-3.0', undefined]) {
    const { code, output } = licences({
      packages: {
        ...packages,
        '': { ...root, dependencies: { '@a/bad': '*' } },
        'node_modules/@a/bad': { license },
      },
    });
    expect([code, output]).toEqual([1, expect.stringContaining(`@a/bad: ${license ?? 'none'} is not one of MIT`)]);
  }
});

it('what a program that uses the package must install is checked, also where the lock file calls it a tool', () => {
  const dev = true;
  const packages = {
    '': { dependencies: { one: '*' }, devDependencies: { peer: '*' }, peerDependencies: { peer: '*' } },
    'node_modules/one': { license: 'MIT', optionalDependencies: { maybe: '*' } },
    'node_modules/maybe': { license: 'MIT', devOptional: true },
    'node_modules/peer': { license: 'MIT', dev, dependencies: { under: '*', one: '*' } },
    'node_modules/under': { license: 'MIT', dev },
    'node_modules/peer/node_modules/under': { license: 'GPL-3.0', dev },
  };
  const output = 'under: GPL-3.0 is not one of';
  expect(licences({ packages })).toMatchObject({
    code: 1,
    output: expect.stringContaining(output),
    note: '4 packages',
  });
});

it('an audit fails on what is known, and says plainly that it was not done where the registry answers none, which fails too where one is required', async () => {
  const answer = (output: string, isRequired = false) => audit({ ask: async () => ({ code: 1, output }), isRequired });
  const refused = '{ "message": "405 Method Not Allowed - POST …/advisories/bulk", "statusCode": 405 }';
  expect(await answer(`npm warn audit 405\n${refused}`)).toEqual({
    code: 0,
    output: '',
    note: 'NOT DONE, the registry answers no audit: 405 Method Not Allowed - POST …/advisories/bulk',
  });
  expect(await answer('npm error network')).toMatchObject({ code: 0, note: expect.stringContaining('NOT DONE') });
  for (const output of [refused, 'npm error network', '', '{}']) {
    expect(await answer(output, true)).toMatchObject({ code: 1, note: expect.stringContaining('NOT DONE') });
  }
  const metadata = (total: number) => ({ vulnerabilities: { total } });
  expect(await answer(JSON.stringify({ vulnerabilities: {}, metadata: metadata(0) }), true)).toMatchObject({ code: 0 });
  const hole = (name: string) => ({
    name,
    severity: 'high',
    via: [{ title: 'reads beyond its buffer' }, 'uuid'],
    nodes: [`node_modules/${name}`],
  });
  const vulnerabilities = { pg: hole('pg'), '@grpc/grpc-js': hole('@grpc/grpc-js'), vitest: hole('vitest') };
  expect(await answer(JSON.stringify({ vulnerabilities, metadata: metadata(3) }))).toMatchObject({
    code: 1,
    output: 'pg: high: reads beyond its buffer; uuid\n@grpc/grpc-js: high: reads beyond its buffer; uuid',
    note: '2 known holes',
  });
});

it('each action of a workflow is pinned by its commit, and what is published has its provenance, an audit and links that were answered', () => {
  const texts = readdirSync(WORKFLOWS).map((name) => readFileSync(join(WORKFLOWS, name), 'utf8'));
  const used = texts.flatMap((text) => [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action!));
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((action) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
  const { jobs, permissions } = parse(readFileSync(join(WORKFLOWS, 'publish.yml'), 'utf8'));
  expect(permissions).toEqual({ contents: 'read' });
  expect(jobs.publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  const commands = jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands.at(-1)).toBe('npm publish --provenance --access public');
  expect(commands).toContain('node scripts/supply-chain.mjs --require-audit');
  expect(commands).toContain('node scripts/outside-links.mjs --require-answers');
});
