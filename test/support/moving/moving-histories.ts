import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, vi } from 'vitest';
import { JITTER_MILLISECONDS, type NativeCase } from './fifty-native';

/** A nominal time that ran, by Temporal's data only: the first runs of its chains, and the side that started them. */
export interface RanTime {
  chains: Set<string>;
  side: 'ours' | 'native';
  startedAt: number;
  /** Epoch milliseconds; undefined while the workflow runs. */
  closedAt: number | undefined;
}

const idOf = (scheduleId: string, second: number) =>
  `${scheduleId}-workflow-${new Date(second * 1_000).toISOString().replace('.000Z', 'Z')}`;

/**
 * The runs of a schedule, by nominal second: everything that Temporal lists, and due times that it only knows by
 * workflow ID.
 */
export async function historiesOf({ workflow }: Client, one: NativeCase): Promise<Map<number, RanTime>> {
  const { scheduleId, every } = one;
  const listed = async () => {
    const ran = new Map<number, RanTime>();
    for await (const run of workflow.list({ query: `WorkflowId STARTS_WITH '${scheduleId}-workflow-'` })) {
      const { events } = await workflow.getHandle(run.workflowId, run.runId).fetchHistory();
      const { firstExecutionRunId, memo } = events![0]!.workflowExecutionStartedEventAttributes!;
      const second = Date.parse(run.workflowId.slice(-20)) / 1_000;
      const chains = (ran.get(second)?.chains ?? new Set()).add(firstExecutionRunId!);
      ran.set(second, {
        chains,
        side: memo?.fields?.escapement ? 'ours' : 'native',
        startedAt: run.startTime.getTime(),
        closedAt: run.closeTime?.getTime(),
      });
    }
    return ran;
  };
  // Temporal's list may lag, but a lookup by ID does not.
  return vi.waitFor(
    async () => {
      const ran = await listed();
      const seconds = [...ran.keys()];
      for (let second = Math.min(...seconds); second < Math.max(...seconds); second += every) {
        if (ran.has(second)) continue;
        const known = await workflow
          .getHandle(idOf(scheduleId, second))
          .describe()
          .catch((error) => {
            if (error instanceof WorkflowNotFoundError) return undefined;
            throw error;
          });
        expect(known?.workflowId).toBeUndefined();
      }
      return ran;
    },
    { timeout: 120_000 },
  );
}

/**
 * Problems with the runs of a schedule. Nothing may run twice, or at a time that was not due. A time may only be
 * missing because of overlap, or if native itself left it out without a move nearby.
 *
 * @param about.rounds how often it was moved, and back
 * @param about.answer why Escapement skipped a time, by its ledger; undefined if the ledger has no such answer
 * @param about.skippedThere number of skips by overlap that native counted
 * @param about.wentBack the first nominal seconds of native at each roll back, as far as the command reported them
 */
export function wrongWith(one: NativeCase, ran: Map<number, RanTime>, about: Answers): string[] {
  const { scheduleId, policy, namespace, every, offset, options } = one;
  const name = `${scheduleId} (${policy}, ${namespace})`;
  const seconds = [...ran.keys()].sort((one, other) => one - other);
  if (options.state?.paused) return seconds.length > 0 ? [`${name} was paused, and ran`] : [];
  const wrong = seconds.length < 8 ? [`${name} ran ${seconds.length} times`] : [];
  const seldom = (['ours', 'native'] as const).flatMap((side) => {
    const times = [...ran.values()].filter((time) => time.side === side).length;
    return times < about.rounds ? [`${name} ran ${times} times as ${side}, in ${about.rounds} rounds`] : [];
  });
  wrong.push(...seldom);
  for (const [second, { chains }] of ran) {
    if (chains.size !== 1) wrong.push(`${name} ran ${chains.size} times at ${second}`);
    if ((second - offset) % every !== 0) wrong.push(`${name} ran at ${second}, which is no time of it`);
  }
  const counted: string[] = [];
  for (let second = seconds[0]!; second <= seconds.at(-1)!; second += every) {
    if (ran.has(second) || about.answer(second) !== undefined || isNativesOwn(one, second, ran, about)) continue;
    const missing = `${name} did not run at ${clock(second * 1_000)}; ${around(second, ran)}`;
    (COUNTED.includes(policy) ? counted : wrong).push(missing);
  }
  if (counted.length <= about.skippedThere) return wrong;
  return [...wrong, ...counted, `${name}: native counts ${about.skippedThere} as left out for overlap`];
}

const clock = (at: number) => new Date(at).toISOString().slice(11, 23);

/** The three times before and after a nominal second that ran: on which side, and from when to when. */
function around(second: number, ran: Map<number, RanTime>): string {
  const sorted = [...ran].sort(([one], [other]) => one - other);
  const place = sorted.filter(([one]) => one < second).length;
  const near = sorted.slice(Math.max(0, place - 3), place + 3);
  const words = near.map(
    ([at, { side, startedAt, closedAt }]) =>
      `${clock(at * 1_000)} ${side} (${clock(startedAt)} to ${closedAt === undefined ? 'now' : clock(closedAt)})`,
  );
  return `near it: ${words.join(', ')}`;
}

interface Answers {
  /** How often the schedule was moved and rolled back. Each side has run it at least that often. */
  rounds: number;
  answer: (second: number) => string | undefined;
  skippedThere: number;
  wentBack: number[];
}

/** Policies whose skips native counts. */
const COUNTED = ['SKIP', 'BUFFER_ONE'];
const REPLACING = ['CANCEL_OTHER', 'TERMINATE_OTHER'];
/** How long the second scheduler may take to learn that a run has ended. */
const TOLD_WITHIN_MILLISECONDS = 5_000;

/**
 * Whether native itself dropped one of its own times without counting it. Two ways are known from its code:
 *
 * - With a policy that cancels or terminates, a later time replaces one that is handled at the same moment, or that
 *   waits for the end of the previous run (`ProcessBuffer`).
 * - The second scheduler handles due times whenever a run ends, and marks everything up to that instant as done. A time
 *   whose start was delayed beyond that instant by jitter is lost (`ProcessTimeRange`).
 *
 * A time belongs to native if native started the times before and after it, or if the roll back named it as native's
 * first. A time that a move loses lies between one of Escapement's and one of native's.
 */
function isNativesOwn(
  { policy, namespace, options }: NativeCase,
  second: number,
  ran: Map<number, RanTime>,
  { wentBack }: Answers,
): boolean {
  const seconds = [...ran.keys()].sort((one, other) => one - other);
  const before = seconds.filter((one) => one < second).at(-1)!;
  const behind = seconds.find((one) => one > second)!;
  if (ran.get(behind)!.side !== 'native') return false;
  const isNamed = wentBack.some((from) => from > before && from <= second);
  if (ran.get(before)!.side !== 'native' && !isNamed) return false;
  if (REPLACING.includes(policy)) return true;
  if (namespace !== 'new' || !options.spec.jitter) return false;
  const latest = second * 1_000 + JITTER_MILLISECONDS;
  return [...ran.values()].some(
    ({ closedAt = 0 }) => closedAt < latest && closedAt > second * 1_000 - TOLD_WITHIN_MILLISECONDS,
  );
}
