import { beforeEach, expect, it } from 'vitest';
import { type ListedRuns, TemporalCallError, type TemporalPort } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import { TemporalDouble } from '../../../testing';
import { Trigger } from '../../../trigger';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
beforeEach(async () => {
  for (const namespace of ['aa', 'bb']) await ledger().client.create(someSchedule({ namespace }));
});

/** A list of a namespace's runs that a trigger waits for. */
interface List {
  namespace: string;
  /** It has no runs, or fails. */
  end(error?: Error): void;
}

/** A trigger whose lists of runs wait until the test ends them. */
async function listing() {
  const { clock, log: logger } = ledger();
  const lists: List[] = [];
  const listRuns = (namespace: string) =>
    new Promise<ListedRuns>((resolve, reject) => {
      const nothing = { runs: [], next: undefined };
      lists.push({ namespace, end: (error) => (error ? reject(error) : resolve(nothing)) });
    });
  const double: TemporalPort = new TemporalDouble(clock, { namespaces: ['aa', 'bb'] });
  const temporal = new Proxy(double, {
    get: (target, name) => (name === 'listRuns' ? listRuns : Reflect.get(target, name).bind(target)),
  });
  const pool = watchedPool(ledger(), {});
  const trigger = await Trigger.createOn({ pool, clock, logger }, async () => oneServer(temporal));
  ledger().beforeClose(() => trigger.close());
  /** The lists of these namespaces, once the trigger has asked for just them. */
  const asked = async (...namespaces: string[]): Promise<List[]> => {
    await expect.poll(() => lists.map(({ namespace }) => namespace), { timeout: 60_000 }).toEqual(namespaces);
    return lists.splice(0);
  };
  return { trigger, asked };
}

/** What an operator does after a loss that the database does not show. */
async function declareLoss(): Promise<void> {
  ledger().clock.advance(1_000);
  await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
}

/** The database that was last adopted; null since a loss was declared. */
const ADOPTED = `select value from escapement.meta where key = 'incarnation'`;

/** A trigger that has noticed a loss. */
async function afterLoss() {
  const { trigger, asked } = await listing();
  await declareLoss();
  await trigger.passes.heartbeat();
  return { trigger, asked };
}

/** A trigger that has had an answer of `aa` alone, before another one adopted the ledger. */
async function afterAnother() {
  const [one, other] = [await listing(), await listing()];
  await declareLoss();
  for (const { trigger } of [one, other]) await trigger.passes.heartbeat();
  const pass = one.trigger.passes.adopt();
  const [a, b] = await one.asked('aa', 'bb');
  a!.end();
  b!.end(new TemporalCallError('no answer', 'away'));
  expect(await pass).toMatchObject({ complete: false });
  const adoption = other.trigger.passes.adopt();
  for (const list of await other.asked('aa', 'bb')) list.end();
  expect(await adoption).toMatchObject({ complete: true });
  return one;
}

const broken = (namespace: string) => new Error(`Postgres failed a statement for ${namespace}`);

it('a pass that one namespace fails ends after its other ones, which are not asked again', async () => {
  const { trigger, asked } = await afterLoss();
  const order: string[] = [];
  const pass = trigger.passes.adopt().catch(({ message }: Error) => order.push(message));
  const [a, b] = await asked('aa', 'bb');
  b!.end(broken('bb'));
  // During its statements, a pass that does not wait for `a` ends.
  await trigger.passes.heartbeat();
  order.push('a answers');
  a!.end();
  await pass;
  expect(order).toEqual(['a answers', broken('bb').message]);

  const next = trigger.passes.adopt();
  for (const list of await asked('bb')) list.end();
  expect(await next).toMatchObject({ complete: true });
});

it('a pass that each namespace fails ends, and the next one asks each again', async () => {
  const { trigger, asked } = await afterLoss();
  const failed = expect(trigger.passes.adopt()).rejects.toThrow('Postgres failed a statement');
  for (const list of await asked('aa', 'bb')) list.end(broken(list.namespace));
  await failed;

  const next = trigger.passes.adopt();
  for (const list of await asked('aa', 'bb')) list.end();
  expect(await next).toMatchObject({ complete: true });
});

