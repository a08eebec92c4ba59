import { beforeEach, expect } from 'vitest';
import { type ListedRuns, TemporalCallError, type TemporalPort } from '../../../temporal/port';
import { oneServer } from '../../../temporal/temporal';
import { TemporalDouble } from '../../../testing';
import { Trigger } from '../../../trigger';
import { heldStatements, watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, type TestLedger } from '../../support/ledger';

/** A list of a namespace's runs that a trigger waits for. */
interface List {
  namespace: string;
  /** It has no runs, or fails. */
  end(error?: Error): void;
  /** Its first page has no runs, and is not the last one. */
  goOn(): void;
}

/** The database that was last adopted; null since a loss was declared. */
export const ADOPTED = `select value from escapement.meta where key = 'incarnation'`;

export type Listing = Awaited<ReturnType<ReturnType<typeof useWaitingLists>['listing']>>;

/** Triggers of a ledger with schedules in the namespaces `aa` and `bb`, and losses of its transactions. */
export function useWaitingLists(ledger: () => TestLedger) {
  beforeEach(async () => {
    for (const namespace of ['aa', 'bb']) await ledger().client.create(someSchedule({ namespace }));
  });

  /** A trigger whose lists of runs wait until the test ends them. */
  async function listing() {
    const { clock, log: logger } = ledger();
    const nothing: ListedRuns = { runs: [], next: undefined };
    const lists: List[] = [];
    let isAtOnce = false;
    const listRuns = (namespace: string) =>
      new Promise<ListedRuns>((resolve, reject) => {
        if (isAtOnce) resolve(nothing);
        else {
          const end = (error?: Error) => (error ? reject(error) : resolve(nothing));
          lists.push({ namespace, end, goOn: () => resolve({ ...nothing, next: 'the second page' }) });
        }
      });
    const double: TemporalPort = new TemporalDouble(clock, { namespaces: ['aa', 'bb'] });
    const temporal = new Proxy(double, {
      get: (target, name) => (name === 'listRuns' ? listRuns : Reflect.get(target, name).bind(target)),
    });
    let awaited: string[] = [];
    const { before, letGo, held, untilClose } = heldStatements(ledger(), (text) => {
      if (awaited.length === 0 || !text.includes(awaited[0]!)) return false;
      awaited = awaited.slice(1);
      return awaited.length === 0;
    });
    const pool = watchedPool(ledger(), { after: (text) => before(text, []) });
    const trigger = await Trigger.createOn({ pool, clock, logger }, async () => oneServer(temporal));
    ledger().beforeClose(() => trigger.close());
    untilClose();
    return {
      trigger,
      /** The lists of these namespaces, once the trigger has asked for just them. */
      asked: async (...namespaces: string[]): Promise<List[]> => {
        await expect.poll(() => lists.map(({ namespace }) => namespace), { timeout: 60_000 }).toEqual(namespaces);
        return lists.splice(0);
      },
      /** From now on, no namespace has runs. */
      answerAtOnce: () => {
        isAtOnce = true;
      },
      /** An adopt pass that waits for `letGo` once it has sent these statements, one after the other. */
      holdPass: async (...texts: string[]) => {
        awaited = texts;
        const pass = trigger.passes.adopt();
        await expect.poll(held, { timeout: 60_000 }).toBe(1);
        return { pass, letGo };
      },
    };
  }

  /** What an operator does after a loss that the database does not show. */
  async function declareLoss(): Promise<void> {
    ledger().clock.advance(1_000);
    await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
  }

  /** Two triggers that have noticed a loss. The first one has had an answer of `aa` alone. */
  async function listingTwice() {
    const [one, other] = [await listing(), await listing()];
    await declareLoss();
    for (const { trigger } of [one, other]) await trigger.passes.heartbeat();
    await answeredByA(one);
    return { one, other };
  }

  return { listing, declareLoss, listingTwice };
}

/** An adopt pass to which `aa` alone answers. */
export async function answeredByA({ trigger, asked }: Pick<Listing, 'trigger' | 'asked'>): Promise<void> {
  const pass = trigger.passes.adopt();
  const [a, b] = await asked('aa', 'bb');
  a!.end();
  b!.end(new TemporalCallError('no answer', 'away'));
  expect(await pass).toMatchObject({ complete: false });
}

/** An adopt pass to which both namespaces answer. */
export async function answeredByBoth({ trigger, asked }: Pick<Listing, 'trigger' | 'asked'>): Promise<void> {
  const pass = trigger.passes.adopt();
  for (const list of await asked('aa', 'bb')) list.end();
  expect(await pass).toMatchObject({ complete: true });
}
