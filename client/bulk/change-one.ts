import { isDeepStrictEqual } from 'node:util';
import type { BulkState } from '../../core/bulk';
import { isPausedAt } from '../../core/decisions/pause';
import { legibleAttributes } from '../../core/definition/legible-attributes';
import {
  checkLimits,
  parseSearchAttributes,
  type StoredSearchAttribute,
  type StoredSearchAttributes,
} from '../../core/definition/search-attributes';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { BulkOperation } from '../../store/bulk/operations';
import type { BulkSchedule } from '../../store/bulk/schedules';
import type { Store } from '../../store/connection';
import { wakeFrozen } from '../../store/freezes/rows';
import { writeLabels } from '../../store/schedules/labels';
import { type LockedSchedule, readLocked } from '../../store/schedules/lock';
import { pauseSchedule, unpauseSchedule } from '../../store/schedules/schedule-state';
import { fireManually } from '../backfill/manual';
import type { ClientContext } from '../context';
import { refuseFrozen } from '../freezes/refuse-frozen';
import { refuseOutside } from '../tenants/limits';
import { answerPause, endOfPause } from '../update/pause';

/** Labels to set on many schedules: null removes one, and a label that is left out stays. */
export interface BulkTags {
  owner?: string | null | undefined;
  runbook?: string | null | undefined;
  searchAttributes?: Record<string, unknown[] | StoredSearchAttribute | null> | undefined;
}

export interface BulkChange extends BulkTags {
  note?: string | undefined;
  until?: string | number | undefined;
  overlap?: OverlapPolicy | undefined;
  duringFreeze?: boolean | undefined;
}

type Settled = Omit<BulkSchedule, 'scheduleId' | 'error'>;
const UNCHANGED: Settled = { outcome: 'unchanged', before: null, after: null };

export async function changeOne(
  context: ClientContext,
  transaction: Store,
  locked: LockedSchedule,
  { kind, change, createdAt }: Pick<BulkOperation, 'kind' | 'change' | 'createdAt'>,
): Promise<Settled> {
  const given = change as BulkChange;
  const before = stateOf(locked);
  switch (kind) {
    case 'pause': {
      if (isPausedAt(locked, locked.now.getTime())) return UNCHANGED;
      const { note = 'Paused via Escapement' } = given;
      const until = endOfPause(locked, given.until, createdAt);
      await pauseSchedule(transaction, locked, { note, actor: context.identity, until });
      break;
    }
    case 'unpause': {
      if (!locked.paused) return UNCHANGED;
      const { note = 'Unpaused via Escapement' } = given;
      await unpauseSchedule(transaction, locked, { note, actor: context.identity }, answerPause(locked));
      break;
    }
    case 'trigger': {
      await refuseOutside(transaction, [locked]);
      await refuseFrozen(context, transaction, locked.scheduleId, given);
      const firing = await fireManually(transaction, locked, { actor: context.identity, overlap: given.overlap });
      return { outcome: 'changed', before, after: { ...before, scheduledTime: firing.scheduledTime.toISOString() } };
    }
    case 'tag': {
      const labels = tagged(before.labels, given);
      if (isDeepStrictEqual(labels, before.labels)) return UNCHANGED;
      await writeTags(transaction, locked, labels);
      break;
    }
  }
  return { outcome: 'changed', before, after: await stateNow(transaction, locked) };
}

/** Undo the change of one locked schedule, unless somebody has changed the schedule since. */
export async function undoOne(
  context: ClientContext,
  transaction: Store,
  locked: LockedSchedule,
  kind: BulkOperation['kind'],
  done: BulkSchedule | undefined,
): Promise<Settled> {
  const before = stateOf(locked);
  if (!done?.before || !done.after) return UNCHANGED;
  const [wanted, left] = [done.before, done.after];
  const isCreatedSince = locked.createdAt > new Date(left.changedAt);
  if (isCreatedSince) return UNCHANGED;
  if (kind === 'tag') {
    if (!isDeepStrictEqual(before.labels, left.labels)) return UNCHANGED;
    await writeTags(transaction, locked, wanted.labels);
  } else {
    if (before.changedAt !== left.changedAt || before.paused !== left.paused) return UNCHANGED;
    const note = wanted.note ?? undefined;
    const actor = context.identity;
    if (kind === 'pause') await unpauseSchedule(transaction, locked, { note, actor }, answerPause(locked));
    else {
      const until = wanted.pausedUntil === null ? undefined : new Date(wanted.pausedUntil);
      if (until && until <= locked.now) return UNCHANGED;
      await pauseSchedule(transaction, locked, { note, actor, until });
    }
  }
  return { outcome: 'changed', before, after: await stateNow(transaction, locked) };
}

function stateOf(locked: LockedSchedule): BulkState {
  const { paused, note, pausedUntil, changedAt, owner, runbook, searchAttributes } = locked;
  return {
    paused,
    note,
    pausedUntil: pausedUntil?.toISOString() ?? null,
    changedAt: changedAt.toISOString(),
    labels: { owner, runbook, searchAttributes },
  };
}

async function stateNow(transaction: Store, { scheduleId, now }: LockedSchedule): Promise<BulkState> {
  const [locked] = await readLocked(transaction, [scheduleId], now);
  return stateOf(locked!);
}

/** The tags to store. JSON would turn dates into texts, so attributes with dates are stored in their parsed form. */
export function withParsedDates({ searchAttributes, ...tags }: BulkTags): BulkTags {
  const ofDates = Object.entries(searchAttributes ?? {}).filter(
    ([, values]) => Array.isArray(values) && values[0] instanceof Date,
  );
  const parsed = parseSearchAttributes('', { searchAttributes: Object.fromEntries(ofDates) });
  return { ...tags, searchAttributes: searchAttributes && { ...searchAttributes, ...parsed } };
}

function tagged(labels: BulkState['labels'], { owner, runbook, searchAttributes = {} }: BulkTags): BulkState['labels'] {
  const parsed = legibleAttributes(searchAttributes as StoredSearchAttributes);
  const entries = Object.entries(searchAttributes).filter(([name]) => !Object.hasOwn(parsed, name));
  const given = Object.fromEntries(entries.filter(([, values]) => values !== null));
  const set = { ...parseSearchAttributes('', { searchAttributes: given }), ...parsed };
  const removed = entries.filter(([, values]) => values === null).map(([name]) => name);
  const attributes = { ...legibleAttributes(labels.searchAttributes), ...set };
  for (const name of removed) delete attributes[name];
  if (Object.keys(set).length > 0) checkLimits('', 'searchAttributes', attributes);
  return {
    owner: owner === undefined ? labels.owner : owner || null,
    runbook: runbook === undefined ? labels.runbook : runbook || null,
    searchAttributes: Object.keys(attributes).length === 0 ? null : attributes,
  };
}

async function writeTags(
  transaction: Store,
  { scheduleId, now }: LockedSchedule,
  labels: BulkState['labels'],
): Promise<void> {
  const { owner, runbook, searchAttributes } = labels;
  const written = { owner: owner ?? '', runbook: runbook ?? '', searchAttributes: searchAttributes ?? {} };
  await writeLabels(transaction, [{ scheduleId, memo: undefined, externalId: undefined, ...written }]);
  await wakeFrozen(transaction, [scheduleId], now);
}
