import { describe, expect, it } from 'vitest';
import { check } from '../../chaos/check/check';
import { type ChainFact, type Facts, VIOLATIONS, type Violation } from '../../chaos/check/facts';
import { FROM, firing, goodFacts, SECOND, skip } from './good-facts';

const chain = ({ chains }: Facts, scheduleId: string, at: number) =>
  chains.find((one) => one.scheduleId === scheduleId && one.time === FROM + at * SECOND)!;
const remove = <One>(all: One[], one: One) => all.splice(all.indexOf(one), 1);
const again = (one: ChainFact, more: Partial<ChainFact>): ChainFact => ({ ...one, firstRunId: 'another run', ...more });
const restart = (facts: Facts, one: ChainFact) => {
  const [epoch, runId] = [one.epoch + 1, `${one.firstRunId} again`];
  const ran = { epoch, workflowId: `${one.workflowId}-restart-${epoch}` };
  facts.chains.push({ ...one, ...ran, firstRunId: runId, status: 'COMPLETED' });
  const row = facts.firings.find(({ scheduleId, time }) => scheduleId === one.scheduleId && time === one.time)!;
  Object.assign(row, { ...ran, runId, outcome: 'completed' });
};

/** A fault each, planted in a copy of what was read, and what must be found of it. */
const PLANTED: [kind: Violation['kind'], what: string, plant: (facts: Facts) => void][] = [
  [
    'missed',
    'a row is gone, and its workflow too',
    (facts) => {
      remove(facts.firings, firing(facts, 'each-1', 4));
      remove(facts.chains, chain(facts, 'each-1', 4));
    },
  ],
  ['missed', 'a gap is gone', (facts) => facts.gaps.pop()],
  [
    'missed',
    'what an update has brought did not fire',
    (facts) => {
      remove(facts.firings, firing(facts, 'updated-1', 9));
      remove(facts.chains, chain(facts, 'updated-1', 9));
    },
  ],
  [
    'missed',
    'a row says that it ran, and Temporal knows nothing of it',
    (facts) => remove(facts.chains, chain(facts, 'each-1', 4)),
  ],
  [
    'missed',
    'what was asked for by hand has no firing',
    (facts) => {
      facts.asked.push({ ask: 'trigger', scheduleId: 'manual-1', asked: FROM, answered: FROM + 1, tries: 1 });
    },
  ],
  [
    'missed',
    'a backfill was answered, and left one out',
    (facts) => {
      remove(facts.firings, firing(facts, 'backfilled-1', -60));
      remove(facts.chains, chain(facts, 'backfilled-1', -60));
    },
  ],
  [
    'doubled',
    'another workflow ran of one occurrence',
    (facts) => {
      facts.chains.push(again(chain(facts, 'each-1', 4), { workflowId: 'each-1-workflow-by-another-name' }));
    },
  ],
  [
    'doubled',
    'another chain ran under one workflow ID',
    (facts) => facts.chains.push(again(chain(facts, 'each-1', 4), {})),
  ],
  ['doubled', 'it completed, and was restarted all the same', (facts) => restart(facts, chain(facts, 'each-1', 4))],
  [
    'unexplained',
    'a workflow ran of which there is no row',
    (facts) => remove(facts.firings, firing(facts, 'paused-1', 2)),
  ],
  [
    'unexplained',
    'a row of what is no occurrence',
    (facts) => {
      firing(facts, 'each-1', 4).time += 500;
    },
  ],
  [
    'unexplained',
    'what is skipped ran all the same',
    (facts) => {
      Object.assign(firing(facts, 'each-1', 4), { state: 'skipped', reason: 'paused' });
    },
  ],
  [
    'unexplained',
    'what is abandoned ran all the same',
    (facts) => {
      Object.assign(firing(facts, 'each-1', 4), { state: 'abandoned', reason: 'start_uncertain' });
    },
  ],
  [
    'unexplained',
    'it was terminated, and nothing was to do that',
    (facts) => {
      chain(facts, 'each-1', 4).status = 'TERMINATED';
      firing(facts, 'each-1', 4).outcome = 'terminated';
    },
  ],
  [
    'unexplained',
    'it ran again, and nobody had asked for it',
    (facts) => {
      facts.chains.push(again(chain(facts, 'each-1', 4), { epoch: 1, workflowId: 'each-1-restart-1' }));
    },
  ],
  [
    'unexplained',
    'fired by hand more often than it was asked for',
    (facts) => {
      facts.asked = facts.asked.filter(({ ask }) => ask !== 'trigger');
    },
  ],
  [
    'early',
    'a worker could have it before its time',
    (facts) => {
      chain(facts, 'each-1', 4).firstTaskAt = FROM + 4 * SECOND - 20;
    },
  ],
  [
    'wrongly skipped',
    'skipped for an overlap under ALLOW_ALL',
    (facts) => skip(firing(facts, 'each-1', 4), 'overlap', facts),
  ],
  [
    'wrongly skipped',
    'skipped for an overlap with what had ended',
    (facts) => {
      chain(facts, 'skip-1', 4).closedAt = FROM + 4.1 * SECOND;
    },
  ],
  [
    'wrongly skipped',
    'skipped for a pause that there was not',
    (facts) => skip(firing(facts, 'each-1', 4), 'paused', facts),
  ],
  [
    'wrongly skipped',
    'a gap says paused of what came due after the pause',
    (facts) => {
      Object.assign(facts.gaps[0]!, { to: FROM + 8 * SECOND, count: 3 });
    },
  ],
  [
    'wrongly skipped',
    'a gap over what is on time',
    (facts) => {
      facts.gaps.push({
        ...facts.gaps[0]!,
        scheduleId: 'each-1',
        reason: 'over_catchup_limit',
        recordedAt: FROM + 7 * SECOND,
      });
    },
  ],
  [
    'wrongly skipped',
    'given up though a start was never refused',
    (facts) => {
      skip(firing(facts, 'each-1', 4), 'start_uncertain', facts);
      firing(facts, 'each-1', 4).state = 'abandoned';
    },
  ],
  [
    'overlap violated',
    'two of a SKIP schedule ran at once',
    (facts) => {
      chain(facts, 'skip-1', 4).closedAt = FROM + 8.5 * SECOND;
    },
  ],
  [
    'linked to the wrong run',
    'a row names another run',
    (facts) => {
      firing(facts, 'each-1', 4).runId = 'another run';
    },
  ],
  [
    'linked to the wrong run',
    'a row says completed of what failed',
    (facts) => {
      chain(facts, 'each-1', 4).status = 'FAILED';
    },
  ],
  [
    'never closed',
    'a row is still linked',
    (facts) => {
      Object.assign(firing(facts, 'each-1', 4), { state: 'linked', outcome: null });
    },
  ],
  [
    'never closed',
    'a workflow still runs',
    (facts) => {
      chain(facts, 'each-1', 4).closedAt = undefined;
    },
  ],
  ['effect lost or doubled', 'a job completed, and booked nothing', (facts) => facts.effects.pop()],
  [
    'effect lost or doubled',
    'somebody wrote behind a higher token',
    (facts) => {
      facts.effects[0]!.tokens = [7, 5];
    },
  ],
  ['alert not delivered', 'the ledger says that it was', (facts) => facts.received.pop()],
  [
    'alert not delivered',
    'it has waited for a minute',
    (facts) => {
      facts.messages.push({ messageId: 'waits', createdAt: FROM, deliveredAt: null });
    },
  ],
  [
    'effect lost or doubled',
    'an effect that no workflow did',
    (facts) => {
      facts.effects.push({ key: 'fenced-1/never', tokens: [1], booked: true });
    },
  ],
  [
    'secret logged',
    'a URL with its password',
    (facts) => {
      facts.logs[0]!.text += 'cannot reach postgres://user:sesame@host/database\n';
    },
  ],
];

