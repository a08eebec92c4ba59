import { isManual } from '../../core/occurrences/manual';
import type { ScheduleOptions } from '../../core/schedule/options';
import { isLockTimeout } from '../../store/postgres-errors';
import { beginRevision, completeRevision, readSource } from '../../store/schedules/sources';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { sourceIn } from '../tenant';
import { checkList, type DeclaredSchedule } from './apply-check';
import { ApplyConflictError, StaleRevisionError } from './apply-errors';
import type { ApplyOptions, ApplyResult } from './apply-options';
import { planApply, type Step } from './apply-plan';
import { batchesOf, idOf, writeBatch } from './apply-write';

/** The maximum number of attempts to write a plan. If others changed schedules meanwhile, the list is planned again. */
const ROUNDS = 5;

export async function applySchedules(
  context: ClientContext,
  schedules: readonly ScheduleOptions[],
  options: ApplyOptions,
): Promise<ApplyResult> {
  const result = await applyOrStale(context, schedules, options).catch((error) => {
    if (!isLockTimeout(error)) throw error;
    // This was the lock of the source or of a tenant's quota. If a batch does not get a lock, `writeBatch` names its
    // schedules in an error of its own.
    const held = 'need a lock that another open transaction holds';
    throw new ApplyConflictError(options.source, [], held, { cause: error });
  });
  if (result.status === 'stale' && options.onStale !== 'ignore') throw new StaleRevisionError(result);
  return result;
}

async function applyOrStale(
  context: ClientContext,
  schedules: readonly ScheduleOptions[],
  options: ApplyOptions,
): Promise<ApplyResult> {
  const declared = await checkList(context, schedules, options);
  const { source, revision, dryRun = false } = options;
  await context.ready();
  const before = await readSource(context.store, sourceIn(context, source));
  const result: ApplyResult = {
    source,
    revision,
    status: dryRun ? 'planned' : 'applied',
    currentRevision: before?.revision,
    created: [],
    updated: [],
    unchanged: [],
    pruned: [],
    ended: [],
  };
  if (before && before.revision > revision) return { ...result, status: 'stale' };
  // Plan before the revision begins, so that a refused list does not make an older revision stale.
  let plan = await planApply(context, declared, options);
  if (dryRun) {
    for (const step of plan.steps) note(result, step);
    return { ...result, unchanged: plan.unchanged };
  }
  if (plan.steps.length === 0 && before?.complete && before.revision === revision) {
    return { ...result, unchanged: plan.unchanged };
  }

  const begun = await transact(context.store, (transaction) =>
    beginRevision(transaction, sourceIn(context, source), revision),
  );
  if (!begun) return stale(context, result);
  result.currentRevision = revision;
  // If another apply has written since this one compared the list, the list is compared again. Now that this revision
  // has begun, a lower one can write nothing more.
  if (begun.writes !== (before?.writes ?? 0)) plan = await planApply(context, declared, options);
  result.unchanged = plan.unchanged;
  let late: Set<string> = new Set();
  for (let round = 1; round <= ROUNDS; round++) {
    late = new Set();
    let written = 0;
    const total = plan.steps.length;
    const pruning = plan.steps.filter((step) => step.kind === 'prune').map(idOf);
    await options.progress?.({ written, total, pruning });
    for (const batch of batchesOf(context, plan.steps, options)) {
      const ids = await writeBatch(context, batch, options);
      if (!ids) return stale(context, result);
      for (const step of batch.steps) {
        if (ids.has(idOf(step))) note(result, step);
        else late.add(idOf(step));
      }
      written += ids.size;
      await options.progress?.({ written, total, pruning });
    }
    if (late.size === 0) {
      const whole = await transact(context.store, (transaction) =>
        completeRevision(transaction, sourceIn(context, source), revision),
      );
      return whole ? result : stale(context, result);
    }
    plan = await planApply(context, declared, options);
    // These schedules were not written here, but by now somebody else has made them as declared.
    result.unchanged = result.unchanged.concat(plan.unchanged.filter((scheduleId) => late.has(scheduleId)));
  }
  const problem = `were changed by others during all of the ${ROUNDS} attempts to apply them`;
  throw new ApplyConflictError(source, [...late], problem);
}

async function stale(context: ClientContext, result: ApplyResult): Promise<ApplyResult> {
  const state = await readSource(context.store, sourceIn(context, result.source));
  return { ...result, status: 'stale', currentRevision: state?.revision };
}

function note(result: ApplyResult, step: Step): void {
  if (step.kind === 'create') result.created.push(idOf(step));
  else if (step.kind === 'prune') result.pruned.push(step.scheduleId);
  else result.updated.push({ scheduleId: idOf(step), changed: step.changed });
  if (step.kind !== 'prune' && isOver(step.declared.parsed)) result.ended.push(idOf(step));
}

/**
 * Whether the spec's times have all passed. `apply` only reports such schedules, since a declared time that passes must
 * not make later deploys fail.
 */
function isOver({ nextFireAt, definition }: DeclaredSchedule['parsed']): boolean {
  return nextFireAt === undefined && !isManual(definition.spec);
}
