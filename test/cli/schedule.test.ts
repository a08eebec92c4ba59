import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/child';
import { useLedger } from '../support/ledger';

const ledger = useLedger();
const escapement = (...args: string[]) => runCommand(args, { DATABASE_URL: ledger().databaseUrl });

describe('escapement schedule', () => {
  it('leads a schedule through its life', async () => {
    const created = await escapement(
      ...['schedule', 'create', '-s', 'nightly', '--cron', '0 2 * * *', '--time-zone', 'Europe/Berlin'],
      ...['--type', 'report', '-t', 'reports', '-i', '"emea"', '{"deep":1}', '--json'],
    );
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(created.stdout).nextTimes).toHaveLength(5);

    const described = JSON.parse((await escapement('schedule', 'describe', '-s', 'nightly', '--json')).stdout);
    expect(described).toMatchObject({
      spec: { cron: ['0 2 * * *'], timezone: 'Europe/Berlin' },
      action: { workflowType: 'report', taskQueue: 'reports', args: ['emea', { deep: 1 }] },
    });

    expect((await escapement('schedule', 'pause', '-s', 'nightly', '--reason', 'audit')).stdout).toBe(
      "Paused 'nightly'.",
    );
    expect((await escapement('schedule', 'list')).stdout).toMatch(
      /^SCHEDULE +WORKFLOW +STATE +NEXT\nnightly +report +paused +-$/,
    );
    expect((await escapement('schedule', 'unpause', '-s', 'nightly')).code).toBe(0);

    const fired = await escapement('schedule', 'trigger', '-s', 'nightly', '--json');
    expect(JSON.parse(fired.stdout)).toMatchObject({ kind: 'manual', state: 'buffered' });
    expect((await escapement('firing', 'list', '-s', 'nightly')).stdout).toMatch(
      /\n\S+\.001Z +nightly +manual +buffered/,
    );

    expect((await escapement('schedule', 'delete', '-s', 'nightly')).code).toBe(0);
    expect((await escapement('schedule', 'list', '--json')).stdout).toBe('');
  });
});