describe('the checker of chaos runs', () => {
  it('finds nothing wrong with a run that went well, and counts it', () => {
    const { expected, started, checked, events, violations } = check(goodFacts());
    expect(violations).toEqual([]);
    expect({ expected, started }).toEqual({ expected: 31, started: 27 });
    expect(Object.entries(checked).filter(([, count]) => count === 0)).toEqual([]);
    expect(checked).toMatchObject({ missed: 31, 'wrongly skipped': 4, 'overlap violated': 3, 'secret logged': 1 });
    expect(events).toMatchObject({ 'skips for an overlap': 3, 'occurrences in gaps': 2, redrives: 0 });
  });

  it.each(PLANTED)('finds what is %s: %s', (kind, _what, plant) => {
    const facts = goodFacts();
    plant(facts);
    expect(check(facts).violations.map((one) => one.kind)).toContain(kind);
  });

  it('takes a skip that a stalled trigger wrote late, if the other one ran when it was due', () => {
    const facts = goodFacts();
    firing(facts, 'skip-1', 6).claimedAt += 20 * SECOND;
    expect(check(facts).violations).toEqual([]);
    firing(facts, 'skip-1', 6).claimedAt += 20 * SECOND;
    expect(check(facts).violations.map(({ kind }) => kind)).toEqual(['wrongly skipped']);
  });

  it('takes a restart of what failed, and of nothing that completed', () => {
    const facts = goodFacts();
    facts.schedules.find(({ scheduleId }) => scheduleId === 'each-1')!.workflow = 'failsFirst';
    for (const one of facts.chains) if (one.scheduleId === 'each-1') one.workflowType = 'failsFirst';
    chain(facts, 'each-1', 4).status = 'FAILED';
    restart(facts, chain(facts, 'each-1', 4));
    expect(check(facts).violations).toEqual([]);
    restart(facts, facts.chains.at(-1)!);
    expect(check(facts).violations.map(({ kind }) => kind)).toEqual(['doubled']);
  });

  it("says of a row that never closed when its workflow ended, and whether Temporal's list shows that", () => {
    const facts = goodFacts();
    Object.assign(firing(facts, 'each-1', 4), { state: 'linked', outcome: null });
    const told = () => check(facts).violations.map(({ text }) => text);
    expect(told()).toEqual([expect.stringMatching(/ is linked, and its workflow was COMPLETED at [\d:.TZ-]+$/)]);
    chain(facts, 'each-1', 4).isListedAsEnded = false;
    expect(told()).toEqual([expect.stringMatching(/, which Temporal's list does not show$/)]);
  });

  it('has a planted fault of every kind', () => {
    expect([...new Set(PLANTED.map(([kind]) => kind))].sort()).toEqual([...VIOLATIONS].sort());
  });

  it('lets either definition answer while an update is under way, and asks for neither', () => {
    const facts = goodFacts();
    const update = facts.asked.find(({ ask }) => ask === 'update')!;
    // It may have been in force since second four, when the old one has an occurrence that did fire.
    Object.assign(update, { asked: FROM + 3 * SECOND, tries: 3 });
    expect(check(facts).violations).toEqual([]);
    remove(facts.firings, firing(facts, 'updated-1', 4));
    remove(facts.chains, chain(facts, 'updated-1', 4));
    expect(check(facts).violations).toEqual([]);
  });
});
