export interface DevServer {
  port: number;
  /** Port of the Web UI; undefined for none. */
  uiPort: number | undefined;
  namespace: string;
  /** SQLite file of the state; undefined to keep it in memory. */
  databaseFile: string | undefined;
  /** In addition to the raised limits. */
  dynamicConfig: Record<string, number>;
}

/**
 * Raised limits. They protect a shared production server, and would only slow down a thousand starts at once here. They
 * concern requests per second (frontend 2,400, matching 1,200, history 3,000), listings (100), namespaces (1 per
 * second) and open long polls.
 */
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

/** The arguments that make the Temporal CLI a server on the loopback interface. */
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
