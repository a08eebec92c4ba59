import { expect, it } from 'vitest';
import type { ListedRuns, RunsPage } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import { TemporalDouble } from '../../../testing';
import { Trigger } from '../../../trigger';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A Temporal that lists no runs, and remembers the place at which each list was to begin. */
class Listing extends TemporalDouble {
  readonly places: unknown[] = [];

  override async listRuns(_namespace: string, { token }: RunsPage): Promise<ListedRuns> {
    this.places.push(token);
    return { runs: [], next: undefined };
  }
}

it('a namespace with a name that every object has is listed from its beginning', async () => {
  const { client, clock, log: logger } = ledger();
  const { scheduleId } = await client.create(someSchedule({ namespace: 'constructor' }));
  const temporal = new Listing(clock, { namespaces: ['constructor'] });
  const pool = watchedPool(ledger(), {});
  const trigger = await Trigger.createOn({ pool, clock, logger }, async () => oneServer(temporal));
  ledger().beforeClose(() => trigger.close());
  const { passes } = trigger;
  // The daily check.
  expect(await passes.adopt()).toMatchObject({ complete: true });
  expect(temporal.places.splice(0)).toEqual([undefined]);

  clock.set('2026-03-01T01:00:00Z');
  await passes.heartbeat();
  await passes.claim();
  await passes.dispatch();
  expect(await ledger().answers(scheduleId)).toEqual(['03-01T01:00:00 schedule linked']);
  // A declared loss, after which the runs that may be parked are asked for their letters.
  clock.advance(1_000);
  await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
  await passes.heartbeat();
  expect(await passes.adopt()).toMatchObject({ complete: true });
  expect(temporal.places.splice(0)).toEqual([undefined]);
  expect(await passes.askParked()).toEqual({ asked: 0, complete: true });
  expect(temporal.places).toEqual([undefined]);
});
