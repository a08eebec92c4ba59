import { Bench } from './lib/bench';
import { Cleanup } from './lib/cleanup';
import { MeasuredCommit } from './lib/commit';
import { reportOf, type SceneReport, writeReport } from './lib/report/report';
import type { Findings } from './lib/result';
import type { Scene } from './lib/scene';
import { provideServers } from './lib/servers';

export interface RunOptions {
  scenes: readonly Scene[];
  quick: boolean;
  /** Fields of the scenes' sizes to change: see {@link Scene.prepare}. */
  changes?: Record<string, unknown> | undefined;
  /** Folder for reports and plots. If no folder is given, nothing is written. */
  out?: string | undefined;
  databaseUrl?: string | undefined;
  temporalAddress?: string | undefined;
  historyShards?: number | undefined;
  onProgress: (line: string) => void;
  /** Aborting this signal ends the run: started processes are stopped, and the promise rejects with the reason. */
  stop?: AbortSignal;
  /** A function that is called after each scene. */
  onReport?: (report: SceneReport) => Promise<void>;
}

/** Run scenes one after the other on the same servers, and stop everything that was started. */
export async function runScenes(options: RunOptions): Promise<SceneReport[]> {
  const { stop = new AbortController().signal } = options;
  const cleanup = new Cleanup(options.onProgress);
  const stopped = new Promise<never>((_, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason), { once: true });
  });
  stopped.catch(() => {});
  try {
    return await Promise.race([measure(options, cleanup), stopped]);
  } finally {
    await cleanup.run();
  }
}

async function measure(options: RunOptions, cleanup: Cleanup): Promise<SceneReport[]> {
  const { quick, changes, out, onProgress } = options;
  const prepared = options.scenes.map((scene) => ({ scene, ...scene.prepare({ quick, changes }) }));
  const commit = await MeasuredCommit.read();
  const servers = await provideServers(options, cleanup, onProgress);
  onProgress(`servers: ${servers.described.temporal}`);
  const bench = await Bench.create(servers, cleanup, onProgress);
  const reports: SceneReport[] = [];
  for (const { scene, size, run } of prepared) {
    onProgress(`${scene.name}: ${scene.title}`);
    const begun = performance.now();
    const findings: Findings = await run(bench);
    const seconds = (performance.now() - begun) / 1_000;
    const measured = await commit.describe();
    const report = reportOf(scene, findings, { quick, size, seconds, servers: servers.described, commit: measured });
    onProgress(`${scene.name}: done in ${Math.round(seconds)} s`);
    if (out !== undefined) await writeReport(out, report, findings);
    await options.onReport?.(report);
    reports.push(report);
  }
  return reports;
}
