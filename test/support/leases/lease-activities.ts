import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type ActivityLedgerOptions, leaseInterceptor } from '../../../activities';
import { MemoryLogger } from '../logger';

/** The context of an activity without a worker. The test sees its heartbeats and can cancel it. */
export class TestActivity extends MockActivityEnvironment {
  readonly heartbeats: unknown[] = [];
  /** Warnings of the helpers under test. */
  readonly log: { messages(): string[] };

  constructor(
    postgres: ActivityLedgerOptions | undefined,
    info: ConstructorParameters<typeof MockActivityEnvironment>[0] = {},
  ) {
    const log = new MemoryLogger();
    super(
      {
        activityType: 'chargeCard',
        workflowExecution: { workflowId: 'billing-workflow', runId: randomUUID() },
        startToCloseTimeoutMs: 600_000,
        ...info,
      },
      { logger: log, ...(postgres && { interceptors: [leaseInterceptor(postgres)] }) },
    );
    this.log = { messages: () => log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message) };
    this.on('heartbeat', (details) => this.heartbeats.push(details));
  }

  /** Resolves after this many more heartbeats. */
  async untilHeartbeats(count: number): Promise<void> {
    for (let left = count; left > 0; left--) await new Promise((resolve) => this.once('heartbeat', resolve));
  }
}

/** A promise that the test resolves. */
export function gate<Value = void>(): { promise: Promise<Value>; open(value: Value): void } {
  let open!: (value: Value) => void;
  const promise = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** Resolves when the signal aborts, with its reason. */
export function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason));
  });
}
