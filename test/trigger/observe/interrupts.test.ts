import { describe, expect, it } from 'vitest';
import type { ScheduleOptions } from '../../../index';
import { TemporalCallError, type TemporalPort } from '../../../temporal/port';
import type { DoubleBehaviour } from '../../../testing/double/behaviour';
import { useLedger } from '../../support/ledger';
import { running } from './running';

const ledger = useLedger('2026-03-01T00:30:00Z');

type Kind = 'cancel' | 'terminate';
type Answer = (namespace: string, workflowId: string) => Error | undefined;

interface Due {
  batchSize?: number;
  namespaces?: string[];
  play?: DoubleBehaviour;
}

/** Chains that are to be ended, the first one first. */
async function due(
  kinds: Kind[],
  answer: Answer = () => undefined,
  { batchSize = 500, namespaces = [], play }: Due = {},
) {
  const sent: string[] = [];
  const asked: { target: unknown; request: unknown }[] = [];
  const schedules = kinds.map((_, index): Partial<ScheduleOptions> => {
    const namespace = namespaces[index];
    return namespace === undefined ? {} : { namespace };
  });
  const send =
    <Name extends 'requestCancel' | 'terminate'>(name: Name): TemporalPort['requestCancel'] =>
    async (target, request) => {
      asked.push({ target, request });
      const error = answer(target.namespace, target.workflowId);
      if (error) throw error;
      sent.push(`${name} ${target.workflowId}`);
      await one.double[name](target);
    };
  const one = await running(ledger(), {
    schedules,
    play,
    limits: { batchSize },
    answers: { requestCancel: send('requestCancel'), terminate: send('terminate') as TemporalPort['terminate'] },
  });
  for (const [index, id] of one.ids.entries())
    await ledger().query(
      `update escapement.firings set interrupt = $2, interrupt_at = linked_at + $3 * interval '1 ms' where schedule_id = $1`,
      [id, kinds[index], index],
    );
  ledger().clock.advance(5_000);
  const calls = () => sent.splice(0);
  const marked = async () => (await one.rows()).map(({ interrupted_at }) => interrupted_at !== null);
  return { ...one, asked, calls, marked };
}

describe('an interrupt', () => {
  it('is sent as what was asked for, with the schedule as its reason, and the end that it brings is recorded', async () => {
    const { passes, calls, asked, chains, ids, states, said, rows } = await due(['cancel', 'terminate']);
    let goneOn = 0;
    const goOn = () => {
      goneOn += 1;
    };
    expect(await passes.interrupt(goOn)).toEqual({ sent: 2, closed: 2, unanswered: 0 });
    expect(goneOn).toBe(1);
    const [cancelled, terminated] = chains as [(typeof chains)[0], (typeof chains)[0]];
    expect(calls().sort()).toEqual([`requestCancel ${cancelled.workflowId}`, `terminate ${terminated.workflowId}`]);
    const target = { namespace: 'default', workflowId: cancelled.workflowId, firstRunId: cancelled.firstRunId };
    const request = { requestId: expect.any(String), reason: `asked for by schedule '${ids[0]}'` };
    expect(asked).toContainEqual({ target, request });
    expect(await states()).toEqual(['closed', 'closed']);
    expect((await rows()).map(({ outcome }) => outcome)).toEqual(['canceled', 'terminated']);
    expect(
      said('interrupted')
        .map(({ level, meta }) => `${level} ${meta.interrupt} ${meta.scheduleId}`)
        .sort(),
    ).toEqual([`info cancel ${ids[0]}`, `info terminate ${ids[1]}`]);
    expect(await passes.interrupt()).toEqual({ sent: 0, closed: 0, unanswered: 0 });
  });

  it('of a chain that takes its time is sent once, and its chain is polled before others', async () => {
    const { passes, calls, marked, rows, double, chains } = await due(['cancel'], () => undefined, {
      play: { takes: Number.POSITIVE_INFINITY, onCancel: 'ignore' },
    });
    expect(await passes.interrupt()).toEqual({ sent: 1, closed: 0, unanswered: 0 });
    expect(double.chain('default', chains[0]!.workflowId)!.endsAt).toBe(Number.POSITIVE_INFINITY);
    expect(calls()).toHaveLength(1);
    expect(await marked()).toEqual([true]);
    expect(await rows()).toMatchObject([{ state: 'linked', interrupted_at: new Date('2026-03-01T01:00:05Z') }]);
    expect((await rows())[0]!.check_at).toEqual(new Date('2026-03-01T00:58:05Z'));
    expect(await passes.interrupt()).toEqual({ sent: 0, closed: 0, unanswered: 0 });
    expect(calls()).toEqual([]);
  });

  it('that Temporal refuses is logged, and sent again by the next pass, beside the others', async () => {
    let error: Error | undefined = new TemporalCallError('may not cancel', 'rejected');
    const { passes, ids, marked, said, chains, asked } = await due(['cancel', 'terminate'], () =>
      asked.length === 1 ? error : undefined,
    );
    expect(await passes.interrupt()).toEqual({ sent: 1, closed: 1, unanswered: 1 });
    expect(await marked()).toEqual([false, true]);
    expect(said('interrupted').map(({ meta }) => meta.scheduleId)).toEqual([ids[1]]);
    expect(said('interrupt postponed')).toMatchObject([
      {
        level: 'warn',
        meta: {
          ...{ scheduleId: ids[0], workflowId: chains[0]!.workflowId, namespace: 'default' },
          ...{ interrupt: 'cancel', error: 'may not cancel' },
        },
      },
    ]);
    error = undefined;
    expect(await passes.interrupt()).toEqual({ sent: 1, closed: 1, unanswered: 0 });
  });

  it('of a namespace that is away is not logged by itself, and an error of this program ends the pass', async () => {
    let error: Error = new TemporalCallError('no answer', 'away', { ofNamespace: true });
    const { passes, said } = await due(['cancel'], () => error);
    expect(await passes.interrupt()).toEqual({ sent: 0, closed: 0, unanswered: 1 });
    expect(said('interrupt postponed')).toEqual([]);
    ledger().clock.advance(2_000);
    error = new Error('a bug in the cancel');
    await expect(passes.interrupt()).rejects.toThrow('a bug in the cancel');
  });
});

describe('a pass', () => {
  it('sends one batch if all of it is answered', async () => {
    const { passes } = await due(['cancel', 'cancel', 'cancel'], () => undefined, {
      ...{ batchSize: 1, namespaces: ['aa', 'bb', 'aa'] },
    });
    for (let pass = 0; pass < 3; pass++) {
      expect(await passes.interrupt()).toEqual({ sent: 1, closed: 1, unanswered: 0 });
    }
    expect(await passes.interrupt()).toEqual({ sent: 0, closed: 0, unanswered: 0 });
  });

  it('goes on past a namespace that does not answer to the others', async () => {
    const { passes, marked, asked } = await due(
      ['cancel', 'cancel', 'cancel'],
      (namespace) => (namespace === 'aa' ? new TemporalCallError('overloaded', 'busy') : undefined),
      { batchSize: 1, namespaces: ['aa', 'aa', 'bb'] },
    );
    expect(await passes.interrupt()).toEqual({ sent: 1, closed: 1, unanswered: 1 });
    expect(await marked()).toEqual([false, false, true]);
    expect(asked).toHaveLength(2);
  });
});
