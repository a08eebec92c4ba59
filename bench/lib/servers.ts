import {
  NoWayFoundError,
  providePostgres,
  provideTemporal,
  provideTemporalCluster,
  SECOND_SCHEDULER,
} from '../../provision';
import type { Cleanup } from './cleanup';
import { describePostgres } from './describe-postgres';
import { childrenOf, TELLS_USAGE } from './usage/process-usage';

/** A namespace in which Temporal's own Schedules are measured. */
export interface NativeNamespace {
  series: string;
  namespace: string;
  /** Whether the limit on starts per second of Temporal's scheduler is lifted in this namespace. */
  lifted: boolean;
  /** Whether each schedule in the namespace is a workflow of the server, as in Temporal's first scheduler. */
  isWorkflow: boolean;
}

export interface Servers {
  /**
   * A Postgres whose user may create databases. If Temporal uses Postgres, Temporal's databases are in this Postgres
   * too.
   */
  databaseUrl: string;
  address: string;
  /** The namespace for everything except native Schedules. */
  namespace: string;
  natives: NativeNamespace[];
  /** The process ID of a Temporal server on Postgres that the bench started, if this system shows its processes. */
  temporalProcessId: number | undefined;
  /** Whether Temporal writes to this Postgres, so that the WAL includes its writes. */
  temporalOnPostgres: boolean;
  described: ServersDescription;
}

/** Servers that exist already, and settings for servers that are started. */
export interface GivenServers {
  databaseUrl?: string | undefined;
  temporalAddress?: string | undefined;
  /** The number of history shards of a Temporal server that the bench starts. @default 4 */
  historyShards?: number | undefined;
}

/** Description of the servers in a result. */
export interface ServersDescription {
  temporal: string;
  postgres: Record<string, string>;
}

const CAP = 'worker.schedulerNamespaceStartWorkflowRPS';
const LIFTED_STARTS_PER_SECOND = 100_000;
/** Lifts the limit on starts per second of Temporal's scheduler in all namespaces of a server. */
export const NATIVE_CAP_LIFTED = { [CAP]: LIFTED_STARTS_PER_SECOND };
const NAMESPACE = 'bench';
const LIFTED_NAMESPACE = 'bench-lifted';
const TUNED_NAMESPACE = 'bench-tuned';
const SECOND_NAMESPACE = 'bench-second';
const WORKER_OPTIONS = 'worker.perNamespaceWorkerOptions';
/**
 * Settings of the server's own workers, which run Temporal's schedules: more pollers, and a longer wait on a sticky
 * task queue.
 */
const TUNED_WORKER_OPTIONS = { MaxConcurrentWorkflowTaskPollers: 16, StickyScheduleToStartTimeout: '60s' };
const DEFAULT_SERIES = 'native Schedules V1, default';
const LIFTED_SERIES = 'native Schedules V1, cap lifted';
const TUNED_SERIES = 'native Schedules V1, tuned';
const SECOND_SERIES = 'native Schedules V2';

/**
 * Provides real servers, which are started unless they are given: a Postgres that waits for the disk, and a Temporal
 * server that uses it. If the server cannot be built, the development server is used.
 */
export async function provideServers(
  given: GivenServers,
  cleanup: Cleanup,
  onProgress: (line: string) => void,
): Promise<Servers> {
  const postgres = await providePostgres({ databaseUrl: given.databaseUrl, durable: true, onProgress });
  cleanup.add('stopping Postgres', () => postgres.stop());
  const { databaseUrl } = postgres;
  const temporal = await temporalOf({ ...given, databaseUrl }, cleanup, onProgress);
  return {
    databaseUrl,
    ...temporal,
    described: { temporal: temporal.kind, postgres: await describePostgres(databaseUrl) },
  };
}

async function temporalOf(
  given: GivenServers & { databaseUrl: string },
  cleanup: Cleanup,
  onProgress: (line: string) => void,
) {
  const { historyShards = 4 } = given;
  if (given.temporalAddress) {
    const server = await provideTemporal({ address: given.temporalAddress, onProgress });
    cleanup.add('stopping Temporal', () => server.stop());
    return {
      kind:
        server.source === 'TEMPORAL_ADDRESS'
          ? 'a server that was given, with its own configuration'
          : `Temporal development server (${server.source}), state in memory`,
      address: server.address,
      namespace: server.namespace,
      natives: [
        {
          ...{ series: 'native Schedules, as the server has them', namespace: server.namespace },
          ...{ lifted: false, isWorkflow: true },
        },
      ],
      temporalProcessId: undefined,
      temporalOnPostgres: false,
    };
  }
  try {
    const server = await provideTemporalCluster({
      databaseUrl: given.databaseUrl,
      namespaces: [NAMESPACE, LIFTED_NAMESPACE, TUNED_NAMESPACE, SECOND_NAMESPACE],
      historyShards,
      dynamicConfig: {
        [CAP]: [LIFTED_NAMESPACE, TUNED_NAMESPACE, SECOND_NAMESPACE].map((namespace) => ({
          namespace,
          value: LIFTED_STARTS_PER_SECOND,
        })),
        [WORKER_OPTIONS]: [{ namespace: TUNED_NAMESPACE, value: TUNED_WORKER_OPTIONS }],
        ...Object.fromEntries(
          Object.entries(SECOND_SCHEDULER).map(([key, value]) => [key, [{ namespace: SECOND_NAMESPACE, value }]]),
        ),
      },
      onProgress,
    });
    cleanup.add('stopping Temporal', () => server.stop());
    return {
      kind: `Temporal server ${server.version} on Postgres, all services in one process, ${historyShards} history shards`,
      address: server.address,
      namespace: NAMESPACE,
      natives: [
        { series: DEFAULT_SERIES, namespace: NAMESPACE, lifted: false, isWorkflow: true },
        { series: LIFTED_SERIES, namespace: LIFTED_NAMESPACE, lifted: true, isWorkflow: true },
        { series: TUNED_SERIES, namespace: TUNED_NAMESPACE, lifted: true, isWorkflow: true },
        ...(hasSecondScheduler(server.version)
          ? [{ series: SECOND_SERIES, namespace: SECOND_NAMESPACE, lifted: true, isWorkflow: false }]
          : []),
      ],
      temporalProcessId: TELLS_USAGE ? childrenOf(server.processId!)[0] : undefined,
      temporalOnPostgres: true,
    };
  } catch (error) {
    if (!(error instanceof NoWayFoundError)) throw error;
    onProgress(`${error.message} Going on with the development server.`);
  }
  const server = await provideTemporal({ namespace: NAMESPACE, dynamicConfig: NATIVE_CAP_LIFTED, onProgress });
  cleanup.add('stopping Temporal', () => server.stop());
  return {
    kind: `Temporal development server (${server.source}), state in memory`,
    address: server.address,
    namespace: NAMESPACE,
    // One dynamic configuration applies to all namespaces of the server.
    natives: [{ series: LIFTED_SERIES, namespace: NAMESPACE, lifted: true, isWorkflow: true }],
    temporalProcessId: undefined,
    temporalOnPostgres: false,
  };
}

/** The second scheduler of Temporal is measured on servers from 1.31 on. */
function hasSecondScheduler(version: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  return major! > 1 || minor! >= 31;
}
