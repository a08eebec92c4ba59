import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { readChains } from '../../chaos/check/read-temporal';
import { saveEvidence } from '../../chaos/evidence';
import { NAMESPACE } from '../../chaos/workload/definitions';
import { goodFacts } from '../chaos/good-facts';
import { uniqueName } from '../support/ledger';
import { type Calls, withCalls } from '../support/temporal-calls';

let client: Client;
beforeAll(async () => {
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(() => client.connection.close());

const FIRING = { scheduleId: 'each-1', scheduledTime: '2026-11-25T06:00:00.000Z', epoch: 0, kind: 'schedule' };

/** Starts two chains of a firing under one workflow ID, as no trigger may: the first is terminated, the second runs. */
async function startTwice() {
  const workflowId = uniqueName('doubled');
  const start = () =>
    client.workflow.start('nothing', { workflowId, taskQueue: 'nobody', memo: { escapement: FIRING } });
  const first = await start();
  await first.terminate();
  const second = await start();
  onTestFinished(() => void second.terminate());
  return { workflowId, first: first.firstExecutionRunId, second: second.firstExecutionRunId };
}

/** Reads the chains of a workflow ID through a list that shows what the hook leaves of the real answer. */
async function readThrough(
  { workflowId, first, second }: Awaited<ReturnType<typeof startTwice>>,
  listed: { runId: string; isEnded: boolean }[],
) {
  const listWorkflowExecutions: Calls['listWorkflowExecutions'] = async () =>
    ({
      executions: listed.map(({ runId, isEnded }) => ({
        ...{ execution: { workflowId, runId }, status: isEnded ? 5 : 1 },
        ...(isEnded && { closeTime: { seconds: 1 } }),
      })),
    }) as never;
  const connection = withCalls(client, { listWorkflowExecutions }).connection as Connection;
  const known = [first, second].map((runId) => ({ workflowId, runId }));
  const chains = await readChains(connection, NAMESPACE, known);
  return new Map(chains.map(({ firstRunId, status, isListedAsEnded }) => [firstRunId, { status, isListedAsEnded }]));
}

it('a run that the ledger names is read although Temporal lists only another run under its workflow ID', async () => {
  const ran = await startTwice();
  const chains = await readThrough(ran, [{ runId: ran.second, isEnded: false }]);
  expect(chains.get(ran.first)).toEqual({ status: 'TERMINATED', isListedAsEnded: false });
  expect(chains.get(ran.second)).toEqual({ status: 'RUNNING', isListedAsEnded: false });
  expect(chains.size).toBe(2);
});

it('the end of a run that Temporal lists as open is read from that run, and from no later one of its ID', async () => {
  const ran = await startTwice();
  const chains = await readThrough(ran, [{ runId: ran.first, isEnded: false }]);
  expect(chains.get(ran.first)).toEqual({ status: 'TERMINATED', isListedAsEnded: false });
});

it('the evidence of a chaos run has the history of each accused chain, also of two under one workflow ID', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-evidence-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { workflowId, first, second } = await startTwice();
  const facts = goodFacts();
  const [one] = facts.chains;
  facts.chains = [first, second].map((firstRunId) => ({ ...one!, workflowId, firstRunId }));
  const violations = [{ kind: 'doubled' as const, text: 'each-1 at 2026-11-25T06:00:00.000Z ran 2 times' }];
  await saveEvidence(inject('temporalAddress'), join(folder, 'log.jsonl'), facts, violations);
  const histories = readdirSync(folder).filter((name) => name.includes(workflowId));
  const runIds = histories.map((name) => {
    const { events } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return events[0].workflowExecutionStartedEventAttributes.originalExecutionRunId;
  });
  expect(runIds.sort()).toEqual([first, second].sort());
});
