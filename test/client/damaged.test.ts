import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([
  ['action', 'null'],
  ['action', '7'],
  ['policies', 'null'],
  ['policies', '[]'],
  ['spec', 'null'],
  ['spec', '"hourly"'],
])(
  'a schedule whose stored %s is %s is described and explained, hides no other in a list, and is mended by an update',
  async (column, stored) => {
    const { client } = ledger();
    const bad = await client.create(someSchedule());
    const good = await client.create(someSchedule());
    await ledger().query(`update escapement.schedule_versions set ${column} = $2::jsonb where schedule_id = $1`, [
      bad.scheduleId,
      stored,
    ]);
    const { state } = await bad.describe();
    expect(state.specError).toContain('no object');
    const listed: string[] = [];
    for await (const { scheduleId } of client.list()) listed.push(scheduleId);
    expect(listed.sort()).toEqual([bad.scheduleId, good.scheduleId].sort());
    const versions: number[] = [];
    for await (const { version } of bad.versions()) versions.push(version);
    expect(versions).toEqual([1]);
    const { answer, sentence } = await bad.explain('2026-03-01T01:00:00Z');
    expect(answer).toBe(column === 'spec' ? 'spec_error' : 'not_yet');
    expect(sentence).toMatch(/definition.*, version 1 in schedule_versions, cannot be used \(.*object/);
    expect(sentence).toMatch(/; write it again with 'escapement schedule update', or delete the schedule\.$/);
    const { spec, action, policies } = someSchedule();
    await bad.update(() => ({ spec, action, ...(policies ? { policies } : {}) }));
    expect((await bad.describe()).state.specError).toBeUndefined();
  },
);
