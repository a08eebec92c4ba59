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
    expect(state.specError).toContain('not an object');
    const listed: string[] = [];
    for await (const { scheduleId } of client.list()) listed.push(scheduleId);
    expect(listed.sort()).toEqual([bad.scheduleId, good.scheduleId].sort());
    const versions: number[] = [];
    for await (const { version } of bad.versions()) versions.push(version);
    expect(versions).toEqual([1]);
    const { answer, sentence } = await bad.explain('2026-03-01T01:00:00Z');
    expect(answer).toBe(column === 'spec' ? 'spec_error' : 'not_yet');
    expect(sentence).toMatch(/definition.*, version 1 in schedule_versions, cannot be used \(.*object/);
    expect(sentence).toMatch(
      /; write the definition again with 'escapement schedule update', or delete the schedule\.$/,
    );
    const { spec, action, policies } = someSchedule();
    await bad.update(() => ({ spec, action, ...(policies ? { policies } : {}) }));
    expect((await bad.describe()).state.specError).toBeUndefined();
  },
);

it('a schedule with a value that only a newer version knows is not called set aside, and explain says who fires it', async () => {
  const handle = await ledger().client.create(someSchedule());
  const newer = `update escapement.schedule_versions set policies = jsonb_set(policies, '{overlap}', '"SOMEHOW"') where schedule_id = $1`;
  await ledger().query(newer, [handle.scheduleId]);
  expect((await handle.describe()).state).not.toHaveProperty('specError');
  ledger().clock.set('2026-03-01T01:00:10Z');
  const { because, sentence } = (await handle.explain('2026-03-01T01:00:00Z')) as {
    because?: string;
    sentence: string;
  };
  expect(because).toBe('due');
  expect(sentence).toMatch(
    /waits for a newer trigger, because this version cannot read its definition: the stored policies\.overlap is not one of/,
  );
  expect(sentence).not.toContain('write the definition again');
});
