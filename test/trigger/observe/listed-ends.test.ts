import { describe, expect, it } from 'vitest';
import { type EndedRun, type EndedRunsPage, TemporalCallError } from '../../../temporal/port';
import { recordListedEnds } from '../../../trigger/observe/ends';
import { useLedger } from '../../support/ledger';
import { running } from './running';

const ledger = useLedger('2026-03-01T00:30:00Z');

const LISTED_TO = new Date('2026-03-01T01:00:00Z');

/** Chains that run, and the pages that Temporal lists for them. An error is thrown in place of a page. */
async function listing(count: number) {
  const pages: (EndedRun[] | Error | undefined)[] = [];
  const asked: EndedRunsPage[] = [];
  const described: string[] = [];
  let onPage: () => void = () => {};
  const one = await running(ledger(), {
    schedules: Array.from({ length: count }, () => ({})),
    limits: { listPagePauseMilliseconds: 0 },
    answers: {
      listEnds: async (_, page) => {
        asked.push(page);
        onPage();
        const listed = pages.shift();
        if (listed instanceof Error) throw listed;
        return listed && { runs: listed, next: pages.length > 0 ? `page ${asked.length}` : undefined };
      },
      describeChain: async (namespace, workflowId, runId) => {
        described.push(workflowId);
        return one.double.describeChain(namespace, workflowId, runId);
      },
    },
  });
  ledger().clock.advance(5_000);
  await ledger().query(
    `insert into escapement.meta (key, value) values ('ends:default', '{"listedTo": "2026-03-01T01:00:00Z"}')
     on conflict (key) do update set value = excluded.value`,
  );
  /** How the run of a chain is listed. */
  const ended = (index: number, { memo, ...run }: Partial<Omit<EndedRun, 'memo'>> & { memo?: object } = {}) => {
    const { workflowId, firstRunId, start } = one.chains[index]!;
    const closedAt = new Date('2026-03-01T01:00:04Z');
    const listed: EndedRun = { workflowId, runId: firstRunId, memo: start.memo, outcome: 'completed', closedAt };
    return { ...listed, ...run, memo: { ...start.memo, ...memo } };
  };
  const list = (...answers: typeof pages) => {
    pages.push(...answers);
    return recordListedEnds(one.context, { namespace: 'default', listedTo: LISTED_TO, isLateListDue: false });
  };
  const listedTo = async () => {
    const [row] = await ledger().query<{ at: string }>(
      `select value ->> 'listedTo' as at from escapement.meta where key = 'ends:default'`,
    );
    return new Date(row!.at).toISOString();
  };
  const during = (work: () => void) => {
    onPage = work;
  };
  described.splice(0);
  return { ...one, asked, described, ended, list, listedTo, during };
}

describe('a list of ended chains', () => {
  it('is read page by page, and the next one begins where it was read to', async () => {
    const { list, ended, asked, described, states, listedTo, rows } = await listing(3);
    expect(await list([ended(0)], [], [ended(1), ended(2)])).toBe(3);
    expect(await states()).toEqual(['closed', 'closed', 'closed']);
    expect((await rows())[0]).toMatchObject({ outcome: 'completed', closed_at: new Date('2026-03-01T01:00:04Z') });
    expect(asked.map(({ token }) => token)).toEqual([undefined, 'page 1', 'page 2']);
    expect(new Set(asked.map(({ since }) => since.toISOString()))).toEqual(new Set(['2026-03-01T00:59:30.000Z']));
    expect(await listedTo()).toBe('2026-03-01T01:00:05.000Z');
    expect(described).toEqual([]);
    // Within ten seconds, another one begins with the newest end, and is not a whole one.
    ledger().clock.advance(5_000);
    expect(await list([])).toBe(0);
    expect(asked.at(-1)!.since).toEqual(new Date('2026-03-01T01:00:02Z'));
    expect(await listedTo()).toBe('2026-03-01T01:00:05.000Z');
  });

  it('ends with the page at which the trigger stops, and the next one is as long', async () => {
    const { list, ended, asked, states, listedTo, trigger, during } = await listing(2);
    during(() => trigger.shutdown());
    expect(await list([ended(0)], [ended(1)])).toBe(1);
    expect(asked).toHaveLength(1);
    expect(await states()).toEqual(['closed', 'linked']);
    expect(await listedTo()).toBe(LISTED_TO.toISOString());
  });

  it.each([
    ['is busy', new TemporalCallError('overloaded', 'busy')],
    ['is away', new TemporalCallError('no answer', 'away', { ofNamespace: true })],
    ['refuses every call', new TemporalCallError('unknown', 'refused', { ofNamespace: true })],
  ])('whose server %s keeps what was read, and its chains are not polled one by one', async (_, error) => {
    const { list, ended, states, listedTo, context, rows } = await listing(2);
    const before = (await rows())[1]!.check_at;
    expect(await list([ended(0)], error)).toBe(1);
    expect(await states()).toEqual(['closed', 'linked']);
    expect(await listedTo()).toBe(LISTED_TO.toISOString());
    expect(context.ends.unlisted()).toEqual([]);
    expect((await rows())[1]).toMatchObject({ check_at: before });
  });

  it.each([
    ['the server has none', undefined],
    ['the server refuses it', new TemporalCallError('may not', 'rejected')],
  ])('that is missing, since %s, makes each chain due for a poll once', async (_, answer) => {
    const { list, context, rows, listedTo } = await listing(1);
    const checkAt = async () => (await rows())[0]!.check_at;
    expect(await list(answer)).toBe(0);
    expect(await checkAt()).toEqual(new Date('2026-03-01T01:00:05Z'));
    expect(await listedTo()).toBe(LISTED_TO.toISOString());
    expect(context.ends.unlisted()).toEqual(['default']);
    await ledger().query(`update escapement.firings set check_at = '2026-03-01T02:00:00Z'`);
    expect(await list(answer)).toBe(0);
    expect(await checkAt()).toEqual(new Date('2026-03-01T02:00:00Z'));
  });

  it('that this program fails to read ends the pass', async () => {
    const { list } = await listing(0);
    await expect(list(new Error('a bug in the list'))).rejects.toThrow('a bug in the list');
  });
});

