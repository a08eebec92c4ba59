import { counted } from '../../../core/counted';
import { given } from '../../../core/given';
import type { Bulk, BulkFilter, BulkOptions, BulkPlan, BulkStatus, FollowOptions } from '../../../index';
import { type ClientOptions, type Environment, withClient } from '../../environment';
import { print, printJson, printSafely, printTable, printTime } from '../../output/output';
import { showProgress } from '../../output/progress';
import { onStopSignal } from '../../signals';
import type { BulkFlags } from './bulk-flags';

export interface Many {
  kind: 'pause' | 'unpause' | 'trigger' | 'tag';
  start(bulk: Bulk, filter: BulkFilter, options: BulkOptions): Promise<BulkStatus>;
}

const DONE = { pause: 'Paused', unpause: 'Unpaused', trigger: 'Triggered', tag: 'Tagged' };
const STATES = { running: 'Under way. ', done: '', cancelled: 'Cancelled. ' };
const LISTED = 20;
const FAILURES_SHOWN = 10;

/** With `--dry-run`, show what a bulk change would affect; with `--yes`, make the change. */
export async function changeMany(
  environment: Environment,
  options: BulkFlags,
  filter: BulkFilter,
  { kind, start }: Many,
): Promise<void> {
  const { dryRun, yes, json, expect: expectedTotal, rate: perSecond } = options;
  if (dryRun) {
    const plan = await withClient(environment, options, ({ bulk }) => bulk.plan(kind, filter));
    if (json) printJson(plan);
    else sayPlan(kind, plan);
    return;
  }
  if (!yes)
    throw new Error(
      `this changes every schedule that matches: check them with --dry-run, then give --yes to ${kind} them`,
    );
  await carryOut(environment, options, (bulk, how) =>
    start(bulk, filter, { ...how, ...given({ expectedTotal, perSecond }) }),
  );
}

/** Make a new bulk change, and show a progress bar. Ctrl-C and SIGTERM cancel the change of the remaining schedules. */
export async function carryOut(
  environment: Environment,
  options: ClientOptions & { json?: boolean },
  work: (bulk: Bulk, how: FollowOptions) => Promise<BulkStatus>,
): Promise<void> {
  let isTold = options.json ?? false;
  const begun = ({ operationId }: BulkStatus) => {
    if (!isTold) printSafely(process.stderr, [whereFollowed(operationId)]);
    isTold = true;
  };
  await followWith(environment, options, (bulk, { progress, ...how }) =>
    work(bulk, {
      ...how,
      progress: (status) => {
        begun(status);
        progress?.(status);
      },
    }),
  );
}

/** Wait for a bulk change, show a progress bar, and print the state of the change. */
export async function followWith(
  environment: Environment,
  options: ClientOptions & { json?: boolean },
  work: (bulk: Bulk, how: FollowOptions) => Promise<BulkStatus>,
): Promise<void> {
  const stopping = new AbortController();
  const leaveSignals = onStopSignal(() => stopping.abort());
  try {
    const progress = ({ total, left }: BulkStatus) => showProgress(total - left, total);
    const how = { progress, signal: stopping.signal };
    const status = await withClient(environment, options, ({ bulk }) => work(bulk, how));
    if (options.json) printJson(status);
    else sayStatus(status);
    if (status.failed > 0 || status.state !== 'done') process.exitCode = 1;
  } finally {
    leaveSignals();
  }
}

function whereFollowed(operationId: string): string {
  return `Operation ${operationId}. If this process is killed, 'escapement schedule bulk follow ${operationId}' continues it.`;
}

function sayPlan(kind: Many['kind'], { total, unchanged, schedules }: BulkPlan): void {
  print(`Would ${kind} ${total - unchanged} of ${counted(total, 'schedule that matches', 'schedules that match')}.`);
  const rows = schedules
    .slice(0, LISTED)
    .map((one) => [one.scheduleId, one.paused ? 'paused' : 'live', printTime(one.nextFireAt)]);
  if (rows.length > 0) printTable(['SCHEDULE', 'STATE', 'NEXT'], rows);
  if (total > LISTED) print(`… and ${(total - LISTED).toLocaleString('en')} more.`);
}

export function sayStatus(status: BulkStatus): void {
  const { kind, operationId, undoes, undoneBy, state, total, changed, unchanged, left, failed } = status;
  const parts = [
    unchanged > 0 && `${unchanged} ${undoes === null ? 'were already so' : 'were changed since'}`,
    failed > 0 && `${failed} failed`,
    left > 0 && `${left} ${state === 'running' ? 'to go' : 'left as they were'}`,
  ].filter(Boolean);
  const verb = undoes === null ? DONE[kind] : `Undid the ${kind} of`;
  print(
    `${STATES[state]}${verb} ${changed} of ${counted(total, 'schedule')}${parts.map((part) => `; ${part}`).join('')}.`,
  );
  sayErrors(status);
  if (state === 'running')
    print(`'escapement schedule bulk cancel ${operationId}' stops it; the other schedules stay as they are.`);
  else if (undoes === null && undoneBy === null && kind !== 'trigger' && changed > 0) {
    print(`'escapement schedule undo ${operationId}' undoes it.`);
  }
}

export function sayErrors({ errors, failed }: Pick<BulkStatus, 'errors' | 'failed'>): void {
  if (errors.length === 0) return;
  const shown = errors.slice(0, FAILURES_SHOWN).map(({ scheduleId, error }) => `${scheduleId}: ${error}`);
  const others = failed - shown.length;
  printSafely(process.stderr, others > 0 ? [...shown, `… and ${others} more`] : shown);
}
