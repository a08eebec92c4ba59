import { createHash } from 'node:crypto';
import { counted } from '../../core/counted';
import { InvalidOptionError } from '../../core/errors';
import { type ArchiveRow, readArchives } from '../../store/archive/months';
import { besideNoArchive } from '../../store/archive/turn';
import { openStore, type PostgresOptions, type Store } from '../../store/connection';
import { checkSchema } from '../../store/meta';
import { beginPurge, countPurged, endPurge, readClock } from '../../store/purge/record';
import {
  countDefinitions,
  countErased,
  eraseRows,
  eraseSchedules,
  isInAnswers,
  isKnown,
  RUNNING_SHOWN,
  type Running,
  type RunningWorkflow,
  readRunning,
  readTenantsSchedules,
  stopSchedules,
} from '../../store/purge/schedules';
import { addCounts, type PersonalTable, readPersonalTables, whileNoneRetires } from '../../store/purge/tables';
import { countOfTenant, eraseTenant } from '../../store/purge/tenants';
import { untilUnlocked } from '../../store/purge/until-unlocked';
import { ArchiveBusyError } from '../archive/busy';

export type PurgeSubject = { scheduleId: string } | { tenant: string };

export interface PurgeOptions {
  actor: string;
  /** Whether to only count the rows that would be erased, and erase nothing. */
  dryRun?: boolean | undefined;
  /** Whether to erase even if workflows run or are about to start. Without this option, the purge is then refused. */
  force?: boolean | undefined;
  /** A function that returns the current time. @default the database's clock */
  now?: (() => Date) | undefined;
  onProgress: (sentence: string) => void;
}

export interface Purged {
  /** The purge's ID in `purges`; null for a dry run. */
  purgeId: string | null;
  schedules: number;
  /**
   * Number of erased rows, by kind, with the stored answers that were emptied. A dry run has the number of rows that
   * would be erased.
   */
  counts: Record<string, number>;
  /**
   * Examples of workflows that run, or may be about to start; they continue in Temporal. A dry run also counts claims
   * that wait.
   */
  running: RunningWorkflow[];
  runningCount: number;
  /** All archived months: each may contain rows of the schedule or tenant. The purge does not change archives. */
  archives: ArchiveRow[];
}

/** The schedules that should be erased have workflows that run or are about to start. */
export class PurgeRefusedError extends Error {
  override readonly name = 'PurgeRefusedError';
  constructor(
    readonly running: RunningWorkflow[],
    count: number,
  ) {
    const names = running.map(({ workflowId, namespace }) => `${workflowId} in ${namespace}`).join(', ');
    super(
      `${counted(count, 'workflow runs or is', 'workflows run or are')} about to start, such as ${names}; wait, or end what runs. With --force the rows are erased, and what was started stays in Temporal`,
    );
  }
}

/** During the purge, somebody created the erased schedule again, or a schedule of the erased tenant. */
export class PurgeInterruptedError extends Error {
  override readonly name = 'PurgeInterruptedError';
  constructor(readonly schedules: number) {
    super(
      `${counted(schedules, 'schedule was', 'schedules were')} created meanwhile, and not erased; run the command again`,
    );
  }
}

const SCHEDULES_AT_ONCE = 100;

/**
 * Erases a schedule, or a whole tenant, from the ledger's tables. The schedules of a tenant are erased a hundred at a
 * time, and fire until their turn. If a run was killed, run it again. The caller must be the owner of the schema.
 *
 * @throws {InvalidOptionError} for a schedule or tenant that never existed or is already erased
 * @throws {PurgeRefusedError} if workflows run or are about to start, without `force`; earlier groups of a tenant may
 * be erased by then
 * @throws {ArchiveBusyError} if another run archives or restores months of this ledger
 * @throws {PurgeInterruptedError} if somebody created the schedule again, or one of the tenant, during the purge
 */
export async function purge(postgres: PostgresOptions, subject: PurgeSubject, options: PurgeOptions): Promise<Purged> {
  // Stored answers of the HTTP API are searched for each ID. This may take long, so the statements have no time limit.
  const store = openStore({ ...postgres, connectionsAtMost: 1, queryTimeoutMilliseconds: 0 });
  try {
    const { installationId } = await checkSchema(store);
    return await check({ store, installationId, options }, subject);
  } finally {
    await store.close();
  }
}

interface Run {
  store: Store;
  installationId: string;
  options: PurgeOptions;
}

/** Check whether the subject can be erased, and erase it; for a dry run, count what would be erased. */
async function check(run: Run, subject: PurgeSubject): Promise<Purged> {
  const { store, options } = run;
  const tables = await readPersonalTables(store);
  await checkSubject(store, subject, tables);
  const of = 'tenant' in subject ? subject : { scheduleIds: [subject.scheduleId] };
  const { running, count: runningCount } = await readRunning(store, of);
  const archives = await readArchives(store);
  if (options.dryRun) {
    return { purgeId: null, ...(await countAll(store, subject, tables)), running, runningCount, archives };
  }
  if (runningCount > 0 && !options.force) throw new PurgeRefusedError(running, runningCount);
  // A restore at the same time could bring back what is erased.
  const erased = await besideNoArchive(store, (held) => erase({ ...run, store: held }, subject));
  if (!erased) throw new ArchiveBusyError('archiving or restoring');
  return { archives, ...erased };
}

