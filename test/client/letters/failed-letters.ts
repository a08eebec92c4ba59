import { randomUUID } from 'node:crypto';
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { expect, inject, onTestFinished } from 'vitest';
import type { LetterFilter } from '../../../index';
import { useDeployments } from '../../support/deployment/deployments';
import { someSchedule, useLedger } from '../../support/ledger';

/** A ledger with the letters of firings that failed. */
export function useFailedLetters() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  const deployments = useDeployments();

  /** A letter as a trigger writes it, for an existing schedule. */
  async function letterOf(
    scheduleId: string,
    row: { kind?: string; state?: string; at?: string; workflowId?: string } = {},
  ) {
    const letterId = randomUUID();
    const kind = row.kind ?? 'workflow';
    const at = row.at ?? '2026-03-01T00:00:00Z';
    const state = kind === 'parked' ? 'linked' : kind === 'start' ? 'abandoned' : 'closed';
    await ledger().query(`select escapement.ensure_partition($1)`, [at]);
    await ledger().query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, reason, kind, namespace, schedule_version,
         workflow_id, claimed_at)
       values ($1, $2, $3, case $3 when 'closed' then 'failed' end, case $3 when 'abandoned' then 'retries' end, 'schedule', 'default', 1,
         $4, $2) on conflict do nothing`,
      [scheduleId, at, state, row.workflowId ?? 'w'],
    );
    await ledger().query(
      `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id,
         created_at, updated_at)
       values ($1, $2, $5, 0, $3, $4, 'failed', 'default', $6, $5, $5)`,
      [letterId, scheduleId, kind, row.state ?? 'open', at, row.workflowId ?? 'w'],
    );
    return letterId;
  }

  async function listed(filter: LetterFilter & { pageSize?: number } = {}): Promise<string[]> {
    const ids: string[] = [];
    for await (const letter of ledger().client.deadLetters.list(filter)) ids.push(letter.letterId);
    return ids;
  }

  async function someScheduleId(): Promise<string> {
    return (await ledger().client.create(someSchedule())).scheduleId;
  }

  type WithTemporal = ConnectionOptions & { isAway?: boolean };

  /** A client of Temporal, or of an address where nobody answers, and where the SDK does not call again. */
  async function temporalClient({ isAway = false, ...more }: WithTemporal = {}) {
    const away = { address: '127.0.0.1:1', interceptors: [] };
    const options = isAway ? away : { address: inject('temporalAddress'), ...more };
    const connection = Connection.lazy({ ...options, connectTimeout: '1 second' });
    onTestFinished(() => connection.close());
    return new Client({ connection });
  }

  async function withTemporal(options: WithTemporal = {}) {
    return ledger().newClient({ temporal: await temporalClient(options) });
  }

  /** A workflow that has failed with a step beside the failed one, and its letter. */
  async function failedBeside(): Promise<string> {
    const { client, taskQueue, deploy } = deployments();
    await deploy({
      pack: async () => 'parcel',
      mail: async () => {},
      chargeCard: async () => {
        throw new Error('no money');
      },
    });
    const scheduleId = await someScheduleId();
    const workflowId = `${scheduleId}-failed`;
    const run = await client.workflow.start('fulfils', { workflowId, taskQueue, args: [true] });
    await expect(run.result()).rejects.toThrow();
    const letterId = await letterOf(scheduleId, { workflowId });
    await ledger().query('update escapement.dead_letters set run_id = $1 where letter_id = $2', [
      run.firstExecutionRunId,
      letterId,
    ]);
    return letterId;
  }

  return { ledger, deployments, letterOf, listed, someScheduleId, temporalClient, withTemporal, failedBeside };
}
