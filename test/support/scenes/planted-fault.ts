import type { ConnectionOptions } from '@temporalio/client';
import { expect, inject } from 'vitest';
import type { AlertCondition } from '../../../core/alert-defaults';
import { diagnose } from '../../../doctor/diagnose';
import type { ScheduleOptions } from '../../../index';
import type { Trigger } from '../../../trigger';
import type { TunedTriggerOptions } from '../../../trigger/options';
import { Webhook } from '../alerts/webhook';
import { someSchedule, type TestLedger } from '../ledger';
import type { useWorker } from '../temporal';

/** A fault, with its name in doctor and the alert that reports it. */
export interface Fault {
  fault: string;
  finding: string;
  condition: AlertCondition;
  /** Cause the fault. It lasts until `heal`, or at least until its alert is sent. */
  plant(scene: Scene): Promise<Planted>;
}

export interface Planted {
  /** The trigger that keeps running. */
  trigger: Trigger;
  /** End the fault. */
  heal(): Promise<unknown>;
}

const SECRET = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;

/** A ledger with a webhook and a task queue that a worker polls. */
export class Scene {
  readonly webhook = new Webhook();
  #temporal: ConnectionOptions = { address: inject('temporalAddress') };

  constructor(
    readonly ledger: TestLedger,
    private readonly worker: ReturnType<ReturnType<typeof useWorker>>,
  ) {}

  get taskQueue(): string {
    return this.worker.taskQueue;
  }

  get webhooks() {
    return [{ url: this.webhook.url, secret: SECRET }];
  }

  terminate(workflowId: string) {
    return this.worker.client.workflow.getHandle(workflowId).terminate();
  }

  /** Create an hourly schedule whose workflow succeeds. */
  async schedule(options: Partial<ScheduleOptions> = {}): Promise<string> {
    const action = { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue: this.taskQueue } as const;
    const { scheduleId } = await this.ledger.client.create(someSchedule({ action, ...options }));
    return scheduleId;
  }

  /** A trigger that has made its first passes. */
  async trigger(options: Partial<TunedTriggerOptions> = {}): Promise<Trigger> {
    this.#temporal = options.connection ?? this.#temporal;
    const trigger = await this.ledger.trigger({ alerts: { webhooks: this.webhooks }, ...options });
    await this.go(trigger, 5);
    return trigger;
  }

  /** Advance the clock, then run each pass once as the loops do. A pass that fails is retried by the next call. */
  async go({ passes }: Trigger, seconds: number, { without = [] as (keyof Trigger['passes'])[] } = {}): Promise<void> {
    this.ledger.clock.advance(seconds * 1_000);
    const order = [
      ...(['heartbeat', 'sweep', 'claim', 'verify', 'askAway', 'reconcile', 'dispatch', 'observe'] as const),
      ...(['heartbeat', 'alert', 'sendAlerts'] as const),
    ];
    for (const pass of order) if (!without.includes(pass)) await passes[pass]().catch(() => undefined);
  }

  /** {@link go} at a time of the first of March. */
  async goTo(trigger: Trigger, time: string, options: Parameters<Scene['go']>[2] = {}): Promise<void> {
    this.ledger.clock.set(`2026-03-01T${time}Z`);
    await this.go(trigger, 0, options);
  }

  /** The IDs of doctor's findings. */
  async findings(): Promise<string[]> {
    const findings = await diagnose({
      postgres: { connectionString: this.ledger.databaseUrl },
      temporal: { connection: this.#temporal, namespaces: {}, namespace: 'default' },
      now: () => this.ledger.clock.now(),
    });
    return findings.map(({ id }) => id);
  }

  /** The messages that the webhook got about a condition, in order. */
  told(condition: AlertCondition): string[] {
    return this.webhook.received
      .filter(({ message }) => message.data.condition === condition)
      .map(({ message }) => message.type.replace('alert.', ''));
  }
}

/** Plant a fault. Doctor must name it. Its alert must be opened, delivered once and resolved. */
export async function playFault(scene: Scene, { finding, condition, plant }: Fault): Promise<void> {
  await scene.webhook.listen();
  scene.ledger.beforeClose(() => scene.webhook.close());
  await scene.schedule();
  await scene.ledger.query(
    `select escapement.ensure_partition('2026-03-01Z'), escapement.ensure_partition('2026-04-01Z')`,
  );
  // No trigger is alive yet, so that finding is expected and left out.
  expect((await scene.findings()).filter((id) => id !== 'no_trigger')).toEqual([]);

  const { trigger, heal } = await plant(scene);
  expect(await scene.findings()).toContain(finding);
  await scene.go(trigger, 5);
  expect(scene.told(condition)).toEqual(['opened']);

  await heal();
  for (let pass = 0; pass < 2; pass++) await scene.go(trigger, 5);
  expect(scene.told(condition)).toEqual(['opened', 'resolved']);
  const ids = scene.webhook.received.filter(({ message }) => message.data.condition === condition);
  expect(new Set(ids.map(({ message }) => message.data.alertId)).size).toBe(1);
  expect(await scene.findings()).not.toContain(finding);
  const alerts = await scene.ledger.client.alerts.list({ resolved: true });
  expect(alerts.filter((alert) => alert.condition === condition)).toMatchObject([{ resolvedAt: expect.any(Date) }]);
}
