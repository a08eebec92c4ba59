import { expect, it } from 'vitest';
import type { RawSchedule } from '../../moving/native/native';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

const HOURLY = { spec: { intervals: [{ every: '1h' as const }] } };

/** A client of a server that answers a description with a change. */
function answering(change: (answer: RawSchedule) => void) {
  return withCalls(worker().client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      change(answer);
      return answer;
    },
  });
}

const payload = (value: unknown, metadata: Record<string, string> = {}) => {
  const entries = Object.entries({ encoding: 'json/plain', ...metadata });
  return {
    metadata: Object.fromEntries(entries.map(([name, text]) => [name, Buffer.from(text)])),
    data: Buffer.from(JSON.stringify(value)),
  };
};

it('a pause here ends by itself only until an import ends shadow mode: native still runs the schedule', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule(HOURLY);
  const client = await imported(scheduleId, true);
  const handle = client.getHandle(scheduleId);
  await handle.pause({ until: '1 hour' });
  const query = `ScheduleId = '${scheduleId}'`;
  expect((await client.importSchedules({ from, query })).schedules).toMatchObject([{ status: 'updated' }]);
  const { state } = await handle.describe();
  expect(state.paused).toBe(true);
  expect(state.pausedUntil).toBeUndefined();
});

it.each([
  ['a memo', { memo: { fields: { one: payload(2) } } }, { memo: { one: 2 } }],
  ['the removal of a memo', { memo: null }, { memo: undefined }],
  [
    'search attributes',
    { searchAttributes: { indexedFields: { Team: payload('billing', { type: 'Keyword' }) } } },
    { searchAttributes: { Team: ['billing'] } },
  ],
])('an import takes over %s from Temporal, also if nothing else was changed', async (_, theirs, ours) => {
  const scheduleId = await nativeSchedule({ ...HOURLY, memo: { one: 1 } });
  const client = await imported(scheduleId);
  const from = answering((answer) => Object.assign(answer, theirs));
  const again = async (options: object = {}) =>
    (await client.importSchedules({ from, query: `ScheduleId = '${scheduleId}'`, ...options })).schedules;
  expect(await again({ dryRun: true })).toMatchObject([{ status: 'updated' }]);
  expect(await again()).toMatchObject([{ status: 'updated' }]);
  const { memo, searchAttributes, info } = await client.getHandle(scheduleId).describe();
  expect({ memo, searchAttributes, version: info.version }).toEqual({
    memo: { one: 1 },
    searchAttributes: {},
    version: 1,
    ...ours,
  });
  expect(await again()).toMatchObject([{ status: 'unchanged' }]);
});

it.each([false, true])(
  'keeps labels and a pause set here while those of Temporal are the same (in shadow: %s)',
  async (shadow) => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule({ ...HOURLY, memo: { one: 1 } });
    const client = await imported(scheduleId, shadow);
    const handle = client.getHandle(scheduleId);
    await handle.pause('by a person');
    const labels = { memo: { one: 1 }, searchAttributes: { Team: ['billing'] } };
    await handle.update((previous) => ({ ...previous, ...labels }));
    const again = async (by = from, mode = shadow) =>
      (await client.importSchedules({ from: by, query: `ScheduleId = '${scheduleId}'`, shadow: mode })).schedules;
    expect(await again()).toMatchObject([{ status: 'unchanged' }]);
    expect(await handle.describe()).toMatchObject(labels);
    // A build that knew no labels left a fingerprint without them.
    await ledger().query(`update escapement.moves set fingerprint = split_part(fingerprint, ' ', 1)`);
    expect(await again()).toMatchObject([{ status: 'unchanged' }]);
    expect(await handle.describe()).toMatchObject(labels);
    const otherMemo = answering((answer) => Object.assign(answer, { memo: { fields: { one: payload(2) } } }));
    expect(await again(otherMemo)).toMatchObject([{ status: 'updated' }]);
    expect(await handle.describe()).toMatchObject({
      ...{ ...labels, memo: { one: 2 } },
      state: { paused: true, note: 'by a person' },
    });
    expect(await again(otherMemo, !shadow)).toMatchObject([{ status: 'updated' }]);
    expect(await handle.describe()).toMatchObject({ ...labels, memo: { one: 2 } });
  },
);

it('takes over labels from Temporal of a schedule that was handed over by hand, and lets it fire', async () => {
  const scheduleId = await nativeSchedule({ ...HOURLY, memo: { one: 1 } });
  const client = await imported(scheduleId);
  const handle = client.getHandle(scheduleId);
  await handle.unpause();
  const from = answering((answer) => Object.assign(answer, { memo: { fields: { one: payload(2) } } }));
  const query = `ScheduleId = '${scheduleId}'`;
  expect((await client.importSchedules({ from, query })).schedules).toMatchObject([{ status: 'updated' }]);
  expect(await handle.describe()).toMatchObject({ memo: { one: 2 }, state: { paused: false } });
});

it('takes a memo for the same in whatever order the server answers the parts of its values', async () => {
  const scheduleId = await nativeSchedule(HOURLY);
  let described = 0;
  const from = answering((answer) => {
    const { metadata, data } = payload(1, { key: 'a' });
    const parts = Object.entries(metadata);
    answer.memo = {
      fields: { one: { metadata: Object.fromEntries(described++ % 2 ? parts : parts.reverse()), data } },
    };
  });
  const client = await imported(scheduleId);
  const again = async () => (await client.importSchedules({ from, query: `ScheduleId = '${scheduleId}'` })).schedules;
  expect(await again()).toMatchObject([{ status: 'updated' }]);
  for (let times = 0; times < 2; times++) expect(await again()).toMatchObject([{ status: 'unchanged' }]);
  expect(described).toBe(4);
});

it('leaves alone a schedule that was cut over, whatever its native schedule has become', async () => {
  const scheduleId = await nativeSchedule(HOURLY);
  const client = await imported(scheduleId);
  await client.cutOver({ from: worker().client, scheduleIds: [scheduleId] });
  const changes: ((answer: RawSchedule) => void)[] = [
    (answer) => Object.assign(answer.schedule!, { action: {} }),
    (answer) => Object.assign(answer.schedule!.state!, { notes: 'paused for migration to workflow-backed scheduler' }),
  ];
  for (const change of changes) {
    const query = `ScheduleId = '${scheduleId}'`;
    expect(await client.importSchedules({ from: answering(change), query })).toMatchObject({
      schedules: [{ status: 'moved' }],
      complete: true,
    });
  }
});
