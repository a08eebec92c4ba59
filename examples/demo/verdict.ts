import type { Client } from '@temporalio/client';
import { type EscapementClient, type Firing, nextOccurrences, type ScheduleOptions } from 'escapement';
import type { Pool } from 'pg';
import { type Chains, chainsOf } from './chains';
import { clock, nameOf } from './format';
import { readTotals, type Totals } from './totals';

/**
 * An occurrence that was due less than this before the pause need not have a firing, since the pause may have come
 * before its claim.
 */
const JUST_DUE_MILLISECONDS = 2_000;

/** The result of the demo, according to the ledger and Temporal. */
export interface Verdict {
  totals: Totals;
  /** Occurrences without a firing, firings that did not end, and runs that Temporal does not know, in words. */
  lost: string[];
  /** Firings with more than one workflow, and workflows without a firing. */
  doubled: string[];
}

/** Compare the ledger with the schedules' own times and with Temporal. */
export async function judge(run: {
  client: EscapementClient;
  temporal: Client;
  pool: Pool;
  ledger: string;
  workflowIdPrefix: string;
  schedules: ScheduleOptions[];
  /** When the schedules were paused. */
  pausedAt: Date;
}): Promise<Verdict> {
  const firings: Firing[] = [];
  for await (const firing of run.client.firings({ pageSize: 1_000 })) firings.push(firing);
  const started = firings.filter((firing) => firing.runId !== null);
  const chains = await chainsOf(
    run.temporal,
    run.workflowIdPrefix,
    started.map((firing) => firing.workflowId!),
  );
  return {
    totals: await readTotals(run.pool, run.ledger),
    lost: [...(await unanswered(run, firings)), ...withoutEnd(firings), ...unknownToTemporal(started, chains)],
    doubled: [...doubles(started, chains), ...strangers(firings, chains)],
  };
}

/**
 * Occurrences of the specs without a firing. The demo pauses nothing before its end, so none may be missing.
 * Occurrences before a schedule's creation in the ledger do not count.
 */
async function unanswered(
  { client, schedules, pausedAt }: { client: EscapementClient; schedules: ScheduleOptions[]; pausedAt: Date },
  firings: Firing[],
): Promise<string[]> {
  const answered = new Set(firings.map(nameOfKey));
  const end = pausedAt.getTime() - JUST_DUE_MILLISECONDS;
  const missing: string[] = [];
  for (const { scheduleId, spec } of schedules) {
    const { createdAt } = (await client.getHandle(scheduleId).describe()).info;
    const count = Math.ceil((pausedAt.getTime() - createdAt.getTime()) / 1_000) + 1;
    for (const time of nextOccurrences(spec, { after: createdAt, count, scheduleId })) {
      if (time.getTime() > end || answered.has(nameOfKey({ scheduleId, scheduledTime: time }))) continue;
      missing.push(`${scheduleId} ${clock(time)} was never claimed`);
    }
  }
  return missing;
}

function nameOfKey({ scheduleId, scheduledTime }: Pick<Firing, 'scheduleId' | 'scheduledTime'>): string {
  return `${scheduledTime.getTime()} ${scheduleId}`;
}

function withoutEnd(firings: Firing[]): string[] {
  return firings
    .filter(({ state }) => state === 'buffered' || state === 'claimed' || state === 'linked')
    .map((firing) => `${nameOf(firing)} is still ${firing.state}`);
}

function unknownToTemporal(started: Firing[], chains: Chains): string[] {
  return started
    .filter((firing) => !chains.get(firing.workflowId!)?.has(firing.runId!))
    .map((firing) => `${nameOf(firing)} names a run that Temporal does not know`);
}

function doubles(started: Firing[], chains: Chains): string[] {
  return started
    .filter((firing) => (chains.get(firing.workflowId!)?.size ?? 0) > 1)
    .map((firing) => `${nameOf(firing)} ran ${chains.get(firing.workflowId!)?.size} times`);
}

function strangers(firings: Firing[], chains: Chains): string[] {
  const known = new Set(firings.map((firing) => firing.workflowId));
  return [...chains.keys()].filter((id) => !known.has(id)).map((id) => `${id} runs without a firing`);
}
