import { expect, inject, it } from 'vitest';
import { diagnose } from '../../doctor/diagnose';
import { TemporalCallError } from '../../temporal/port';
import { triggerAnswering } from '../support/answering';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a namespace that does not list its workflows after a failover has an alert and a finding, until it lists them', async () => {
  const { client, clock } = ledger();
  await client.create(someSchedule());
  let refusal: Error | undefined = new TemporalCallError('may not list', 'refused');
  const { passes } = await triggerAnswering(ledger(), {
    listRuns: async () => {
      if (refusal) throw refusal;
      return { runs: [], next: undefined };
    },
  });
  await passes.heartbeat();
  await passes.alert();
  await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
  const look = async (time: string) => {
    clock.set(`2026-03-01T01:${time}Z`);
    await passes.heartbeat();
    await passes.adopt();
    await passes.claim();
    await passes.heartbeat();
    await passes.alert();
    // The jump of the clock opens `no_trigger`.
    const open = (await client.alerts.list()).filter(({ condition }) => condition !== 'no_trigger');
    const findings = await diagnose({
      postgres: { connectionString: ledger().databaseUrl },
      temporal: { connection: { address: inject('temporalAddress') }, namespaces: {}, namespace: 'default' },
      now: () => clock.now(),
    });
    const held = findings.filter(({ id }) => id === 'namespace_held');
    return { open: open.map(({ condition, text }) => ({ condition, text })), held: held.map(({ text }) => text) };
  };
  const text = expect.stringMatching(/^Nothing fires in namespace 'default': .*: may not list\.$/);
  expect(await look('00:00')).toEqual({ open: [], held: [text] });
  // Postponed again and again, its schedules are never overdue.
  for (let second = 15; second < 60; second += 4) await look(`00:${second}`);
  expect(await look('02:00')).toEqual({ open: [{ condition: 'namespace_held', text }], held: [text] });
  refusal = undefined;
  expect(await look('02:04')).toEqual({ open: [], held: [] });
});
