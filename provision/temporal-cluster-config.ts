import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freeLowPort, freePort } from './ports';

/** Overrides of the server's dynamic configuration: one value for all namespaces, or one per namespace. */
export type DynamicConfig = Record<string, unknown>;

export interface NamespaceValue {
  namespace: string;
  value: unknown;
}

/** Makes the server create schedules in its new scheduler, which needs no workflow; from server 1.31 on. */
export const SECOND_SCHEDULER: DynamicConfig = {
  'history.enableCHASMSchedulerCreation': true,
  'history.chasmSchedulerCreationRolloutPercent': 100,
};

export interface ClusterFiles {
  args: string[];
  /** The address of the server's frontend, as `host:port`. */
  address: string;
}

/**
 * The content follows the server's own config/development-postgres12.yaml. The files are JSON, which is valid YAML.
 */
export async function writeClusterConfig(
  folder: string,
  databases: { databaseUrl: string; store: string; visibility: string },
  {
    dynamicConfig,
    historyShards,
    tls,
    proxy,
  }: {
    dynamicConfig: DynamicConfig;
    historyShards: number;
    tls?: Record<string, unknown> | undefined;
    proxy?: ((frontend: string) => string) | undefined;
  },
): Promise<ClusterFiles> {
  const services = {
    frontend: await servicePorts(),
    matching: await servicePorts(),
    history: await servicePorts(),
    worker: await servicePorts(),
  };
  const address = `127.0.0.1:${services.frontend.rpc.grpcPort}`;
  const dynamicFile = join(folder, 'dynamic.yaml');
  const config = {
    log: { stdout: true, level: 'error' },
    persistence: {
      defaultStore: 'store',
      visibilityStore: 'visibility',
      numHistoryShards: historyShards,
      datastores: {
        // Each of the four services opens its own pool of connections.
        store: datastore(databases.databaseUrl, databases.store, 20),
        visibility: datastore(databases.databaseUrl, databases.visibility, 5),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' }, ...(tls && { tls }) },
    services,
    ...(proxy && { publicClient: { hostPort: proxy(address) } }),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicFile, pollInterval: '10s' },
  };
  await mkdir(join(folder, 'config'), { recursive: true });
  await writeFile(join(folder, 'config', 'one.yaml'), JSON.stringify(config), { mode: 0o600 });
  await writeFile(dynamicFile, JSON.stringify(dynamicValues(dynamicConfig)));
  return { args: ['--root', folder, '--config', 'config', '--env', 'one', '--allow-no-auth', 'start'], address };
}

async function servicePorts() {
  // The server's membership table stores the port as a smallint.
  return { rpc: { grpcPort: await freePort(), membershipPort: await freeLowPort(), bindOnIP: '127.0.0.1' } };
}

function datastore(databaseUrl: string, databaseName: string, connections: number) {
  const url = new URL(databaseUrl);
  return {
    sql: {
      // This driver keeps prepared statements. The driver `postgres12` prepares each statement again.
      pluginName: 'postgres12_pgx',
      databaseName,
      connectAddr: `${url.hostname}:${url.port || 5432}`,
      connectProtocol: 'tcp',
      user: decodeURIComponent(url.username) || 'postgres',
      password: decodeURIComponent(url.password),
      maxConns: connections,
      maxIdleConns: connections,
      maxConnLifetime: '1h',
    },
  };
}

function dynamicValues(dynamicConfig: DynamicConfig) {
  const constrained = (value: unknown) =>
    Array.isArray(value)
      ? value.map((one: NamespaceValue) => ({ value: one.value, constraints: { namespace: one.namespace } }))
      : [{ value }];
  return Object.fromEntries(Object.entries(dynamicConfig).map(([key, value]) => [key, constrained(value)]));
}
