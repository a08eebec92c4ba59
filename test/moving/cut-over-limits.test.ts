import { expect, it } from 'vitest';
import { pauseNote } from '../../moving/native/standing';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

const spec = { intervals: [{ every: '1h' }] };

it.each([
  ['goes on as it is', {}, false],
  ['stays paused, until it has fewer', { paused: true, note: pauseNote('somebody') }, true],
])('with more remaining actions than fit here, a native schedule %s', async (_, state, paused) => {
  const { client: real } = worker();
  const scheduleId = await nativeSchedule({ spec, state });
  const client = await imported(scheduleId);
  // As a cut-over leaves it that was killed after its pause.
  if (paused) {
    await ledger().query(`update escapement.moves set state = 'cutting_over', stays_paused = false, evidence = $1`, [
      { first: null, last: null, lastStartedAt: null, buffered: 0 },
    ]);
  }
  const from = withCalls(real, {
    describeSchedule: async (request, call) => {
      const answer = await call(request);
      Object.assign(answer.schedule!.state!, { limitedActions: true, remainingActions: 2 ** 31 });
      return answer;
    },
  });
  const which = { from, scheduleIds: [scheduleId] };
  const reason = expect.stringContaining('2147483648 remaining actions');
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'refused', reason }]);
  expect((await real.schedule.getHandle(scheduleId).describe()).state.paused).toBe(paused);
  expect((await client.cutOver({ ...which, from: real })).schedules).toMatchObject([{ status: 'moved' }]);
});

it('a schedule whose times here take too long to count is cut over without a gap: native is paused by then', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule({ spec });
  const client = await imported(scheduleId);
  const costly = { calendars: Array.from({ length: 250 }, () => ({ hour: '*' })), jitter: 5_000 };
  await ledger().query('update escapement.schedule_versions set spec = $1', [costly]);
  expect((await client.cutOver({ from, scheduleIds: [scheduleId] })).schedules).toMatchObject([
    { status: 'moved', from: expect.any(Date), paused: false },
  ]);
  expect(await ledger().query('select from escapement.gaps')).toEqual([]);
});

it('takes the instant of the last request after a call whose pause of native failed', async () => {
  const { client: from } = worker();
  // It fires each second.
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId);
  await ledger().query(
    `update escapement.moves set state = 'cutting_over', stays_paused = false, evidence = '{"first":null,"last":null,"lastStartedAt":null,"buffered":0}'`,
  );
  const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000);
  const { schedules } = await client.cutOver({ from, scheduleIds: [scheduleId], at });
  expect(schedules).toMatchObject([{ status: 'moved', from: expect.any(Date) }]);
  expect(schedules[0]!.from!.getTime()).toBeGreaterThanOrEqual(at.getTime());
});
