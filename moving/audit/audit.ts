import { type Client, isGrpcServiceError } from '@temporalio/client';
import { decodeScheduleSpec } from '@temporalio/client/lib/schedule-helpers';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { DEFAULTS } from '../../core/defaults';
import { InvalidScheduleError } from '../../core/errors';
import { type CompiledSpec, compileSpec } from '../../core/occurrences';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { grpcCodeOf, grpcStatus, reasonOf } from '../../temporal/errors';
import { NativeReads, type RawSchedule } from '../native/reads';
import { standingOf } from '../native/standing';
import { type AuditCounts, type AuditedTime, noCounts } from './classes';
import { type AuditClock, type AuditedState, Classifier } from './classify';
import { dueTimes } from './due-times';
import { AuditReads } from './reads';

const { ScheduleOverlapPolicy } = temporal.api.enums.v1;
const AT_ONCE = 8;

export interface AuditOptions {
  temporal: Client;
  namespace: string;
  /** A list query for Temporal. @default all schedules */
  query?: string;
  /** The start of the period, inclusive. */
  from: Date;
  /** The end of the period, inclusive. */
  to: Date;
  /** A start with a longer delay counts as late, in milliseconds. @default 10 seconds */
  lateAfter?: number;
  /** @default the clock of the process */
  now?: () => number;
}

export interface AuditedSchedule {
  scheduleId: string;
  counts: AuditCounts;
  /** The longest delay of a start after its due time, in milliseconds. */
  worstLag: number | undefined;
  /**
   * The server's count since the schedule's creation: times missed by its catch-up window, and dropped buffered starts.
   */
  serverMissed: number;
  /** Whether the server lists the same due times as the audit computes. */
  server: 'same' | 'other' | 'silent';
  /** Why the schedule could not be read, or only in part. */
  problem?: string;
}

/** Callbacks of an audit, called for each time of a schedule in order, and then for the schedule. */
export interface AuditListener {
  onTime(scheduleId: string, time: AuditedTime): void;
  onSchedule(schedule: AuditedSchedule): void;
}

/**
 * Check whether native schedules fired at their due times, by the server's own data. The audit only reads. A schedule
 * that cannot be read has a `problem`, and the audit continues with the others.
 */
export async function auditNative(options: AuditOptions, listener: AuditListener): Promise<void> {
  const reads = new AuditReads(new NativeReads(options.temporal, options.namespace));
  const now = (options.now ?? Date.now)();
  const clock = {
    now,
    lateAfter: options.lateAfter ?? DEFAULTS.onTimeMilliseconds,
    rememberedFrom: now - (await reads.native.retention()),
  };
  const ids = reads.native.ids(options.query);
  const work = async () => {
    for (let next = await ids.next(); !next.done; next = await ids.next()) {
      await auditOne(reads, next.value, options, clock, listener);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function auditOne(
  reads: AuditReads,
  scheduleId: string,
  { from, to }: AuditOptions,
  clock: AuditClock,
  listener: AuditListener,
): Promise<void> {
  const audited: AuditedSchedule = {
    ...{ scheduleId, counts: noCounts(), worstLag: undefined, serverMissed: 0, server: 'same' },
  };
  try {
    const raw = await reads.native.describe(scheduleId);
    const spec = decodeScheduleSpec(raw.schedule?.spec ?? {}) as ScheduleSpec;
    const compiled = compileSpec(spec, { scheduleId });
    const state = stateOf(raw, compiled);
    audited.serverMissed = Number(raw.info?.missedCatchupWindow ?? 0) + Number(raw.info?.bufferDropped ?? 0);
    const span = { from: Math.max(from.getTime(), optionalTsToMs(raw.info?.createTime) ?? 0), to: to.getTime() };
    const classifier = new Classifier(state, clock);
    if (state.overlap !== 'ALLOW_ALL') classifier.holdFrom(await reads.heldAt(scheduleId, span.from));
    const ask = (after: number, through: number) => reads.native.startTimes(scheduleId, after, through);
    for await (const { times, span: looked, server } of dueTimes(
      compiled,
      optionalTsToMs(raw.schedule?.spec?.jitter) ?? 0,
      span,
      ask,
    )) {
      if (server !== 'same') audited.server = server;
      const started = await reads.startedFor(scheduleId, looked.from, looked.to);
      for (const time of classifier.classify(times, started)) {
        audited.counts[time.class] += 1;
        if (time.start !== undefined) audited.worstLag = Math.max(audited.worstLag ?? 0, time.start - time.due);
        listener.onTime(scheduleId, time);
      }
    }
  } catch (error) {
    audited.problem = problemOf(error);
  }
  listener.onSchedule(audited);
}

function stateOf(raw: RawSchedule, compiled: CompiledSpec): AuditedState {
  const { schedule, info } = raw;
  const { last, buffered } = standingOf(raw, compiled);
  const { paused, limitedActions, remainingActions } = schedule?.state ?? {};
  const completed = limitedActions && Number(remainingActions ?? 0) === 0;
  const policy = ScheduleOverlapPolicy[schedule?.policies?.overlapPolicy ?? 0]?.replace('SCHEDULE_OVERLAP_POLICY_', '');
  return {
    overlap: OVERLAP_POLICIES.includes(policy as OverlapPolicy) ? (policy as OverlapPolicy) : 'SKIP',
    stopped: paused ? 'paused' : completed ? 'completed' : undefined,
    lastStarted: last ?? undefined,
    changedAt: optionalTsToMs(info?.updateTime) || undefined,
    buffered,
  };
}

/** @throws any error other than an invalid spec or an error of Temporal */
function problemOf(error: unknown): string {
  if (error instanceof InvalidScheduleError) return `its spec cannot be evaluated here: ${error.message}`;
  if (!isGrpcServiceError(error)) throw error;
  if (grpcCodeOf(error) === grpcStatus.NOT_FOUND) return 'was deleted meanwhile';
  return `Temporal says: ${reasonOf(error)}`;
}
