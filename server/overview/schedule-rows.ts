import type { EscapementClient } from '../../client/client';
import type { ScheduleSummary } from '../../client/describe/schedule-description';
import type { Store } from '../../store/connection';
import {
  readFailing,
  readLateSchedules,
  readPausedSchedules,
  type Troubled,
  type TroubledQuery,
} from '../../store/reads/troubled';
import { wordsOf } from '../agenda/words';
import type { ServerContext } from '../context';
import { invalid, ProblemError } from '../problems/problem';
import { readHeld } from './held';
import { type Mark, stripsOf } from './strips';

/** Orders of the list that show only schedules which fail, are late or are paused. */
export const TROUBLES = ['failing', 'lastOutcome', 'late', 'pausedAt'] as const;
export type Trouble = (typeof TROUBLES)[number];

const TROUBLED_AT_MOST = 1_000;
const MARKS = 14;
/** Maximum length of the names in one list filter. A whole filter may have 10,000 characters. */
const LONGEST_LIST = 9_000;
/** A start that is at most this late counts as on time. */
const LATE_MILLISECONDS = 10_000;

export interface ScheduleListRow {
  scheduleId: string;
  tenant: string;
  namespace: string;
  source?: string;
  words: string[];
  timezone?: string;
  workflowType: string;
  taskQueue: string;
  state: ScheduleSummary['state'];
  /** The freeze that holds the schedule now. */
  frozen?: { until: Date };
  /** The next nominal time; undefined also if it is held back. */
  nextFireAt?: Date;
  lastFireAt?: Date;
  /** How many of the shown answers after the last completed one have failed or were abandoned. */
  failing: number;
  /** For an order by problem: the time since which the problem exists, and a count, such as the failures in a row. */
  trouble?: { since: Date; count: number };
  marks: Mark[];
}

export async function rowsOf(
  { store, now }: ServerContext,
  schedules: ScheduleSummary[],
  troubles: Map<string, Troubled> = new Map(),
): Promise<ScheduleListRow[]> {
  const scheduleIds = schedules.map(({ scheduleId }) => scheduleId);
  const instant = now();
  const strips = await stripsOf(store, { scheduleIds, last: MARKS, now: instant, withErrors: false });
  const coming = schedules.map((one) => ({ ...one, times: one.info.nextFireAt ? [one.info.nextFireAt] : [] }));
  const held = await readHeld(store, coming, instant);
  return schedules.map(({ scheduleId, tenant, namespace, source, definition, action, state, info }) => {
    const trouble = troubles.get(scheduleId);
    const marks = strips[scheduleId] ?? [];
    const { spec } = definition;
    const failing = failingOf(marks);
    const { frozenUntil, times } = held.get(scheduleId)!;
    return {
      ...{ scheduleId, tenant, namespace, state, marks },
      ...(source === undefined ? {} : { source }),
      words: wordsOf({ ...spec, timezone: undefined }, scheduleId),
      ...(spec.timezone === undefined ? {} : { timezone: spec.timezone }),
      workflowType: action.workflowType,
      taskQueue: action.taskQueue,
      ...(frozenUntil ? { frozen: { until: frozenUntil } } : {}),
      ...(info.nextFireAt === undefined || times.length > 0 ? {} : { nextFireAt: info.nextFireAt }),
      ...(info.lastFireAt === undefined ? {} : { lastFireAt: info.lastFireAt }),
      failing: Math.max(failing, 0),
      ...(trouble ? { trouble: { since: trouble.since, count: trouble.count } } : {}),
    };
  });
}

function failingOf(marks: Mark[]): number {
  const ended = marks.filter(({ look }) => look === 'completed' || look === 'failed' || look === 'abandoned');
  const lastGood = ended.findLastIndex(({ look }) => look === 'completed');
  return ended.length - 1 - lastGood;
}

/** The schedules with the given trouble, and whether others may be missing, since not all failures were read. */
async function troubledBy(
  trouble: Trouble,
  store: Store,
  query: TroubledQuery,
): Promise<{ found: Troubled[]; isCut: boolean }> {
  switch (trouble) {
    case 'failing':
      return readFailing(store, { ...query, order: 'longest' });
    case 'lastOutcome':
      return readFailing(store, { ...query, order: 'newest' });
    case 'late':
      return { found: await readLateSchedules(store, { ...query, lateMilliseconds: LATE_MILLISECONDS }), isCut: false };
    case 'pausedAt':
      return { found: await readPausedSchedules(store, query), isCut: false };
  }
}

/** A page of the schedules with the given trouble, in its order; at most 1,000 in all. */
export async function troubledPage(
  { server, client, tenant }: { server: ServerContext; client: EscapementClient; tenant: string | undefined },
  { trouble, text, cursor, pageSize }: { trouble: Trouble; text?: string; cursor?: string; pageSize: number },
) {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(from) || from < 0) {
    throw new ProblemError(
      invalid([{ path: 'cursor', message: 'is not a cursor; give the nextCursor of the previous page' }]),
    );
  }
  const query = { now: server.now(), tenant, text, limit: TROUBLED_AT_MOST + 1 };
  const { found, isCut } = await troubledBy(trouble, server.store, query);
  const all = found.slice(0, TROUBLED_AT_MOST);
  const page = all.slice(from, from + pageSize);
  const names = page.map(({ scheduleId }) => `'${scheduleId.replace(/['\\]/g, '\\$&')}'`);
  const schedules: ScheduleSummary[] = [];
  for (const some of inQueries(names)) {
    schedules.push(...(await client.listPage({ query: `scheduleId IN (${some})`, pageSize })).schedules);
  }
  const place = new Map(page.map(({ scheduleId }, at) => [scheduleId, at]));
  schedules.sort((one, other) => place.get(one.scheduleId)! - place.get(other.scheduleId)!);
  return {
    rows: await rowsOf(server, schedules, new Map(page.map((one) => [one.scheduleId, one]))),
    total: all.length,
    isCut: isCut || found.length > all.length,
    nextCursor: from + pageSize < all.length ? String(from + pageSize) : undefined,
  };
}

/** Joins the names into lists, each short enough for one list filter. */
function inQueries(names: string[]): string[] {
  const lists: string[] = [];
  for (const name of names) {
    const longer = lists.length === 0 ? '' : `${lists.at(-1)}, ${name}`;
    if (longer === '' || longer.length > LONGEST_LIST) lists.push(name);
    else lists[lists.length - 1] = longer;
  }
  return lists;
}
