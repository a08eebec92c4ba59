import { Cleanup } from './cleanup';
import { play } from './play';
import { type Scene, setUp } from './set-up';
import type { Verdict } from './verdict';

export interface DemoOptions {
  /** End this long after the first claim. Default: until `stop` is aborted. */
  seconds?: number;
  databaseUrl?: string;
  temporalAddress?: string;
  environment: NodeJS.ProcessEnv;
  /** Aborted when the demo should end. */
  stop: AbortSignal;
}

/**
 * @returns the exit code
 * @throws {Error} with one sentence if the set-up fails, or if a process ends unexpectedly
 */
export async function demo(options: DemoOptions): Promise<number> {
  const cleanup = new Cleanup();
  const failed = new AbortController();
  const onFailed = (error: Error) => failed.abort(error);
  let verdict: Verdict | undefined;
  try {
    const scene = await setUp({ ...options, onFailed }, cleanup);
    describe(scene, options);
    verdict = await play({ ...options, scene, cleanup, failed: failed.signal, onFailed });
    console.log(`The e-mails and the logs stay in ${scene.folder}`);
  } catch (error) {
    if (!options.stop.aborted || error !== options.stop.reason) throw error;
  } finally {
    await cleanup.run();
  }
  return report(verdict);
}

function describe({ servers, folder, mailFolder, names, dashboardUrl }: Scene, given: DemoOptions): void {
  const lines = [
    '',
    `Dashboard          ${dashboardUrl}`,
    `Temporal's Web UI  ${servers.uiUrl ?? `(that of the server at ${servers.temporalAddress})`}`,
    // Hide the password in a given address. Our own server is thrown away together with its password.
    `Postgres           ${given.databaseUrl ? '(that of DATABASE_URL)' : servers.databaseUrl}`,
    `  ledger           schema ${names.ledger}`,
    `  invoices         schema ${names.shop}`,
    `E-mails            ${mailFolder}`,
    `Logs               ${folder}`,
    '',
  ];
  console.log(lines.join('\n'));
}

function report(verdict: Verdict | undefined): number {
  if (!verdict) {
    console.log('demo: stopped before anything was claimed');
    return 0;
  }
  const { totals, lost, doubled } = verdict;
  if (totals.skipped + totals.abandoned > 0) {
    console.log(
      `Answered without a workflow: ${totals.skipped} skipped, ${totals.abandoned} abandoned; the reasons are above.`,
    );
  }
  for (const sentence of [...lost, ...doubled]) console.log(`demo: ${sentence}`);
  const { claimed, linked, closed, recovered } = totals;
  const counts = `demo: claimed ${claimed}, linked ${linked}, closed ${closed}, recovered ${recovered}, lost ${lost.length}`;
  console.log(doubled.length > 0 ? `${counts}, doubled ${doubled.length}` : counts);
  return lost.length + doubled.length > 0 ? 1 : 0;
}
