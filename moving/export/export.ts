import { isDeepStrictEqual } from 'node:util';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
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
import { grpcCodeOf, grpcStatus, reasonOf } from '../../temporal/errors';
import { NativeSchedules } from '../native/native';
import { refuseEmpty } from '../native/reads';
import { MovingProblem, unusable } from '../problem';
import { isOfOne, wordsOf } from '../words';
import { isAlike } from './alike';
import { lostSettings, lostSilence, lostTimes } from './lost';
import { nativeRequest } from './native-request';
import { nativeSpec } from './native-spec';
import { isSettled } from './settled';
import { unpauseNative } from './unpause';

type Native = temporal.api.workflowservice.v1.ICreateScheduleRequest;
type Described = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

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

const UNSETTLED =
  "its due occurrences were not started here in time; both schedules are live, and nothing fires twice: start a trigger, or wait for its tenant's quota, and export again";
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
        const { status, liveSince } = options.dryRun
          ? await planOne(options, request)
          : await writeOne(options, context, { row, request, spec });
        if (status !== 'planned') {
          if (row.paused) await refuseIfUnclear(options.to, row);
          else if (!options.paused) lost.push(...(await handOver(options.to, context, { row, liveSince })));
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
 * @throws {MovingProblem} if no trigger starts what is due, or the definition has changed since `row` was read
 */
async function handOver(
  to: Client,
  context: ClientContext,
  { row, liveSince }: { row: ScheduleRow; liveSince: number | undefined },
): Promise<string[]> {
  const { scheduleId } = row;
  if (!(await isSettled(context, scheduleId))) throw new MovingProblem(UNSETTLED);
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
      await pauseNative(to, row);
      throw new MovingProblem(CHANGED_MEANWHILE);
    }
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
  await pauseNative(to, row);
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
async function refuseIfUnclear(to: Client, row: ScheduleRow): Promise<void> {
  if (isHandedOver(row)) return;
  const { namespace, scheduleId } = row;
  const { schedule } = await to.connection.workflowService.describeSchedule({ namespace, scheduleId });
  if (!schedule?.state?.paused && schedule?.state?.notes === NOTE) throw new MovingProblem(UNCLEAR);
}

/**
 * Pauses the native schedule; if it is paused already, its note stays.
 *
 * @throws {MovingProblem} if a call to Temporal fails, since a repeated export would not report that: it does not list
 * a schedule that was deleted
 */
async function pauseNative(to: Client, { namespace, scheduleId }: ScheduleRow): Promise<void> {
  const service = to.connection.workflowService;
  try {
    const { schedule } = await service.describeSchedule({ namespace, scheduleId });
    if (schedule?.state?.paused) return;
    await service.patchSchedule({ namespace, scheduleId, patch: { pause: STOPPED_MEANWHILE } });
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

/** @throws {MovingProblem | ServiceError} if a different native schedule has this name, or Temporal lacks the namespace */
async function planOne({ to }: ExportOptions, request: Native): Promise<Written> {
  const { namespace, scheduleId } = request;
  try {
    refuseDifferent(await to.connection.workflowService.describeSchedule({ namespace, scheduleId }), request);
  } catch (error) {
    if (grpcCodeOf(error) !== grpcStatus.NOT_FOUND) throw error;
    // For a namespace that does not exist, the server gives the same error.
    await to.connection.workflowService.describeNamespace({ namespace }).catch((refusal) => {
      if (grpcCodeOf(refusal) === grpcStatus.NOT_FOUND) throw refusal;
    });
  }
  return { status: 'planned' };
}

async function writeOne(
  { to, paused }: ExportOptions,
  context: ClientContext,
  { row, request, spec }: { row: ScheduleRow; request: Native; spec: ScheduleSpecDescription },
): Promise<Written> {
  const { scheduleId, namespace } = row;
  const service = to.connection.workflowService;
  const created = await service.createSchedule(request).then(
    () => true,
    (error) => {
      if (grpcCodeOf(error) === grpcStatus.ALREADY_EXISTS) return false;
      throw error;
    },
  );
  const there = await service.describeSchedule({ namespace, scheduleId });
  if (!created) refuseDifferent(there, request);
  if (!spec.jitter) await compareTimes(to, row, spec);
  const status = created ? 'created' : 'unchanged';
  if (!paused && !row.paused && there.schedule?.state?.paused) {
    const native = new NativeSchedules(to, namespace);
    const liveSince = await unpauseNative(context, native, { row, there, note: NOTE });
    // A native schedule that already existed may have been live before, and has then run what was due.
    if (created) return { status, liveSince };
  }
  return { status };
}

function refuseDifferent(there: Described, request: Native): void {
  if (isAlike(there, request)) return;
  throw new MovingProblem('a native schedule of this name exists, and differs: delete it, or roll back to it');
}

async function compareTimes(to: Client, { scheduleId, namespace }: ScheduleRow, spec: ScheduleSpecDescription) {
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  const meant = nextOccurrences(spec as ScheduleSpec, { after: new Date(now), count: COMPARED, scheduleId });
  const times = meant.map((time) => time.getTime()).filter((time) => time < now + 10 * YEAR_MILLISECONDS);
  if (times.length === 0) return;
  const { startTime } = await to.connection.workflowService.listScheduleMatchingTimes({
    ...{ namespace, scheduleId, startTime: { seconds: (now / 1_000) as never } },
    endTime: { seconds: (times.at(-1)! / 1_000) as never },
  });
  const listed = startTime.map((time) => optionalTsToMs(time)!);
  if (!isDeepStrictEqual(listed, times)) {
    throw new MovingProblem('the server lists other times than the definition has; the native schedule stays paused');
  }
}

class ChangedMeanwhile extends Error {}
