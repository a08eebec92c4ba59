import { isDeepStrictEqual } from 'node:util';
import { type Chain, TemporalCallError } from '../../temporal/port';

/** An answer, or the kind of refusal. */
type Answer<Result> = { result: Result } | { refused: TemporalCallError };

/** What became of a call. */
export async function answerOf<Result>(call: Promise<Result>): Promise<Answer<Result>> {
  try {
    return { result: await call };
  } catch (error) {
    if (error instanceof TemporalCallError) return { refused: error };
    throw error;
  }
}

export function isAway<Result>(answer: Answer<Result>): answer is { refused: TemporalCallError } {
  return 'refused' in answer && answer.refused.kind === 'away';
}

export function given<Result>(answer: Answer<Result>): Result {
  if ('refused' in answer) throw answer.refused;
  return answer.result;
}

export function kindOf(answer: Answer<unknown>): string {
  return 'refused' in answer ? answer.refused.kind : 'started';
}

/** What both must say of a chain. */
export function summaryOf(chain: Chain | undefined) {
  if (!chain) return undefined;
  const { outcome, memo, nativeScheduleId, stalled, runId, firstRunId, closedAt } = chain;
  return { outcome, memo, nativeScheduleId, stalled, wentOn: runId !== firstRunId, isClosed: closedAt !== undefined };
}

export function compare(what: string, ours: unknown, theirs: unknown): void {
  if (isDeepStrictEqual(ours, theirs)) return;
  throw new Error(`${what}: the double says ${JSON.stringify(ours)}, the server ${JSON.stringify(theirs)}`);
}
