import { expect, it } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { useLedger } from '../../support/ledger';
import { answeredByBoth, useWaitingLists } from './waiting-lists';

const ledger = useLedger('2026-03-01T00:30:00Z');
const { listing, declareLoss, listingTwice } = useWaitingLists(ledger);

/** A trigger that has noticed a loss. */
async function afterLoss() {
  const one = await listing();
  await declareLoss();
  await one.trigger.passes.heartbeat();
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

it('a namespace of whose list a trigger has read a part when it stops stays held', async () => {
  const { trigger, asked } = await afterLoss();
  const pass = trigger.passes.adopt();
  const [a, b] = await asked('aa', 'bb');
  trigger.shutdown();
  a!.goOn();
  b!.end();
  expect(await pass).toMatchObject({ complete: false });
  expect(trigger.health().reasons).toContainEqual(expect.stringContaining(`namespace 'aa' is held`));
});

it.each([
  ['its lists', undefined],
  ['only an error', new TemporalCallError('no answer', 'away')],
])('a trigger whose daily check another has taken over does not end that check, with %s', async (_, error) => {
  const [one, other] = [await listing(), await listing()];
  await answeredByBoth(one);
  ledger().clock.advance(86_400_000);
  const check = one.trigger.passes.adopt();
  const lists = await one.asked('aa', 'bb');
  ledger().clock.advance(600_000);
  await other.trigger.passes.heartbeat();
  const takenOver = other.trigger.passes.adopt();
  const [a, b] = await other.asked('aa', 'bb');
  a!.end();
  for (const list of lists) list.end(error);
  await check;
  const [place] = await ledger().query(
    `select value ->> 'owner' as owner from escapement.meta where key = 'daily_look'`,
  );
  expect(place).toEqual({ owner: other.trigger.id });
  b!.end();
  expect(await takenOver).toMatchObject({ complete: true });
});

const ALL_HELD = expect.stringContaining('the database was replaced, and nothing is claimed');

it.each<[string, string[]]>([
  ['looks whether the database was replaced', ['commit']],
  ['records a check', [`('daily_look', 'null')`, 'commit']],
])('a trigger that hears of a loss while its pass %s holds everything until the next one', async (_, statements) => {
  const { trigger, answerAtOnce, holdPass } = await listing();
  answerAtOnce();
  const { pass, letGo } = await holdPass(...statements);
  await declareLoss();
  await trigger.passes.heartbeat();
  letGo();
  expect(await pass).toMatchObject({ complete: false });
  expect(trigger.health().reasons).toContainEqual(ALL_HELD);
});

it('a trigger that hears of another loss while its pass reads the namespaces holds everything until the next one', async () => {
  const { one, other } = await listingTwice();
  one.answerAtOnce();
  const { pass, letGo } = await one.holdPass('select distinct namespace');
  await answeredByBoth(other);
  await one.trigger.passes.heartbeat();
  await declareLoss();
  await one.trigger.passes.heartbeat();
  letGo();
  expect(await pass).toMatchObject({ complete: false });
  expect(one.trigger.health().reasons).toContainEqual(ALL_HELD);
});
