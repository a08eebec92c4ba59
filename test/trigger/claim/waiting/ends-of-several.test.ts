import { expect, it } from 'vitest';
import type { SchedulePolicies } from '../../../../index';
import { useLedger } from '../../../support/ledger';
import { running } from '../../observe/running';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** The firings of 01:00 and 02:00 run, as many as may. */
async function twoRun(policies: SchedulePolicies) {
  const one = await running(ledger(), {
    schedules: [{ policies: { ...policies, maxConcurrent: 2 } }],
    play: { takes: Number.POSITIVE_INFINITY },
  });
  ledger().clock.set('2026-03-01T02:00:00Z');
  await one.passes.claim();
  await one.passes.dispatch();
  return one;
}

/** The firings of 01:00 and 02:00 run, as many as may, and `ended` ends just before the next is due. */
async function thirdIsDue(overlap: 'CANCEL_OTHER' | 'TERMINATE_OTHER', ended?: string) {
  const { passes, ids, double } = await twoRun({ overlap });
  const scheduleId = ids[0]!;
  ledger().clock.set('2026-03-01T02:59:59Z');
  if (ended) double.finish('default', `${scheduleId}-workflow-2026-03-01T${ended}:00Z`);
  ledger().clock.set('2026-03-01T03:00:00Z');
  for (const pass of ['claim', 'verify', 'interrupt', 'claim', 'dispatch'] as const) await passes[pass]();
  return ledger().answers(scheduleId);
}

for (const overlap of ['CANCEL_OTHER', 'TERMINATE_OTHER'] as const) {
  it(`${overlap} ends no chain if another has ended and left its place`, async () => {
    expect(await thirdIsDue(overlap, '02:00')).toEqual([
      '03-01T01:00:00 schedule linked',
      '03-01T02:00:00 schedule closed completed',
      '03-01T03:00:00 schedule linked',
    ]);
  });

  it(`${overlap} ends the oldest chain if all still run`, async () => {
    expect(await thirdIsDue(overlap)).toEqual([
      `03-01T01:00:00 schedule closed ${overlap === 'CANCEL_OTHER' ? 'canceled' : 'terminated'}`,
      '03-01T02:00:00 schedule linked',
      '03-01T03:00:00 schedule linked',
    ]);
  });
}

it('an occurrence that comes due while Temporal is away waits, however short its catch-up window is', async () => {
  const { passes, ids, double } = await twoRun({ overlap: 'TERMINATE_OTHER', catchupWindow: '1 minute' });
  double.isAway = true;
  for (const clock of ['03:00', '03:05']) {
    ledger().clock.set(`2026-03-01T${clock}:00Z`);
    for (const pass of ['claim', 'verify', 'interrupt'] as const) await passes[pass]();
    expect((await ledger().answers(ids[0]!)).at(-1)).toBe('03-01T03:00:00 schedule buffered');
    expect(await ledger().query('select * from escapement.firings where interrupt is not null')).toEqual([]);
  }
  double.isAway = false;
  ledger().clock.set('2026-03-01T03:10:00Z');
  for (const pass of ['claim', 'verify', 'interrupt', 'claim', 'dispatch'] as const) await passes[pass]();
  expect(await ledger().answers(ids[0]!)).toEqual([
    '03-01T01:00:00 schedule closed terminated',
    '03-01T02:00:00 schedule linked',
    '03-01T03:00:00 schedule linked',
  ]);
});

it('a chain is not ended by an interrupt from before an outage, in which another has left its place', async () => {
  const { passes, ids, double } = await twoRun({ overlap: 'TERMINATE_OTHER' });
  ledger().clock.set('2026-03-01T03:00:00Z');
  for (const pass of ['claim', 'verify'] as const) await passes[pass]();
  const wanted = () => ledger().query(`select 1 from escapement.firings where interrupt = 'terminate'`);
  expect(await wanted()).toHaveLength(1);
  double.isAway = true;
  ledger().clock.set('2026-03-01T04:00:00Z');
  for (const pass of ['claim', 'verify'] as const) await passes[pass]();
  expect(await wanted()).toHaveLength(0);
  double.isAway = false;
  double.finish('default', `${ids[0]}-workflow-2026-03-01T02:00:00Z`);
  ledger().clock.set('2026-03-01T04:00:05Z');
  for (const pass of ['interrupt', 'claim', 'verify', 'interrupt', 'claim', 'dispatch'] as const) await passes[pass]();
  expect(await ledger().answers(ids[0]!)).toEqual([
    '03-01T01:00:00 schedule linked',
    '03-01T02:00:00 schedule closed completed',
    '03-01T03:00:00 schedule skipped superseded',
    '03-01T04:00:00 schedule linked',
  ]);
});

it('what waits is skipped at once after the last action, though Temporal is away and a chain is to be ended', async () => {
  const { passes, ids, double } = await twoRun({ overlap: 'BUFFER_ALL' });
  const handle = ledger().client.getHandle(ids[0]!);
  ledger().clock.set('2026-03-01T03:00:00Z');
  await passes.claim();
  double.isAway = true;
  await handle.trigger('TERMINATE_OTHER');
  await handle.update((previous) => ({ ...previous, state: { ...previous.state, remainingActions: 0 } }));
  ledger().clock.set('2026-03-01T03:10:00Z');
  for (const pass of ['claim', 'verify'] as const) await passes[pass]();
  expect(await ledger().answers(ids[0]!)).toContain('03-01T03:00:00 schedule skipped completed');
});

it('a firing is not skipped for a cancel from before it began to wait', async () => {
  const { passes, ids, double } = await twoRun({ overlap: 'CANCEL_OTHER' });
  const handle = ledger().client.getHandle(ids[0]!);
  await ledger().query(
    `update escapement.firings set interrupt = 'cancel', interrupt_at = $1, interrupted_at = $1
    where scheduled_time = '2026-03-01T01:00:00Z'`,
    [new Date('2026-03-01T02:30:00Z')],
  );
  ledger().clock.set('2026-03-01T03:00:00Z');
  double.isAway = true;
  await passes.claim();
  await passes.verify();
  ledger().clock.set('2026-03-01T03:15:00Z');
  double.isAway = false;
  for (const pass of ['claim', 'verify'] as const) await passes[pass]();
  expect((await ledger().answers(handle.scheduleId)).at(-1)).toBe('03-01T03:00:00 schedule buffered');
  expect(await passes.interrupt()).toMatchObject({ sent: 1 });
});
