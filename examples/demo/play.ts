import { join } from 'node:path';
import type { ScheduleOptions } from 'escapement';
import type { Cleanup } from './cleanup';
import { drain } from './drain';
import { clock, nameOf } from './format';
import { type KilledInFlight, killInMidFlight } from './kill';
import { openView } from './open-view';
import { openReplyGate } from './reply-gate';
import { demoSchedules } from './schedules';
import { emptyTemporalConfiguration, type Scene } from './set-up';
import { TriggerProcess, triggerEnvironment } from './trigger-process';
import { judge, type Verdict } from './verdict';
import type { View } from './view';
import { aborted, abortedAfter, anyOf, pause } from './wait';
import { type Reading, Watch } from './watch';

const FIRST_CLAIM_WITHIN_MILLISECONDS = 60_000;

export interface Play {
  scene: Scene;
  seconds?: number;
  environment: NodeJS.ProcessEnv;
  stop: AbortSignal;
  /** Aborted with the reason if a process ends unexpectedly. */
  failed: AbortSignal;
  onFailed: (error: Error) => void;
  cleanup: Cleanup;
}

/** Register the schedules, run a trigger, kill it, start another one, and check the result. */
export async function play(part: Play): Promise<Verdict> {
  const { scene, cleanup, failed } = part;
  const { client, pool, names } = scene;
  const ended = anyOf(part.stop, failed);
  const view = openView(scene.servers.uiUrl);
  const watch = new Watch({ client, pool, schema: names.ledger, view });
  const gate = await openReplyGate(scene.servers.temporalAddress);
  cleanup.add('closing the relay', () => gate.close());
  const startTrigger = await triggers(part, view);

  const byName = demoSchedules(names);
  const schedules = Object.values(byName) as ScheduleOptions[];
  for (const schedule of schedules) await client.create(schedule);
  const first = startTrigger(1, gate.address);
  const watching = watch.run().catch(part.onFailed);
  try {
    await firstClaim(watch, ended);
    failed.throwIfAborted();
    const theEnd = part.seconds === undefined ? ended : abortedAfter(part.seconds * 1_000, ended);
    const killed = await killInMidFlight(
      { ...scene, gate, trigger: first },
      byName.billUsage as ScheduleOptions,
      theEnd,
    );
    if (killed) {
      view.note(sentenceOfKill(first, killed));
      startTrigger(2, scene.servers.temporalAddress);
      noteRecovery(watch, view, killed);
    }
    await aborted(theEnd);
    failed.throwIfAborted();
    view.note(
      'draining: late claims are finished, then the schedules are paused and what has begun comes to its end (30 s at most; a second Ctrl-C ends at once)',
    );
    const pausedAt = await drain(
      watch,
      client,
      schedules.map(({ scheduleId }) => scheduleId),
    );
    failed.throwIfAborted();
    return await judge({ ...scene, ...names, schedules, pausedAt });
  } finally {
    watch.stop();
    await watching;
    view.close();
  }
}

async function triggers({ scene, environment, onFailed, cleanup }: Play, view: View) {
  const { servers, names, folder } = scene;
  const configuration = await emptyTemporalConfiguration(folder);
  return (number: number, temporalAddress: string) => {
    const logFile = join(folder, `trigger-${number}.log`);
    const own = {
      DATABASE_URL: servers.databaseUrl,
      TEMPORAL_ADDRESS: temporalAddress,
      ESCAPEMENT_SCHEMA: names.ledger,
      TEMPORAL_CONFIG_FILE: configuration,
    };
    const trigger = new TriggerProcess(number, {
      environment: triggerEnvironment(environment, own),
      logFile,
      onFailed,
    });
    cleanup.add(`stopping trigger ${number}`, () => trigger.stop());
    view.note(`trigger ${number} is process ${trigger.processId}; its log: ${logFile}`);
    return trigger;
  };
}

async function firstClaim(watch: Watch, ended: AbortSignal): Promise<void> {
  const claimed = new AbortController();
  watch.onReading(({ totals }) => {
    if (totals.claimed > 0) claimed.abort();
  });
  await pause(FIRST_CLAIM_WITHIN_MILLISECONDS, anyOf(claimed.signal, ended));
  if (!claimed.signal.aborted && !ended.aborted) {
    throw new Error(`nothing was claimed within ${FIRST_CLAIM_WITHIN_MILLISECONDS / 1_000} s: see the trigger's log`);
  }
}

function sentenceOfKill(trigger: TriggerProcess, { firing, runId }: KilledInFlight): string {
  return (
    `KILLED trigger ${trigger.number} (process ${trigger.processId}) with SIGKILL at ${clock(new Date())}, when Temporal had started ` +
    `${nameOf(firing)} as run ${runId} and its reply was still on the way. The ledger has a claim without a run, ` +
    'which the next trigger must neither lose nor start twice'
  );
}

/** Tells once that the killed trigger's firing has been recovered. */
function noteRecovery(watch: Watch, view: View, killed: KilledInFlight): void {
  const killedAt = Date.now();
  let told = false;
  watch.onReading(({ latest }: Reading) => {
    const firing = latest.find(
      ({ scheduleId, scheduledTime }) =>
        scheduleId === killed.firing.scheduleId && scheduledTime.getTime() === killed.firing.scheduledTime.getTime(),
    );
    if (told || !firing?.recovery || !firing.runId) return;
    told = true;
    const seconds = ((Date.now() - killedAt) / 1_000).toFixed(1);
    const run = firing.runId === killed.runId ? 'the very run that was under way' : `ANOTHER run, ${firing.runId}`;
    view.note(
      `RECOVERED ${nameOf(firing)} after ${seconds} s (${firing.recovery.reason}): trigger 2 called start again, and Temporal answered with ${run}`,
    );
  });
}
