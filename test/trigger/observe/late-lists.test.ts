import { describe, expect, it } from 'vitest';
import { type EndedRun, TemporalCallError } from '../../../temporal/port';
import { type Answers, triggerAnswering } from '../../support/answering';
import { useLedger } from '../../support/ledger';
import { running } from './running';

const ledger = useLedger('2026-03-01T00:30:00Z');

const SIX_MINUTES = 360_000;

/**
 * Chains that have ended, one to a page. Only lists that begin six minutes back contain them.
 *
 * @param onPage what happens at each page of such a list, in turn
 */
async function endedLate(count: number, onPage: (() => Promise<void> | void)[] = []) {
  let lateLists = 0;
  let otherLists = 0;
  let isSilent = false;
  const one = await running(ledger(), {
    schedules: Array.from({ length: count }, () => ({})),
    limits: { listEndsIntervalMilliseconds: 1_000, listPagePauseMilliseconds: 0 },
    answers: {
      listEnds: async (_, { since, token }) => {
        if (since.getTime() > ledger().clock.now() - SIX_MINUTES) {
          otherLists += 1;
          return { runs: [], next: undefined };
        }
        lateLists += 1;
        await onPage.shift()?.();
        const at = Number(token ?? 0);
        const runs = one.chains.slice(at, at + 1).map(({ workflowId, firstRunId, start }): EndedRun => {
          const closedAt = new Date('2026-03-01T01:00:04Z');
          return { workflowId, runId: firstRunId, memo: start.memo, outcome: 'completed', closedAt };
        });
        return { runs, next: at + 1 < count ? `${at + 1}` : undefined };
      },
      describeChain: async (...asked) => {
        if (isSilent) ledger().clock.advance(10_000);
        if (isSilent) throw new TemporalCallError('no answer, as ordered', 'away');
        return one.double.describeChain(...asked);
      },
    },
  });
  for (let index = 0; index < count; index++) one.finish(index);
  const observe = (seconds: number) => {
    ledger().clock.advance(seconds * 1_000);
    return one.passes.observe();
  };
  const dueAt = async () => {
    const [row] = await ledger().query<{ at: string }>(
      `select value ->> 'lateListDueAt' as at from escapement.meta where key = 'ends:default'`,
    );
    return new Date(row!.at).toISOString();
  };
  await ledger().query(`update escapement.firings set check_at = 'infinity'`);
  await observe(1);
  const describeInVain = (is: boolean) => {
    isSilent = is;
  };
  return { ...one, observe, dueAt, describeInVain, lateLists: () => lateLists, otherLists: () => otherLists };
}

describe('a list of late ends', () => {
  it('records within half a minute what other lists no longer contain', async () => {
    const { observe, states } = await endedLate(2);
    expect(await observe(29)).toMatchObject({ listed: 1, closed: 0 });
    expect(await states()).toEqual(['linked', 'linked']);
    expect(await observe(1)).toMatchObject({ listed: 1, closed: 2 });
    expect(await states()).toEqual(['closed', 'closed']);
  });

  it('is read each half minute by one of all triggers', async () => {
    const { observe, lateLists, double } = await endedLate(1);
    let others = 0;
    const listEnds: Answers['listEnds'] = async (_, { since }) => {
      if (since.getTime() <= ledger().clock.now() - SIX_MINUTES) others += 1;
      return { runs: [], next: undefined };
    };
    const { passes } = await triggerAnswering(
      ledger(),
      { listEnds },
      { double, limits: { listEndsIntervalMilliseconds: 1_000 } },
    );
    for (let round = 0; round < 30; round++) {
      await observe(1);
      ledger().clock.advance(1_000);
      await passes.observe();
    }
    expect(lateLists() + others).toBe(2);
  });

  it('does not end a chain that was reset, and whose new run is not listed', async () => {
    const { observe, states, double, chains } = await endedLate(1);
    const { namespace, workflowId } = chains[0]!;
    double.resetChain(namespace, workflowId);
    expect(await observe(30)).toMatchObject({ listed: 1, closed: 0 });
    expect(await states()).toEqual(['linked']);
  });

  it('keeps what it has read if it fails, and is not due again at once', async () => {
    const away = () => {
      throw new TemporalCallError('no answer, as ordered', 'away');
    };
    const { observe, states, lateLists } = await endedLate(2, [() => {}, away]);
    expect(await observe(30)).toMatchObject({ closed: 1 });
    expect((await states()).sort()).toEqual(['closed', 'linked']);
    await observe(29);
    expect(lateLists()).toBe(2);
    expect(await observe(1)).toMatchObject({ closed: 1 });
    expect(await states()).toEqual(['closed', 'closed']);
  });

  it('delays no other list while it has no answer, and no second one begins', async () => {
    let answer: () => void = () => {};
    const silent = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { observe, lateLists, otherLists } = await endedLate(1, [() => silent]);
    const pass = observe(30);
    try {
      await expect.poll(lateLists).toBe(1);
      const before = otherLists();
      for (const seconds of [1, 1, 30]) await observe(seconds);
      expect(otherLists()).toBe(before + 3);
      expect(lateLists()).toBe(1);
    } finally {
      answer();
      await pass;
    }
  });

  it('is due again after half a minute if its chains could not be looked up, however long that took', async () => {
    const { observe, dueAt, describeInVain, states } = await endedLate(1);
    describeInVain(true);
    expect(await observe(30)).toMatchObject({ closed: 0 });
    expect(await dueAt()).toBe(new Date(ledger().clock.now() + 30_000).toISOString());
    describeInVain(false);
    expect(await observe(30)).toMatchObject({ closed: 1 });
    expect(await states()).toEqual(['closed']);
  });

  it('that takes long is due again after three times as long', async () => {
    const { observe, dueAt } = await endedLate(1, [() => ledger().clock.advance(20_000)]);
    expect(await dueAt()).toBe('2026-03-01T01:00:31.000Z');
    expect(await observe(30)).toMatchObject({ closed: 1 });
    expect(await dueAt()).toBe('2026-03-01T01:01:51.000Z');
  });

  it('is due again three minutes after its last page if its trigger died', async () => {
    const dies = () => {
      ledger().clock.advance(5_000);
      throw new Error('the trigger died, as ordered');
    };
    const { observe, dueAt, states } = await endedLate(3, [() => ledger().clock.advance(40_000), () => {}, dies]);
    await expect(observe(30)).rejects.toThrow('as ordered');
    expect((await states()).sort()).toEqual(['closed', 'closed', 'linked']);
    expect(await dueAt()).toBe('2026-03-01T01:04:11.000Z');
  });

  it('ends once another trigger has begun one', async () => {
    const begins = () =>
      ledger().query(
        `update escapement.meta set value = value || '{"lateListDueAt": "2026-03-01T02:00:00Z"}' where key = 'ends:default'`,
      );
    const { observe, dueAt, states } = await endedLate(2, [async () => void (await begins())]);
    expect(await observe(30)).toMatchObject({ closed: 1 });
    expect((await states()).sort()).toEqual(['closed', 'linked']);
    expect(await dueAt()).toBe('2026-03-01T02:00:00.000Z');
  });
});
