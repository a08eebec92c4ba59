import { mayBeDone } from '../../core/decisions/may-be-done';
import type { RunAgain } from '../../core/firing';
import { workflowIdOf } from '../../core/identity';
import { readTime, zoneOf } from '../../core/spec-zone';
import type { Store } from '../../store/connection';
import { bufferOccurrences, wakeTimer } from '../../store/firings/buffered';
import { bufferAgain, noteAgain, readEpoch } from '../../store/firings/run-again';
import { type Firing, readFiring } from '../../store/reads/read-firings';
import type { LockedSchedule } from '../../store/schedules/lock';
import { type ClientContext, compileStored } from '../context';
import { explainTime } from '../explain/explain';
import { refuseFrozen } from '../freezes/refuse-frozen';
import { refuseOutside } from '../tenants/limits';
import { changeLive, ledgerNow, readLive } from '../update/change';
import { answerableTo } from './backfill';
import { makeMonths } from './backfill-months';
import { RunAgainError, type RunAgainProblem } from './run-again-error';
import type { RunAgainOptions } from './run-again-options';

export async function runAgain(
  context: ClientContext,
  scheduleId: string,
  given: Date | string,
  options: RunAgainOptions,
): Promise<Firing> {
  const row = await readLive(context, scheduleId);
  await refuseOutside(context.store, [{ tenant: row.tenant, definition: row }]);
  await refuseFrozen(context, context.store, scheduleId, options);
  const time = readTime(given, zoneOf(row.spec), 'time');
  if (!(await readFiring(context.store, scheduleId, time))) {
    await checkWithoutRow(context, scheduleId, time, options);
    await makeMonths(context, scheduleId, [time], {});
  }
  return changeLive(context, scheduleId, async (transaction, locked) => {
    const firing = await readFiring(transaction, scheduleId, time);
    if (firing) await again(context, transaction, locked, firing, options);
    else await first(context, transaction, locked, time, options);
    return (await readFiring(transaction, scheduleId, time))!;
  });
}

/**
 * Check a time that has no firing. The time must be an occurrence that no trigger will answer. If the occurrence was
 * left to Temporal's own schedule, `confirm` is required. @throws {RunAgainError} otherwise
 */
async function checkWithoutRow(
  context: ClientContext,
  scheduleId: string,
  time: Date,
  { confirm = false }: RunAgainOptions,
): Promise<void> {
  const explanation = await explainTime(context, scheduleId, time);
  const { answer, sentence } = explanation;
  if (answer === 'gap' && explanation.gap.reason === 'native' && !confirm) {
    const words = `${sentence} Confirm that it may run again.`;
    throw new RunAgainError(scheduleId, time, 'needs_confirmation', words);
  }
  if (answer === 'gap' || answer === 'missing') return;
  // A trigger has claimed the occurrence since it was read. The caller reads the firing again under the lock.
  if (answer === 'firing') return;
  const row = await readLive(context, scheduleId);
  const isOver = time <= answerableTo(row, await ledgerNow(context));
  if (answer === 'not_yet' && isOver) return;
  const compiled = compileStored({ scheduleId, definition: row, damaged: row.damaged });
  if (answer === 'before_creation' && isOver && compiled?.next(time.getTime() - 1) === time.getTime()) return;
  const problem = answer === 'before_creation' ? 'not_an_occurrence' : answer;
  throw new RunAgainError(scheduleId, time, problem as RunAgainProblem, sentence);
}

async function first(
  context: ClientContext,
  transaction: Store,
  locked: LockedSchedule,
  scheduledTime: Date,
  { overlap, note }: RunAgainOptions,
): Promise<void> {
  const { scheduleId, definition } = locked;
  const kind = 'backfill' as const;
  const identity = { scheduleId, scheduledTime, workflowId: definition.action.workflowId, kind, epoch: 0 };
  const by = { actor: context.identity, overlap };
  await bufferOccurrences(transaction, locked, [{ scheduledTime, kind, workflowId: workflowIdOf(identity) }], by);
  await noteAgain(transaction, locked, scheduledTime, noteOf(context, locked, undefined, note));
  await wakeTimer(transaction, locked);
}

async function again(
  context: ClientContext,
  transaction: Store,
  locked: LockedSchedule,
  firing: Firing,
  { overlap, confirm = false, note }: RunAgainOptions,
): Promise<void> {
  const { scheduleId, scheduledTime, state, kind } = firing;
  const refuse = (problem: RunAgainProblem, words: string) =>
    new RunAgainError(scheduleId, scheduledTime, problem, `${scheduledTime.toISOString()} of '${scheduleId}' ${words}`);
  if (state === 'buffered' || state === 'claimed' || state === 'linked') {
    throw refuse('under_way', `is ${state === 'linked' ? 'running' : state}; wait for its end`);
  }
  // Once run again, the firing of a future occurrence would not wait for its time. Exclusions and pre-starts are
  // firings of future occurrences, so these are refused.
  if (scheduledTime > locked.now && kind !== 'manual') {
    const mayBeIncluded = firing.reason === 'excluded' && scheduledTime > locked.answeredTo;
    throw refuse(
      'not_yet',
      `is still in the future; ${mayBeIncluded ? 'include it instead' : 'run it again after that time'}`,
    );
  }
  const doubt = mayBeDone(firing);
  if (doubt && !confirm) throw refuse('needs_confirmation', `${doubt}; confirm that it may run again`);
  const epoch = (await readEpoch(transaction, scheduleId, scheduledTime)) + 1;
  const { workflowId } = locked.definition.action;
  await bufferAgain(transaction, locked, {
    ...{ scheduledTime, state, epoch, overlap, actor: context.identity },
    workflowId: workflowIdOf({ scheduleId, scheduledTime, workflowId, kind, epoch }),
    again: noteOf(context, locked, firing, note),
  });
}

function noteOf(
  context: ClientContext,
  { now }: LockedSchedule,
  former: Firing | undefined,
  note: string | undefined,
): RunAgain {
  return {
    number: (former?.again?.number ?? 0) + 1,
    askedAt: now.toISOString(),
    actor: context.identity,
    ...(note === undefined ? {} : { note }),
    ...(former && {
      former: {
        state: former.state,
        kind: former.kind,
        ...(former.outcome === null ? {} : { outcome: former.outcome }),
        ...(former.reason === null ? {} : { reason: former.reason }),
        ...(former.workflowId === null ? {} : { workflowId: former.workflowId }),
      },
    }),
  };
}
