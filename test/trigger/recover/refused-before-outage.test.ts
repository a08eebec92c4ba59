import { expect, it } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { TemporalDouble } from '../../../testing';
import { type Answers, triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a start that failed just before an outage, and fails once after it, is tried for an hour more', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule({ spec: { at: new Date('2026-03-01T01:00:00Z') } }));
  const double = new TemporalDouble(ledger().clock, { namespaces: ['default'] });
  let isRefused = true;
  const { passes, context } = await triggerAnswering(
    ledger(),
    {
      startWorkflow: async (start) => {
        if (!isRefused || double.isAway) return double.startWorkflow(start);
        throw new TemporalCallError('not this one', 'refused', { unsent: true });
      },
    },
    { double },
  );
  const passesAt = async (clock: string) => {
    ledger().clock.set(`2026-03-01T${clock}Z`);
    await passes.heartbeat();
    await passes.claim();
    await passes.reconcile();
    await passes.dispatch();
  };
  const answer = async () => (await ledger().answers(scheduleId))[0];
  await passesAt('01:00:00');
  expect(await ledger().query('select refused_since as since from escapement.firings')).toEqual([
    { since: new Date('2026-03-01T01:00:00Z') },
  ]);
  // The firing waits for its turn when the outage begins.
  ledger().clock.set('2026-03-01T01:00:04Z');
  await passes.reconcile();
  expect(await ledger().query('select owner from escapement.firings')).toEqual([{ owner: null }]);
  double.isAway = true;
  expect(
    await context.temporal
      .of('default')
      .describeChain('any')
      .catch(() => 'away'),
  ).toBe('away');
  for (const clock of ['01:01:00', '01:59:00']) await passesAt(clock);
  expect(await ledger().query('select owner from escapement.firings')).toEqual([{ owner: null }]);
  double.isAway = false;
  for (const clock of ['02:59:00', '02:59:10', '02:59:20', '03:00:00']) await passesAt(clock);
  expect(await ledger().query('select refused_since as since from escapement.firings')).toEqual([
    { since: new Date('2026-03-01T01:00:00Z') },
  ]);
  expect(await answer()).toBe('03-01T01:00:00 schedule claimed');
  isRefused = false;
  for (const clock of ['03:01:00', '03:02:00']) await passesAt(clock);
  expect(await answer()).toBe('03-01T01:00:00 schedule linked');
});

it('a called start that failed before its namespace refused all calls for hours is called again by a new trigger', async () => {
  const at = new Date('2026-03-01T01:00:00Z');
  const { scheduleId } = await ledger().client.create(someSchedule({ spec: { at } }));
  const double = new TemporalDouble(ledger().clock, { namespaces: ['default'] });
  let refused: 'start' | 'all' | 'nothing' = 'start';
  const refuse = () => {
    throw new TemporalCallError('not now', 'refused', { ofNamespace: refused === 'all' });
  };
  const answers: Answers = {
    startWorkflow: async (start) => (refused === 'nothing' ? double.startWorkflow(start) : refuse()),
    describeChain: async (...chain) => (refused === 'all' ? refuse() : double.describeChain(...chain)),
  };
  const trigger = () => triggerAnswering(ledger(), answers, { double });
  const first = await trigger();
  const passesAt = async ({ passes }: typeof first, clock: string) => {
    ledger().clock.set(`2026-03-01T${clock}:00Z`);
    for (const pass of ['heartbeat', 'claim', 'reconcile', 'dispatch'] as const) await passes[pass]();
  };
  await passesAt(first, '01:00');
  refused = 'all';
  for (let minute = 5; minute < 60; minute += 5) await passesAt(first, `01:${String(minute).padStart(2, '0')}`);
  expect(await ledger().query('select refused_since as since from escapement.firings')).toEqual([{ since: null }]);
  for (let minute = 0; minute < 60; minute += 5) await passesAt(first, `02:${String(minute).padStart(2, '0')}`);
  refused = 'nothing';
  const second = await trigger();
  for (const clock of ['03:00', '03:01', '03:02']) await passesAt(second, clock);
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
});
