import type { Store } from '../../store/connection';
import { isLockTimeout } from '../../store/postgres-errors';
import { type DeclaredState, lockDeclared, pruneSchedules, setSource } from '../../store/schedules/apply';
import { insertSchedules, type NewSchedule } from '../../store/schedules/create-schedule';
import { areSameLabels } from '../../store/schedules/labels';
import { type LockedSchedule, readLocked } from '../../store/schedules/lock';
import { holdRevision } from '../../store/schedules/sources';
import { readTenants } from '../../store/schedules/tenants';
import { sameState } from '../../store/schedules/update';
import { transact } from '../../store/transaction';
import { areDaysInForce } from '../calendars/fill-days';
import type { ClientContext } from '../context';
import { withHeadersOf } from '../interceptors';
import { revive } from '../register';
import { sourceIn } from '../tenant';
import { outsideProblem, takePlaces } from '../tenants/limits';
import { isForeign } from '../update/change';
import { unlessTaken } from '../update/external-ids';
import { type ScheduleChange, writeChanges } from '../update/update';
import type { DeclaredSchedule } from './apply-check';
import { ApplyConflictError, ApplyRefusedError } from './apply-errors';
import type { ApplyOptions } from './apply-options';
import { prunedOf, type Step } from './apply-plan';

/** How many new schedules one transaction creates, or how many it prunes. */
const BATCH_SIZE = 500;
/** How many deleted schedules one transaction creates again, which takes several statements for each. */
const REVIVED_AT_ONCE = 50;
/** A batch has few updates, since each may have to write firings for occurrences of the former definition. */
const UPDATED_AT_ONCE = 100;

export interface Batch {
  steps: Step[];
  /**
   * Returns the IDs of the schedules that are done. The other schedules of the batch have changed since the plan was
   * made, and were not written.
   */
  write(transaction: Store): Promise<Set<string>>;
}

export function batchesOf(context: ClientContext, steps: Step[], options: ApplyOptions): Batch[] {
  const by = {
    actor: `${context.identity} (${options.source}@${options.revision})`,
    source: sourceIn(context, options.source),
  };
  const now = context.now?.();
  const inserts = steps.filter((step) => step.kind === 'create').filter((step) => !step.row);
  const revivals = steps.filter((step) => step.kind === 'create').filter((step) => step.row);
  const updates = steps.filter((step) => step.kind === 'update');
  const prunes = steps.filter((step) => step.kind === 'prune');
  // Creations are written first, so they may count on the places that later deletions free in the tenants' quotas.
  const spare = prunedOf(steps);
  const note = `no longer declared by ${options.source}@${options.revision}`;
  return [
    ...pages(inserts, BATCH_SIZE).map((page) => ({
      steps: page,
      write: async (transaction: Store) => {
        await takePlaces(transaction, page.map(parsedOf), spare);
        return insertSchedules(
          transaction,
          page.map(({ declared }) => newSchedule(declared, by, now)),
        );
      },
    })),
    ...pages(revivals, REVIVED_AT_ONCE).map((page) => ({
      steps: page,
      write: (transaction: Store) =>
        ifAsPlanned(transaction, page, async (asPlanned) => {
          await takePlaces(transaction, asPlanned.map(parsedOf), spare);
          for (const { declared } of asPlanned) {
            await revive(transaction, newSchedule(declared, by, now), { keepPause: true });
          }
        }),
    })),
    ...pages(updates, UPDATED_AT_ONCE).map((page) => ({
      steps: page,
      write: (transaction: Store) =>
        ifAsPlanned(transaction, page, async (asPlanned) => {
          const read = await readLocked(transaction, asPlanned.map(idOf), now);
          const locked = new Map(read.map((one) => [one.scheduleId, one]));
          const changes = asPlanned.map((step) => changeOf(locked.get(idOf(step))!, step, by.actor));
          await writeChanges(transaction, changes);
          await setSource(transaction, asPlanned.map(idOf), by.source);
        }),
    })),
    ...pages(prunes, BATCH_SIZE).map((page) => ({
      steps: page,
      write: async (transaction: Store) => {
        const states = await lockDeclared(transaction, page.map(idOf));
        const ours = [...states.values()].filter(
          (state) => state.source === by.source && !state.deleted && !isForeign(context, state),
        );
        await pruneSchedules(transaction, ours.map(idOf), { now, note });
        // A schedule that somebody else deleted or took over needs no deletion, so it counts as done.
        return new Set(page.map(idOf));
      },
    })),
  ];
}

