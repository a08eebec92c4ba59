import { legible } from '../../core/definition/legible';
import { readExclusions } from '../../store/firings/exclude';
import { readFreezeAt } from '../../store/freezes/matching';
import { readHandedOver } from '../../store/reads/read-firings';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import { readActionInfo, readListedActions } from '../../store/schedules/schedule-actions';
import { readDelay } from '../../store/schedules/tenant-hours';
import type { ClientContext } from '../context';
import { asSeen } from '../freezes/errors';
import type { DecodedValues, PartlyDecoded } from '../payloads';
import { sourceAsGiven } from '../tenant';
import { nowOf } from '../update/change';
import { comingTimes, describe, type SummaryParts, summarize } from './description';
import type { ScheduleDescription, ScheduleSummary } from './schedule-description';

/** @throws the converter's or codec's error if a value cannot be decoded */
export async function describeLive(context: ClientContext, row: ScheduleRow): Promise<ScheduleDescription> {
  const [decoded, memo] = await Promise.all([context.codec.decode(row), context.codec.decodeMemo(row.memo)]);
  return describeDecoded(context, row, { decoded, memo });
}

export interface Undecoded {
  /** Why the schedule's own memo is left out. */
  memoError?: string;
  action: Pick<PartlyDecoded, 'argsError' | 'memoError' | 'textsError'>;
}

/** Arguments that cannot be decoded are in encoded form. */
export async function describeWhatCan(
  context: ClientContext,
  row: ScheduleRow,
): Promise<ScheduleDescription & Undecoded> {
  const decoded = await context.codec.decodeWhatCan(row);
  const memo = await context.codec.decodeMemo(row.memo).catch((error: Error) => error);
  if (!(memo instanceof Error)) return describeDecoded(context, row, { decoded, memo });
  return { ...(await describeDecoded(context, row, { decoded, memo: undefined })), memoError: memo.message };
}

async function describeDecoded(
  context: ClientContext,
  row: ScheduleRow,
  { decoded, memo }: { decoded: DecodedValues; memo: Record<string, unknown> | undefined },
): Promise<ScheduleDescription> {
  // The queries run one after the other, since a caller's transaction accepts only one at a time.
  const times = await horizon(context, row);
  const actions = await readActionInfo(context.store, row);
  const handedOver = await readHandedOver(context.store, { scheduleId: row.scheduleId, now: nowOf(context) });
  const delayedUntil = row.tenant === '' ? undefined : await readDelay(context.store, row.scheduleId, context.now?.());
  const freeze = await readFreezeAt(context.store, row.scheduleId, nowOf(context));
  const frozen = freeze && asSeen(freeze, context.tenant);
  return describe(withSource(context, row), { decoded, memo, times, actions, handedOver, delayedUntil, frozen });
}

/** One query reads the excluded times and the last actions of the whole page. */
export async function summarizePage(context: ClientContext, rows: ScheduleRow[]): Promise<ScheduleSummary[]> {
  const after = nowOf(context);
  const actions = await readListedActions(context.store, rows, after);
  return Promise.all(
    rows.map((row) => {
      const { recent, excluded } = actions.get(row.scheduleId)!;
      const times = { after, excluded: new Set(excluded.map((time) => time.getTime())) };
      return summarizeOne(context, withSource(context, legible(row)), { times, recent });
    }),
  );
}

/** A memo that cannot be decoded must not hide the other schedules of a list. */
async function summarizeOne(
  context: ClientContext,
  row: ScheduleRow,
  parts: Omit<SummaryParts, 'memo'>,
): Promise<ScheduleSummary> {
  try {
    return summarize(row, { ...parts, memo: await context.codec.decodeMemo(row.memo) });
  } catch (error) {
    const memoError = error instanceof Error ? error.message : String(error);
    return { ...summarize(row, { ...parts, memo: undefined }), memoError };
  }
}

export async function nextTimesOf(context: ClientContext, row: ScheduleRow, count: number): Promise<Date[]> {
  return comingTimes(row, { ...(await horizon(context, row)), count });
}

async function horizon(context: ClientContext, { scheduleId }: ScheduleRow) {
  const after = nowOf(context);
  const excluded = await readExclusions(context.store, scheduleId, after);
  return { after, excluded: new Set(excluded.map((time) => time.getTime())) };
}

function withSource(context: ClientContext, row: ScheduleRow): ScheduleRow {
  return { ...row, source: row.source === null ? null : sourceAsGiven(context, row.source) };
}
