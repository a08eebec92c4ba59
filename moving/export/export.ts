import { isDeepStrictEqual } from 'node:util';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { EscapementClientOptions } from '../../client/client-options';
import { type ClientContext, clientContext } from '../../client/context';
import { ScheduleNotFoundError } from '../../client/errors';
import { listSchedules } from '../../client/list/list';
import { changeLive, ledgerNow } from '../../client/update/change';
import { isPauseOver } from '../../core/decisions/pause';
import { isRecord, problemOfStored } from '../../core/definition/stored-definition';
import { nextOccurrences } from '../../core/occurrences';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule/spec';
import { readSchedule, type ScheduleRow } from '../../store/reads/read-schedules';
import { handBack } from '../../store/schedules/cut-over';
import { reasonOf } from '../../temporal/errors';
import { isNotFound, NativeSchedules, type RawSchedule } from '../native/native';
import { refuseEmpty } from '../native/reads';
import { MovingProblem, unusable } from '../problem';
import { isOfOne, wordsOf } from '../words';
import { isAlike } from './alike';
import { lostSettings, lostSilence, lostTimes } from './lost';
import { nativeRequest } from './native-request';
import { nativeSpec } from './native-spec';
import { untilSettled } from './settled';
import { unpauseNative } from './unpause';

type Native = temporal.api.workflowservice.v1.ICreateScheduleRequest;

export interface ExportOptions {
  ledger: EscapementClientOptions;
  to: Client;
  /** A list filter over the ledger's schedules. @default all */
  query?: string;
  /** Whether to write nothing. @default false */
  dryRun?: boolean;
  /** Whether to leave the created Temporal schedules paused, and the ledger's schedules as they are. @default false */
  paused?: boolean;
}

export interface ExportedSchedule {
  scheduleId: string;
  namespace: string;
  /** `left` means that the ledger's schedule stays as it is; `reason` says why. */
  status: 'created' | 'unchanged' | 'planned' | 'left';
  reason?: string;
  /** Parts of the schedule that Temporal's schedules do not have. */
  notes: string[];
}

const NOTE = 'Exported to a native schedule of Temporal';
/** The suffix of the actor's name under which an export pauses the ledger's schedule. */
const BY_EXPORT = ' (export)';
const STOPPED_MEANWHILE =
  'paused, changed or deleted in Escapement during its export, so the native schedule is paused too';
const CHANGED_MEANWHILE =
  'changed in Escapement during its export, where it goes on: delete its native schedule, which is paused, and export again';
const NOT_PAUSED =
  'paused, changed or deleted in Escapement during its export, and its native schedule, which could not be paused, may fire on';
const UNCLEAR =
  'paused here, while its native schedule runs: if neither may run, pause that one too; if it may, unpause this one and export again';
/** At most this many times are compared with the server's own list. */
const COMPARED = 100;
const YEAR_MILLISECONDS = 366 * 86_400_000;

/**
 * Exports schedules as Temporal Schedules. Each Temporal Schedule is created paused. Unless its spec has jitter, its
 * times are compared with the server's own list. Then the Temporal Schedule is unpaused, unless the ledger's schedule
 * is paused or `paused` is set. Once the server has applied the unpause, the ledger's schedule is paused as soon as its
 * due occurrences are started or wait behind a running firing. Both sides use the same workflow IDs and refuse
 * duplicates, so an occurrence that both sides start runs once. If an export was interrupted, it may be run again.
 */
export async function* exportSchedules(options: ExportOptions): AsyncGenerator<ExportedSchedule> {
  const { query } = options;
  refuseEmpty(query);
  const context = clientContext(options.ledger);
  try {
    for await (const { scheduleId } of listSchedules(context, query === undefined ? {} : { query })) {
      const stored = await readSchedule(context.store, scheduleId);
      if (!stored) continue;
      // While no trigger is alive, a pause that is over is still in the row.
      const row = { ...stored, paused: stored.paused && !isPauseOver(stored, Number(await ledgerNow(context))) };
      const { namespace } = row;
      try {
        refuseUnreadable(row);
        const { spec, notes } = readable(() => nativeSpec(row.spec, scheduleId, Date.now()));
        const lost = [...notes, ...lostSettings(row), ...(await lostSilence(context.store, row, new Date()))];
        const request = readable(() => nativeRequest(row, spec, context.identity));
        const native = new NativeSchedules(options.to, namespace);
        const { status, liveSince } = options.dryRun
          ? await planOne(native, { row, request })
          : await writeOne(native, context, { row, request, spec, paused: options.paused });
        if (status !== 'planned' && !row.paused && !options.paused) {
          lost.push(...(await handOver(native, context, { row, liveSince })));
        }
        yield { scheduleId, namespace, status, notes: lost };
      } catch (error) {
        if (!isOfOne(error)) throw error;
        yield { scheduleId, namespace, status: 'left', reason: wordsOf(error), notes: [] };
      }
    }
  } finally {
    await context.store.close();
  }
}

/** @throws {MovingProblem} if the stored definition is damaged, or has a value that this version does not know */
function refuseUnreadable(row: ScheduleRow): void {
  const problem = isRecord(row.spec) ? problemOfStored(row) : new Error('its stored spec is not an object');
  if (problem) throw unusable(problem);
}

/** @throws {MovingProblem} instead of an error that would end the export, such as for a memo that is no payload */
function readable<Result>(translate: () => Result): Result {
  try {
    return translate();
  } catch (error) {
    if (isOfOne(error)) throw error;
    throw new MovingProblem(`its stored data cannot be read (${(error as Error).message})`);
  }
}