it('a pass whose trigger stops ends with the lists for which it waits', async () => {
  const { trigger, asked } = await afterLoss();
  const failed = expect(trigger.passes.adopt()).rejects.toThrow(broken('aa').message);
  const [a, b] = await asked('aa', 'bb');
  trigger.shutdown();
  a!.end(broken('aa'));
  b!.end();
  await failed;
});

it('the daily check asks each namespace, though one has answered before another trigger adopted', async () => {
  const { trigger, asked } = await afterAnother();
  await trigger.passes.heartbeat();
  ledger().clock.advance(86_400_000);
  const check = trigger.passes.adopt();
  for (const list of await asked('aa', 'bb')) list.end();
  expect(await check).toMatchObject({ complete: true });
});

it.each([true, false])(
  'a loss declared after another trigger adopted holds a namespace that has answered before (heard of that: %s)',
  async (isHeard) => {
    const { trigger, asked } = await afterAnother();
    if (isHeard) await trigger.passes.heartbeat();
    await declareLoss();
    await trigger.passes.heartbeat();
    const pass = trigger.passes.adopt();
    const lists = await asked('aa', 'bb');
    for (const { namespace } of lists) {
      expect(trigger.health().reasons).toContainEqual(expect.stringContaining(`namespace '${namespace}' is held`));
    }
    for (const list of lists) list.end();
    expect(await pass).toMatchObject({ complete: true });
  },
);

it.each([true, false])(
  'a loss that is declared during a check stays declared, and is adopted (noticed during it: %s)',
  async (isNoticed) => {
    const { trigger, asked } = await listing();
    const check = trigger.passes.adopt();
    const lists = await asked('aa', 'bb');
    await declareLoss();
    if (isNoticed) await trigger.passes.heartbeat();
    for (const list of lists) list.end();
    expect(await check).toMatchObject({ complete: false });
    expect(await ledger().query(ADOPTED)).toEqual([{ value: null }]);

    await trigger.passes.heartbeat();
    const pass = trigger.passes.adopt();
    for (const list of await asked('aa', 'bb')) list.end();
    expect(await pass).toMatchObject({ complete: true });
    expect(await ledger().query(ADOPTED)).not.toEqual([{ value: null }]);
  },
);

it('a loss that is declared during a late adoption of the former one stays declared', async () => {
  const [late, other] = [await listing(), await listing()];
  await declareLoss();
  for (const { trigger } of [late, other]) await trigger.passes.heartbeat();
  const pass = late.trigger.passes.adopt();
  const lists = await late.asked('aa', 'bb');
  const adoption = other.trigger.passes.adopt();
  for (const list of await other.asked('aa', 'bb')) list.end();
  expect(await adoption).toMatchObject({ complete: true });
  await declareLoss();
  for (const list of lists) list.end();
  expect(await pass).toMatchObject({ complete: false });
  expect(await ledger().query(ADOPTED)).toEqual([{ value: null }]);
});

/** A trigger that has noticed a failover, and has had an answer of `aa` alone since. */
async function afterFailover() {
  const { trigger, asked } = await listing();
  ledger().clock.advance(1_000);
  await ledger().query(
    `update escapement.meta set value = value || '{"timeline": "00000000"}' where key = 'incarnation'`,
  );
  await trigger.passes.heartbeat();
  const pass = trigger.passes.adopt();
  const [a, b] = await asked('aa', 'bb');
  a!.end();
  b!.end(new TemporalCallError('no answer', 'away'));
  expect(await pass).toMatchObject({ complete: false });
  return { trigger, asked };
}

it('a loss declared before a failover is adopted holds a namespace that has answered since the failover', async () => {
  const { trigger, asked } = await afterFailover();
  await declareLoss();
  await trigger.passes.heartbeat();
  const pass = trigger.passes.adopt();
  const lists = await asked('aa', 'bb');
  expect(trigger.health().reasons).toContainEqual(expect.stringContaining(`namespace 'aa' is held`));
  for (const list of lists) list.end();
  expect(await pass).toMatchObject({ complete: true });
});

it('a loss declared while the last namespace answers after a failover stays declared', async () => {
  const { trigger, asked } = await afterFailover();
  const pass = trigger.passes.adopt();
  const [b] = await asked('bb');
  await declareLoss();
  b!.end();
  expect(await pass).toMatchObject({ complete: false });
  expect(await ledger().query(ADOPTED)).toEqual([{ value: null }]);
});