/**
 * Write one batch in its own transaction. Until this transaction ends, no other apply of the same source can write.
 *
 * @returns the IDs of the schedules that are done; undefined if another revision has begun
 * @throws {ApplyRefusedError} if a tenant's limits were changed after the plan, and no longer allow these schedules
 * @throws {ApplyConflictError} if another transaction keeps a needed lock, or has changed a calendar of these schedules
 * @throws {ExternalIdTakenError | TenantQuotaError} if somebody else took an external ID or a place after the plan
 */
export async function writeBatch(
  context: ClientContext,
  batch: Batch,
  { source, revision }: ApplyOptions,
): Promise<Set<string> | undefined> {
  try {
    const declared = batch.steps.flatMap((step) => (step.kind === 'prune' ? [] : [step.declared]));
    const wanted = declared.map(({ parsed }) => parsed);
    return await unlessTaken(context.store, wanted, () =>
      transact(context.store, async (transaction) => {
        if (!(await holdRevision(transaction, sourceIn(context, source), revision))) return undefined;
        await refuseNoLongerAllowed(transaction, declared, source);
        const written = wanted.map(({ tenant, definition: { spec } }) => ({ tenant, spec }));
        if (await areDaysInForce(transaction, written)) return batch.write(transaction);
        throw new ApplyConflictError(source, batch.steps.map(idOf), 'name a calendar that was changed meanwhile');
      }),
    );
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const held = 'are locked by another open transaction';
    throw new ApplyConflictError(source, batch.steps.map(idOf), held, { cause: error });
  }
}

async function refuseNoLongerAllowed(transaction: Store, declared: DeclaredSchedule[], source: string): Promise<void> {
  const names = [...new Set(declared.map(({ parsed }) => parsed.tenant))].filter((tenant) => tenant !== '');
  if (names.length === 0) return;
  const tenants = await readTenants(transaction, names);
  const problems = declared.flatMap(({ index, parsed }) => {
    const outside = outsideProblem(tenants.get(parsed.tenant), parsed);
    return outside ? [{ index, scheduleId: parsed.scheduleId, ...outside }] : [];
  });
  if (problems.length > 0) throw new ApplyRefusedError(source, problems);
}

export function idOf(step: Step | { scheduleId: string }): string {
  return 'scheduleId' in step ? step.scheduleId : step.declared.parsed.scheduleId;
}

async function ifAsPlanned<Planned extends Exclude<Step, { kind: 'prune' }>>(
  transaction: Store,
  steps: Planned[],
  write: (asPlanned: Planned[]) => Promise<void>,
): Promise<Set<string>> {
  const states = await lockDeclared(transaction, steps.map(idOf));
  const asPlanned = steps.filter((step) => isSame(step.row, states.get(idOf(step))));
  await write(asPlanned);
  return new Set(asPlanned.map(idOf));
}

function isSame(row: DeclaredState | undefined, now: DeclaredState | undefined): boolean {
  if (!row || !now) return row === now;
  const parts = ['version', 'tenant', 'deleted', 'source'] as const;
  return parts.every((part) => row[part] === now[part]) && areSameLabels(row, now);
}

function parsedOf({ declared }: Extract<Step, { kind: 'create' }>): DeclaredSchedule['parsed'] {
  return declared.parsed;
}

function newSchedule(
  { parsed, encoded }: DeclaredSchedule,
  by: { actor: string; source: string },
  now?: Date,
): NewSchedule {
  return { ...parsed, ...encoded, ...by, now };
}

/**
 * The new definition and labels. Pause, note and remaining actions stay as they are, since people may have changed
 * them.
 */
function changeOf(
  locked: LockedSchedule,
  { declared, changed }: Extract<Step, { kind: 'update' }>,
  actor: string,
): ScheduleChange {
  const { parsed, encoded } = declared;
  const isLabel = (path: string) => /^(memo|searchAttributes|owner|runbook|externalId)\b/.test(path);
  const isOfDefinition = changed.some((path) => path !== 'source' && !isLabel(path));
  return {
    locked,
    state: sameState(locked),
    compiled: parsed.compiled,
    version: isOfDefinition
      ? { definition: withHeadersOf(locked.definition.action, encoded.definition), args: encoded.args ?? null }
      : undefined,
    // A label that is not declared is removed.
    labels: {
      scheduleId: parsed.scheduleId,
      memo: encoded.memo ?? {},
      searchAttributes: parsed.searchAttributes ?? {},
      owner: parsed.owner ?? '',
      runbook: parsed.runbook ?? '',
      externalId: parsed.externalId ?? '',
    },
    actor,
    over: true,
  };
}

function pages<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
