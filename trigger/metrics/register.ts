import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricDefinition } from './definitions';

export type Registered<Definitions extends Record<string, MetricDefinition>> = {
  [Key in keyof Definitions]: { counter: Counter; histogram: Histogram; gauge: Gauge }[Definitions[Key]['type']];
};

/** Register each metric once. Triggers of one process that share a registry share its metrics. */
export function register<Definitions extends Record<string, MetricDefinition>>(
  registry: Registry,
  definitions: Definitions,
): Registered<Definitions> {
  const entries = Object.entries(definitions).map(([key, definition]) => {
    const { type, name, help, labels, buckets } = definition;
    const known = registry.getSingleMetric(name);
    if (known) return [key, known];
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'counter') return [key, new Counter(options)];
    if (type === 'gauge') return [key, new Gauge(options)];
    return [key, new Histogram({ ...options, buckets: [...buckets!] })];
  });
  return Object.fromEntries(entries);
}
