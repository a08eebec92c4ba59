import type { Command } from 'commander';
import type { OperationsEndpoint, OperationsOptions } from '../server/operations';
import { serveOperations } from '../server/operations';
import type { Environment } from './environment';
import { parsePort } from './options/arguments';

export interface MetricsFlags {
  metricsPort?: number;
  metricsHost?: string;
}

export function withMetrics(command: Command): Command {
  return command
    .option(
      '--metrics-port <port>',
      'serve /metrics for Prometheus, /healthz and /readyz there; 0 for any free port (default: ESCAPEMENT_METRICS_PORT, else none)',
      parsePort,
    )
    .option('--metrics-host <host>', 'on this address (default: 0.0.0.0, which means all IPv4 addresses)');
}

/**
 * Serve a process's metrics if a port is given. By default the metrics are served on every network interface, since
 * Prometheus usually runs on another host.
 *
 * @throws {Error} if the port cannot be opened, or ESCAPEMENT_METRICS_PORT has no port
 */
export async function serveMetrics(
  { metricsPort, metricsHost: host = '0.0.0.0' }: MetricsFlags,
  { metricsPort: variable }: Pick<Environment, 'metricsPort'>,
  served: Pick<OperationsOptions, 'registry' | 'health'>,
): Promise<OperationsEndpoint | undefined> {
  const port = metricsPort ?? portOf(variable);
  if (port === undefined) return undefined;
  try {
    return await serveOperations({ port, host, ...served });
  } catch (error) {
    throw new Error(`metrics cannot be served on ${host}:${port}: ${(error as Error).message}`, { cause: error });
  }
}

function portOf(variable: string | undefined): number | undefined {
  if (variable === undefined) return undefined;
  try {
    return parsePort(variable);
  } catch (error) {
    throw new Error(`ESCAPEMENT_METRICS_PORT: ${(error as Error).message}`);
  }
}
