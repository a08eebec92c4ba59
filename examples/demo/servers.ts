import { providePostgres, provideTemporal } from '../../provision';
import type { Cleanup } from './cleanup';

/** Where the servers of a demo are. */
export interface Servers {
  databaseUrl: string;
  temporalAddress: string;
  /** Temporal's Web UI, unless the server was given. */
  uiUrl: string | undefined;
  namespace: string;
}

/** The servers of `escapement dev`: those that were given, else our own. */
export async function provideServers(
  given: { databaseUrl?: string; temporalAddress?: string; stop: AbortSignal },
  cleanup: Cleanup,
): Promise<Servers> {
  const onProgress = (line: string) => console.log(line);
  const postgres = await providePostgres({ databaseUrl: given.databaseUrl, onProgress });
  cleanup.add('stopping Postgres', () => postgres.stop());
  given.stop.throwIfAborted();
  const temporal = await provideTemporal({ address: given.temporalAddress, ui: true, onProgress });
  cleanup.add('stopping Temporal', () => temporal.stop());
  given.stop.throwIfAborted();
  const { address: temporalAddress, uiUrl, namespace } = temporal;
  return { databaseUrl: postgres.databaseUrl, temporalAddress, uiUrl, namespace };
}
