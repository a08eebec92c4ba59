import type { ChainFact, Facts, FiringFact } from '../../chaos/check/facts';
import type { ChaosSchedule } from '../../chaos/workload/definitions';

export const SECOND = 1_000;
export const FROM = Date.UTC(2026, 10, 25, 6);

const schedule = (kind: string, more: Partial<ChaosSchedule>): ChaosSchedule => ({
  ...{ scheduleId: `${kind}-1`, kind, grid: { every: 2 * SECOND, offset: 0 } },
  ...{ policies: { overlap: 'ALLOW_ALL' as const }, workflow: 'quick', args: [], retries: 0, asked: undefined },
  ...more,
});

/** The row of an occurrence that ran, and the chain that Temporal has of it. */
export function ranAt(
  { scheduleId, workflow }: ChaosSchedule,
  time: number,
  more: { startsAfter?: number; takes?: number; kind?: string } = {},
): { firing: FiringFact; chain: ChainFact } {
  const { startsAfter = 50, takes = 500, kind = 'schedule' } = more;
  const [workflowId, runId] = [`${scheduleId}-workflow-${new Date(time).toISOString()}`, `${scheduleId} ${time}`];
  const [firstTaskAt, closedAt] = [time + startsAfter, time + startsAfter + takes];
  const same = { scheduleId, time, kind, epoch: 0, workflowId };
  return {
    firing: {
      ...{ ...same, state: 'closed', outcome: 'completed', reason: null, runId, recoveredAt: null },
      ...{ claimedAt: time + 10, linkedAt: time + 60, closedAt },
    },
    chain: {
      ...same,
      firstRunId: runId,
      workflowType: workflow,
      startedAt: firstTaskAt,
      firstTaskAt,
      closedAt,
      isListedAsEnded: true,
      status: 'COMPLETED',
    },
  };
}

const NOT_RUN = { workflowId: null, runId: null, outcome: null, linkedAt: null, closedAt: null };

/** A run in which all went well: ten seconds of schedules of several kinds, one of them paused and one updated. */
export function goodFacts(): Facts {
  const free = schedule('each', {});
  const skipping = schedule('skip', { policies: { overlap: 'SKIP' } });
  const paused = schedule('paused', { asked: 'pause' });
  const updated = schedule('updated', { asked: 'update' });
  const fenced = schedule('fenced', { workflow: 'fenced' });
  const manual = schedule('manual', { grid: undefined, asked: 'trigger' });
  const filled = schedule('backfilled', { asked: 'backfill' });
  const facts: Facts = {
    ...{ schedules: [free, skipping, paused, updated, fenced, manual, filled], lost: [], versionBefore: [] },
    due: { from: FROM, to: FROM + 10 * SECOND },
    asked: [
      asked('pause', paused, 3),
      asked('unpause', paused, 7),
      { ...asked('update', updated, 5), every: 3 * SECOND },
      asked('trigger', manual, 4),
      { ...asked('backfill', filled, 5), from: FROM - 60 * SECOND, to: FROM - 58 * SECOND },
    ],
    ...{ abandoned: [], firings: [], gaps: [], chains: [], effects: [] },
    messages: [{ messageId: 'told', createdAt: FROM, deliveredAt: FROM + SECOND }],
    ...{ secrets: ['sesame'], logs: [{ member: 'trigger-1', text: 'trigger running\n' }] },
    ...{ received: ['told'], readAt: FROM + 60 * SECOND },
  };
  const add = (of: ChaosSchedule, time: number, more = {}) => {
    const { firing, chain } = ranAt(of, time, more);
    facts.firings.push(firing);
    facts.chains.push(chain);
  };
  for (let time = FROM; time <= FROM + 10 * SECOND; time += 2 * SECOND) {
    add(free, time);
    add(fenced, time);
    const key = `fenced-1/${new Date(time).toISOString()}`;
    facts.effects.push({ key, tokens: [time], booked: true });
    if (time < FROM + 3 * SECOND || time > FROM + 8 * SECOND) add(paused, time);
    if (time <= FROM + 5 * SECOND) add(updated, time);
    // Each runs for three seconds, so every other one meets it.
    if ((time - FROM) % (4 * SECOND) === 0) add(skipping, time, { takes: 3 * SECOND });
    else {
      const { firing } = ranAt(skipping, time);
      facts.firings.push({ ...firing, ...NOT_RUN, state: 'skipped', reason: 'overlap' });
    }
  }
  for (const time of [6, 9]) add(updated, FROM + time * SECOND);
  const [from, to] = [FROM + 4 * SECOND, FROM + 6 * SECOND];
  facts.gaps.push({
    scheduleId: paused.scheduleId,
    from,
    to,
    count: 2,
    reason: 'paused',
    recordedAt: FROM + 7.05 * SECOND,
  });
  add(paused, FROM + 8 * SECOND);
  add(manual, FROM + 4 * SECOND + 1, { kind: 'manual' });
  for (const time of [60, 58]) add(filled, FROM - time * SECOND, { startsAfter: 65 * SECOND, kind: 'backfill' });
  return facts;
}

function asked(ask: Facts['asked'][number]['ask'], { scheduleId }: ChaosSchedule, second: number) {
  const at = FROM + second * SECOND;
  return { ask, scheduleId, asked: at, answered: at + 100, tries: 1 };
}

/** The row of a schedule's firing, by its second. */
export const firing = ({ firings }: Facts, scheduleId: string, at: number) =>
  firings.find((one) => one.scheduleId === scheduleId && one.time === FROM + at * SECOND)!;

/** Skips a firing that had run. */
export const skip = (one: FiringFact, reason: string, facts: Facts) => {
  Object.assign(one, { state: 'skipped', reason, outcome: null, runId: null, closedAt: null });
  facts.chains = facts.chains.filter(({ scheduleId, time }) => scheduleId !== one.scheduleId || time !== one.time);
};