async function checkSubject(store: Store, subject: PurgeSubject, tables: PersonalTable[]): Promise<void> {
  if ('scheduleId' in subject) {
    if (await isKnown(store, subject.scheduleId)) return;
    // The schedule was erased before, but an earlier release may have left rows of it, or restored some, or the API may
    // have stored an answer since. An answer may also have the ID as the name of something else, which does not count.
    const { api_requests: _, ...left } = await countErased(store, [subject.scheduleId], tables);
    if (Object.keys(left).length > 0 || (await isInAnswers(store, subject.scheduleId))) return;
    throw new InvalidOptionError('schedule', `there is no schedule '${subject.scheduleId}', live or deleted`);
  }
  if (subject.tenant === '') throw new InvalidOptionError('tenant', 'is empty, which means no tenant');
  const ids = await readTenantsSchedules(store, subject.tenant, 1);
  if (ids.length > 0 || Object.keys(await countOfTenant(store, subject.tenant, tables)).length > 0) return;
  throw new InvalidOptionError('tenant', `the ledger has nothing of a tenant '${subject.tenant}'`);
}

async function countAll(store: Store, subject: PurgeSubject, tables: PersonalTable[]) {
  const tenant = 'tenant' in subject ? subject.tenant : undefined;
  const ids =
    'tenant' in subject
      ? await readTenantsSchedules(store, subject.tenant, Number.MAX_SAFE_INTEGER)
      : [subject.scheduleId];
  const { schedules, versions } = await countDefinitions(store, ids);
  const counts = await countErased(store, ids, tables, tenant);
  addCounts(counts, { schedule_versions: versions });
  if (tenant !== undefined) {
    const { leases = 0, ...others } = await countOfTenant(store, tenant, tables);
    addCounts(counts, others);
    // A lease may be both of a schedule and of its tenant, so the larger count is taken.
    if (leases > 0) counts.leases = Math.max(counts.leases ?? 0, leases);
  }
  return { schedules, counts };
}

async function erase(run: Run, subject: PurgeSubject) {
  const { store, options } = run;
  const isTenant = 'tenant' in subject;
  const kind = isTenant ? 'tenant' : 'schedule';
  const subjectHash = hashOf(run, kind, isTenant ? subject.tenant : subject.scheduleId);
  const { actor, force = false } = options;
  const purgeId = await beginPurge(store, { kind, subjectHash, actor, forced: force, now: await timeOf(run) });
  const counts: Record<string, number> = {};
  const running: RunningWorkflow[] = [];
  let runningCount = 0;
  let schedules = 0;
  const add = async (erased: Record<string, number>, count: number) => {
    for (const [name, rows] of Object.entries(erased)) counts[name] = (counts[name] ?? 0) + rows;
    schedules += count;
    await countPurged(store, purgeId, count, erased);
    options.onProgress(`${counted(schedules, 'schedule is', 'schedules are')} erased`);
  };
  for (;;) {
    const ids = isTenant ? await readTenantsSchedules(store, subject.tenant, SCHEDULES_AT_ONCE) : [subject.scheduleId];
    if (ids.length === 0) break;
    const { rows, erased, back, goOn } = await eraseGroup(run, ids, isTenant ? subject.tenant : undefined);
    running.push(...goOn.running);
    runningCount += goOn.count;
    await add(rows, erased);
    if (back > 0) throw new PurgeInterruptedError(back);
    if (!isTenant) break;
  }
  if (isTenant) {
    const erased = await whileNoneRetires(store, async (held) =>
      eraseTenant(held, subject.tenant, await readPersonalTables(held)),
    );
    await add(erased, 0);
    const created = await readTenantsSchedules(store, subject.tenant, Number.MAX_SAFE_INTEGER);
    if (created.length > 0) throw new PurgeInterruptedError(created.length);
  }
  await endPurge(store, purgeId, await timeOf(run));
  return { purgeId, schedules, counts, running: running.slice(0, RUNNING_SHOWN), runningCount };
}

async function eraseGroup(
  run: Run,
  ids: string[],
  tenant: string | undefined,
): Promise<{ rows: Record<string, number>; erased: number; back: number; goOn: Running }> {
  const { store, options } = run;
  const { now, force = false, onProgress } = options;
  const onWait = () => onProgress('another session has locked rows of these schedules: waiting for it');
  const goOn = await untilUnlocked(() => stopSchedules(store, ids, { now, allowRunning: force }), onWait);
  if (goOn.count > 0 && !force) throw new PurgeRefusedError(goOn.running, goOn.count);
  // The tables are read after the stop, since a firing may create the table of its month. A restore may also add tables.
  const rows = await whileNoneRetires(store, async (held) =>
    eraseRows(held, ids, await readPersonalTables(held), tenant),
  );
  const guards = new Map(ids.map((id) => [id, `purged:${hashOf(run, 'schedule', id)}`]));
  const { schedules, counts } = await untilUnlocked(() => eraseSchedules(store, ids, guards), onWait);
  // Either somebody created a schedule again, or it was erased before and some of its rows were left.
  const rest = schedules < ids.length ? ids : [];
  const known = await Promise.all(rest.map((id) => isKnown(store, id)));
  addCounts(rows, counts);
  return { rows, erased: schedules, back: known.filter(Boolean).length, goOn };
}

async function timeOf({ store, options }: Pick<Run, 'store' | 'options'>): Promise<Date> {
  return options.now?.() ?? readClock(store);
}

/**
 * A name may be personal data, so the record of a purge has only a hash of it. The hash includes the installation's ID,
 * so that hashes from another ledger do not match.
 */
function hashOf({ installationId }: Pick<Run, 'installationId'>, kind: string, name: string): string {
  return createHash('sha256').update(`${installationId}\n${kind}\n${name}`).digest('hex');
}