describe('a listed run', () => {
  it('of another ledger, epoch or end, or that continued as new, tells nothing, and is passed over', async () => {
    const { list, ended, states, described, context } = await listing(4);
    const runs = [
      ended(0, { memo: { installation: 'another' } }),
      ended(1, { runId: 'other epoch', memo: { epoch: 1 } }),
      ended(2, { runId: 'continued', outcome: undefined }),
      ended(3, { runId: 'unknown', memo: { scheduledTime: '2026-03-01T00:00:00.000Z' } }),
    ];
    expect(await list(runs)).toBe(0);
    expect(await states()).toEqual(['linked', 'linked', 'linked', 'linked']);
    expect(described).toEqual([]);
    const settled = runs.map(({ runId }) => context.ends.isSettled('default', runId));
    expect(settled).toEqual([false, true, true, true]);
  });

  it('of a firing that is not linked yet ends it once it is', async () => {
    const { list, ended, states, described } = await listing(1);
    await ledger().query(`update escapement.firings set state = 'claimed', run_id = null`);
    expect(await list([ended(0)])).toBe(0);
    await ledger().query(`update escapement.firings set state = 'linked', run_id = $1`, [ended(0).runId]);
    expect(await list([ended(0)])).toBe(1);
    expect(await states()).toEqual(['closed']);
    expect(described).toEqual([]);
  });

  it('that failed, is a later one or is listed beside another one of its firing has its chain asked for, once', async () => {
    const { list, ended, states, described, chains, context } = await listing(4);
    const runs = [
      ended(0, { outcome: 'failed' }),
      ended(1, { runId: 'a later run' }),
      ended(2),
      ended(2, { runId: 'reset', outcome: 'failed' }),
      ended(3),
    ];
    expect(await list(runs)).toBe(1);
    expect(await states()).toEqual(['linked', 'linked', 'linked', 'closed']);
    const asked = chains.slice(0, 3).map(({ workflowId }) => workflowId);
    expect(described).toEqual(asked);
    // They run, so these runs are not looked at again.
    expect(runs.map(({ runId }) => context.ends.isSettled('default', runId))).toEqual([true, true, true, true, false]);
    expect(await list(runs)).toBe(0);
    expect(described).toEqual(asked);
  });

  it('of a chain that has ended records how it ended, and one whose chain is not answered for is looked at again', async () => {
    const { list, ended, states, finish, double, rows } = await listing(1);
    finish(0, 'canceled');
    double.isAway = true;
    const failed = ended(0, { outcome: 'failed' });
    expect(await list([failed])).toBe(0);
    double.isAway = false;
    ledger().clock.advance(2_000);
    expect(await list([failed])).toBe(1);
    expect(await states()).toEqual(['closed']);
    expect(await rows()).toMatchObject([{ outcome: 'canceled' }]);
  });
});
