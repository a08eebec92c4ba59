import { execFile } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { defineSchedule } from '../../core/define';
import type { EscapementClient, ScheduleOptions } from '../../index';

/** Workflows of a user, by their types alone. */
declare function nightlyReport(region: string, days?: number): Promise<string>;
declare function heartbeat(): Promise<void>;

const spec = { cron: '0 2 * * *' };
const action = { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: 'reports' } as const;

const nightly = defineSchedule<typeof nightlyReport>({
  scheduleId: 'nightly',
  spec,
  action: { ...action, args: ['emea', 7] },
});
const beat = defineSchedule<typeof heartbeat>({
  scheduleId: 'beat',
  spec,
  action: { ...action, workflowType: 'heartbeat' },
});

/** Never called: what the compiler accepts and refuses. */
export function typed(client: EscapementClient, db: Kysely<object>) {
  const scheduleId = 'nightly';
  // @ts-expect-error: the workflow takes a text
  defineSchedule<typeof nightlyReport>({ scheduleId, spec, action: { ...action, args: [42] } });
  // @ts-expect-error: and no third argument
  defineSchedule<typeof nightlyReport>({ scheduleId, spec, action: { ...action, args: ['emea', 7, true] } });
  // @ts-expect-error: it cannot do without its first
  defineSchedule<typeof nightlyReport>({ scheduleId, spec, action });
  // @ts-expect-error: this one takes none
  defineSchedule<typeof heartbeat>({ scheduleId, spec, action: { ...action, args: ['emea'] } });
  // @ts-expect-error: no such policy
  defineSchedule<typeof heartbeat>({ scheduleId, spec, action, policies: { overlap: 'SKIPP' } });
  // @ts-expect-error: no such field
  defineSchedule<typeof heartbeat>({ scheduleId, spec, action, polices: {} });

  // @ts-expect-error: Kysely outside of a transaction
  client.create(nightly, { transaction: db });
  db.transaction().execute((transaction) => client.create(nightly, { transaction }));
  const list: ScheduleOptions[] = [nightly, beat];
  // @ts-expect-error: which deploy this is has to be said
  client.apply(list, { source: 'reports' });
  return client.apply([nightly, beat], { source: 'reports', revision: 1 });
}

it('returns what it was given, for create and apply to take', () => {
  expect(nightly).toEqual({ scheduleId: 'nightly', spec, action: { ...action, args: ['emea', 7] } });
  expect(beat.scheduleId).toBe('beat');
});

it('loads nothing else: no pg, no Temporal, no Node', async () => {
  const entry = resolve(__dirname, '../../core/define.ts');
  const script = `const before = Object.keys(require.cache); require(${JSON.stringify(entry)});
    console.log(JSON.stringify(Object.keys(require.cache).filter((name) => !before.includes(name))))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '-e', script]);
  const isPlain = (name: string) => name.startsWith(dirname(entry)) || /fastest-levenshtein/.test(name);
  expect(JSON.parse(stdout).filter((name: string) => !isPlain(name))).toEqual([]);
  expect(stdout).not.toMatch(/zod/);
});
