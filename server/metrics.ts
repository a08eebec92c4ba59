import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of a server, which docs/metrics.md describes. */
export const SERVER_METRICS = {
  requests: {
    type: 'counter',
    name: 'escapement_api_requests_total',
    help: 'Answered requests, without streams and unreadable addresses; API routes are named as in /openapi.json.',
    labels: ['route', 'method', 'status'],
  },
  duration: {
    type: 'histogram',
    name: 'escapement_api_request_duration_seconds',
    help: 'From a request to the end of its answer; streams of events are left out.',
    labels: ['route', 'method'],
  },
  readers: {
    type: 'gauge',
    name: 'escapement_api_event_readers',
    help: 'Readers of /v1/events now.',
    labels: [],
  },
} as const;

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The label for requests to no known route, since callers can make up any path. */
const NO_ROUTE = 'none';

/**
 * Counts requests, and measures how long they take. Servers of one process that share a registry share these metrics.
 */
export class ServerMetrics {
  readonly #requests: Counter;
  readonly #duration: Histogram;
  readonly #readers: Gauge;
  /** The answers that are streams of events, which are not counted as requests. */
  readonly #streams = new WeakSet<ServerResponse>();

  constructor(readonly registry: Registry = new Registry()) {
    const options = ({ name, help, labels }: { name: string; help: string; labels: readonly string[] }) => ({
      ...{ name, help, labelNames: [...labels], registers: [registry] },
    });
    const known = <Metric>(name: string, make: () => Metric) =>
      (registry.getSingleMetric(name) as Metric | undefined) ?? make();
    const { requests, duration, readers } = SERVER_METRICS;
    this.#requests = known(requests.name, () => new Counter(options(requests)));
    this.#duration = known(duration.name, () => new Histogram({ ...options(duration), buckets: DURATION_BUCKETS }));
    this.#readers = known(readers.name, () => new Gauge(options(readers)));
  }

  measure(app: FastifyInstance, basePath: string): void {
    app.addHook('onResponse', async (request, reply) => {
      if (this.#streams.has(reply.raw)) return;
      const { method, routeOptions } = request;
      const route = readable(routeOptions.url?.slice(basePath.length));
      this.#requests.inc({ route, method, status: reply.statusCode });
      this.#duration.observe({ route, method }, reply.elapsedTime / 1_000);
    });
  }

  reader(stream: ServerResponse): void {
    this.#streams.add(stream);
    this.#readers.inc();
    stream.once('close', () => this.#readers.dec());
  }
}

function readable(url: string | undefined): string {
  return url === undefined || url.includes('*') ? NO_ROUTE : url.replace(/:(\w+)/g, '{$1}') || '/';
}
