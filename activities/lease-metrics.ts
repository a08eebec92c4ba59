import { Gauge, Histogram, type Registry } from 'prom-client';

export const WORKER_METRICS = {
  waiting: {
    type: 'gauge',
    name: 'escapement_leases_waited_for',
    help: 'Activities of this process that wait for a lease.',
    labels: [],
  },
  wait: {
    type: 'histogram',
    name: 'escapement_lease_wait_seconds',
    help: 'How long activities waited for a lease, until they got it or gave up.',
    labels: [],
    /** Upper bounds in seconds. */
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600],
  },
} as const;

export class LeaseMetrics {
  readonly #waiting: Gauge | undefined;
  readonly #wait: Histogram | undefined;

  constructor(registry: Registry | undefined) {
    if (!registry) return;
    const registers = [registry];
    const { waiting, wait } = WORKER_METRICS;
    const known = (name: string) => registry.getSingleMetric(name);
    this.#waiting = (known(waiting.name) as Gauge) ?? new Gauge({ ...waiting, labelNames: [], registers });
    this.#wait =
      (known(wait.name) as Histogram) ??
      new Histogram({ name: wait.name, help: wait.help, buckets: [...wait.buckets], registers });
  }

  /** `wait` calls `onHeld` before each pause; only the first call counts. */
  async during<Result>(wait: (onHeld: () => void) => Promise<Result>): Promise<Result> {
    const since = performance.now();
    let isWaiting = false;
    try {
      return await wait(() => {
        if (!isWaiting) this.#waiting?.inc();
        isWaiting = true;
      });
    } finally {
      if (isWaiting) this.#waiting?.dec();
      this.#wait?.observe((performance.now() - since) / 1_000);
    }
  }
}
