import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, inject, onTestFinished, vi } from 'vitest';
import type { ParkDecision } from '../../../core/letters/park';
import type { SchedulePolicies } from '../../../core/schedule/policies';
import { EscapementPlugin, type EscapementPluginOptions } from '../../../plugin';
import { urlFor } from '../least-privilege';
import { someSchedule, type TestLedger, uniqueName } from '../ledger';
import { bundleOf } from '../packages/bundles';
import { quietSdk } from '../quiet-sdk';
import { registerNamespace } from '../temporal';

const WORKFLOWS = require.resolve('./park-workflows.ts');

/** The activities of an order, some of which fail until they are repaired. */
export class Steps {
  readonly calls: string[] = [];
  readonly broken = new Set<string>();
  readonly activities = {
    chargeCard: (order: string) => this.#run('chargeCard', order),
    sendMail: (order: string) => this.#run('sendMail', order),
    look: (order: string) => this.#run('look', order),
  };

  async #run(name: string, order: string): Promise<string> {
    this.calls.push(name);
    if (this.broken.has(name)) throw new Error(`${name} of ${order} does not work`);
    return `${name} ${order}`;
  }
}

/** One connection of each kind for the tests of a file, which may have a namespace of their own. */
export function useParking(ledger: () => TestLedger, { ownNamespace = false } = {}) {
  let namespace = 'default';
  let native: NativeConnection;
  let client: Client;
  let plain: { code: string };
  let parking: { code: string };
  beforeAll(async () => {
    quietSdk();
    const address = inject('temporalAddress');
    native = await NativeConnection.connect({ address });
    const connection = await Connection.connect({ address });
    if (ownNamespace) namespace = await registerNamespace(connection);
    client = new Client({ connection, namespace });
    plain = await bundleOf(WORKFLOWS);
    parking = await bundleOf(WORKFLOWS, { park: true });
  });
  afterAll(async () => {
    await client.connection.close();
    await native.close();
  });

  const plugin = (options: EscapementPluginOptions = {}) =>
    new EscapementPlugin({
      connectionString: urlFor(ledger().databaseUrl, 'worker'),
      park: ['chargeCard'],
      ...options,
    });

  return {
    plugin,
    client: () => client,

    /** The bundle that was built without the plugin. */
    plainBundle: () => plain,

    /** A worker that runs until it is stopped, or until the test ends. */
    async work(options: Partial<WorkerOptions> & { taskQueue: string }) {
      const bundle = options.plugins?.length ? parking : plain;
      const worker = await Worker.create({ connection: native, namespace, workflowBundle: bundle, ...options });
      const running = worker.run();
      const stop = async () => {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
      };
      onTestFinished(stop);
      return { stop };
    },

    /** Fire a schedule of this workflow. */
    async fire(
      workflowType: string,
      taskQueue: string,
      args: unknown[] = ['A1'],
      options: SchedulePolicies & { softTimeout?: Duration; workflowTaskTimeout?: Duration } = {},
    ): Promise<WorkflowHandle> {
      const { softTimeout, workflowTaskTimeout, ...policies } = options;
      const timeouts = { softTimeout, workflowTaskTimeout };
      const action = { type: 'startWorkflow' as const, workflowType, taskQueue, args, ...timeouts };
      const handle = await ledger().client.create(someSchedule({ action, policies, namespace }));
      const trigger = await ledger().trigger();
      // Advance to the schedule's next occurrence.
      ledger().clock.advance(60 * 60 * 1_000);
      await trigger.passes.claim();
      await trigger.passes.dispatch();
      const [firing] = await ledger().firings(handle.scheduleId);
      return client.workflow.getHandle(firing!.workflowId!);
    },

    /** Fire a workflow of two steps at once, both of which fail and are parked. */
    async fireBroken(): Promise<{ steps: Steps; execution: WorkflowHandle }> {
      const taskQueue = uniqueName('queue');
      const steps = new Steps();
      steps.broken.add('chargeCard').add('sendMail');
      await this.work({ taskQueue, activities: steps.activities, plugins: [plugin({ park: 'all' })] });
      return { steps, execution: await this.fire('both', taskQueue) };
    },

    /** The dead letters, once this many are open. */
    letters(count: number) {
      return vi.waitFor(async () => {
        const rows = await ledger().query(`select * from escapement.dead_letters where state = 'open'`);
        if (rows.length !== count) throw new Error(`${rows.length} letters`);
        return rows;
      }, 60_000);
    },

    async decide(execution: WorkflowHandle, decision: ParkDecision): Promise<void> {
      await execution.signal<[ParkDecision]>('escapementPark', decision);
    },

    /** Reset the run to its last completed workflow task, or its first one, as a person does in the Temporal UI. */
    async reset(execution: WorkflowHandle, task: 'first' | 'last'): Promise<string> {
      const { events } = await execution.fetchHistory();
      const done = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
      const { runId } = await execution.describe();
      const answer = await client.workflowService.resetWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: execution.workflowId, runId },
        workflowTaskFinishEventId: done.at(task === 'first' ? 0 : -1)!.eventId!,
        requestId: randomUUID(),
        reason: 'mended',
      });
      return answer.runId;
    },

    /** Replay a history on a worker with or without the plugin. */
    async replay(execution: WorkflowHandle, plugins: EscapementPlugin[]): Promise<void> {
      await Worker.runReplayHistory(
        { workflowBundle: plugins.length ? parking : plain, plugins, replayName: uniqueName('replay') },
        await execution.fetchHistory(),
        execution.workflowId,
      );
    },
  };
}

/** Types of a run's events. */
export async function eventTypes(execution: WorkflowHandle): Promise<string[]> {
  const { events } = await execution.fetchHistory();
  return (events ?? []).map((event) => Object.keys(event).find((key) => key.endsWith('EventAttributes'))!);
}