/**
 * Pauses the ledger's schedule, once its due occurrences are started. Firings that wait behind a running one continue
 * here: Temporal does not start them.
 *
 * If somebody has paused or deleted the schedule meanwhile, it stays paused or deleted, and the native schedule is
 * paused too.
 *
 * @returns what was lost or stopped, in words
 * @throws {MovingProblem} if what is due is not started in time, or the definition has changed since `row` was read
 */
async function handOver(
  native: NativeSchedules,
  context: ClientContext,
  { row, liveSince }: { row: ScheduleRow; liveSince: number | undefined },
): Promise<string[]> {
  const { scheduleId } = row;
  await untilSettled(context, scheduleId);
  const held = await lostTimes(context.store, scheduleId, liveSince);
  try {
    const isOver = await changeLive(context, scheduleId, async (transaction, locked) => {
      if (locked.paused) return isHandedOver(locked);
      if (locked.version !== row.version) throw new ChangedMeanwhile();
      await handBack(transaction, locked, { note: NOTE, actor: `${context.identity}${BY_EXPORT}` });
      return true;
    });
    if (isOver) return held;
  } catch (error) {
    if (error instanceof ChangedMeanwhile) {
      await pauseNative(native, scheduleId);
      throw new MovingProblem(CHANGED_MEANWHILE);
    }
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
  await pauseNative(native, scheduleId);
  return [STOPPED_MEANWHILE];
}

/** Whether an export has paused the schedule. People may have changed the note since. */
function isHandedOver({ note, pausedBy }: Pick<ScheduleRow, 'note' | 'pausedBy'>): boolean {
  return note === NOTE || pausedBy?.endsWith(BY_EXPORT) === true;
}

/**
 * Refuses a schedule that a person has paused here while its native schedule, which an export unpaused, still runs.
 * Either that export was interrupted before it paused the schedule here. Or the export handed the schedule over, and
 * somebody unpaused and paused it here later. In the second case the native schedule must go on.
 *
 * @throws {MovingProblem} in either case, since only a person can distinguish them
 */
function refuseIfUnclear({ schedule }: RawSchedule, row: ScheduleRow): void {
  if (!row.paused || isHandedOver(row)) return;
  if (!schedule?.state?.paused && schedule?.state?.notes === NOTE) throw new MovingProblem(UNCLEAR);
}

/**
 * Pauses the native schedule; if it is paused already, its note stays.
 *
 * @throws {MovingProblem} if a call to Temporal fails, since a repeated export would not report that: it does not list
 * a schedule that was deleted
 */
async function pauseNative(native: NativeSchedules, scheduleId: string): Promise<void> {
  try {
    const { schedule } = await native.describe(scheduleId);
    if (schedule?.state?.paused) return;
    await native.setPaused(scheduleId, true, STOPPED_MEANWHILE);
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    throw new MovingProblem(`${NOT_PAUSED} (${reasonOf(error)}): pause or delete it yourself`);
  }
}

interface Written {
  status: Exclude<ExportedSchedule['status'], 'left'>;
  /** When the native schedule that this export has created became live, in epoch milliseconds. */
  liveSince?: number;
}

/** @throws {MovingProblem | ServiceError} if an export would leave the schedule, or Temporal lacks the namespace */
async function planOne(native: NativeSchedules, exported: { row: ScheduleRow; request: Native }): Promise<Written> {
  try {
    refuseExisting(await native.describe(exported.row.scheduleId), exported);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // For a namespace that does not exist, the server gives the same error.
    await native.retention().catch((refusal) => {
      if (isNotFound(refusal)) throw refusal;
    });
  }
  return { status: 'planned' };
}

async function writeOne(
  native: NativeSchedules,
  context: ClientContext,
  exported: { row: ScheduleRow; request: Native; spec: ScheduleSpecDescription; paused: boolean | undefined },
): Promise<Written> {
  const { row, request, spec, paused } = exported;
  const created = await native.create(request);
  const there = await native.describe(row.scheduleId);
  if (!created) refuseExisting(there, exported);
  if (!spec.jitter) await compareTimes(native, row.scheduleId, spec);
  const status = created ? 'created' : 'unchanged';
  if (!paused && !row.paused && there.schedule?.state?.paused) {
    const liveSince = await unpauseNative(context, native, { row, there, note: NOTE });
    // A native schedule that already existed may have been live before, and has then run what was due.
    if (created) return { status, liveSince };
  }
  return { status };
}

/** @throws {MovingProblem} if the native schedule of this name differs, or for a reason of {@link refuseIfUnclear} */
function refuseExisting(there: RawSchedule, { row, request }: { row: ScheduleRow; request: Native }): void {
  if (!isAlike(there, request)) {
    throw new MovingProblem('a native schedule of this name exists, and differs: delete it, or roll back to it');
  }
  refuseIfUnclear(there, row);
}

async function compareTimes(native: NativeSchedules, scheduleId: string, spec: ScheduleSpecDescription) {
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  const meant = nextOccurrences(spec as ScheduleSpec, { after: new Date(now), count: COMPARED, scheduleId });
  const times = meant.map((time) => time.getTime()).filter((time) => time < now + 10 * YEAR_MILLISECONDS);
  if (times.length === 0) return;
  if (!isDeepStrictEqual(await native.startTimes(scheduleId, now, times.at(-1)!), times)) {
    throw new MovingProblem('the server lists other times than the definition has; the native schedule stays paused');
  }
}

class ChangedMeanwhile extends Error {}
