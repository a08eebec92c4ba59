export interface DevServer {
  port: number;
  /** The port of the Web UI; undefined for no Web UI. */
  uiPort: number | undefined;
  namespace: string;
  /** The SQLite file for the server's state; undefined to keep the state in memory. */
  databaseFile: string | undefined;
  /** Values of the dynamic configuration, in addition to the raised limits. */
  dynamicConfig: Record<string, number>;
}

/** These limits protect a shared production server. Here they would only slow down a thousand starts at once. */
export const LIFTED_LIMITS: Record<string, number> = {
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'frontend.namespaceRPS.visibility': 10_000,
  'frontend.rps.namespaceReplicationInducingAPIs': 1_000,
  'frontend.namespaceRPS.namespaceReplicationInducingAPIs': 1_000,
  'frontend.globalNamespaceRPS.namespaceReplicationInducingAPIs': 1_000,
  'frontend.namespaceCount': 10_000,
  'frontend.persistenceMaxQPS': 100_000,
  'matching.rps': 100_000,
  'matching.persistenceMaxQPS': 100_000,
  'history.rps': 100_000,
  'history.persistenceMaxQPS': 100_000,
};

export function devServerArguments(server: DevServer): string[] {
  return [
    'server',
    'start-dev',
    ...['--ip', '127.0.0.1', '--port', String(server.port)],
    ...(server.uiPort === undefined ? ['--headless'] : ['--ui-port', String(server.uiPort)]),
    ...['--namespace', server.namespace, '--log-level', 'error'],
    ...(server.databaseFile === undefined ? [] : ['--db-filename', server.databaseFile]),
    ...Object.entries({ ...LIFTED_LIMITS, ...server.dynamicConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
  ];
}
