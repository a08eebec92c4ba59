import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { startRequest } from '../temporal/start-request';
import { summaryOf } from '../trigger/dispatch/summary';
import { Bench } from './lib/bench';
import { Cleanup } from './lib/cleanup';
import { ACTION } from './lib/names';
import { inPairs } from './lib/pairs';
import { ratio } from './lib/result';
import { provideServers } from './lib/servers';
import { startLoopRates } from './lib/start-loop-rate';

/**
 * Measures how much the fields of a firing's start cost in Temporal. One plain start loop sends memo, search attributes
 * and summary, the other sends nothing, and both run until their workflows are completed. Run it with
 * `npx tsx bench/start-fields.ts --workflows 2000 --pairs 7`.
 */
async function main(): Promise<void> {
  const { workflows, pairs, inFlight } = new Command()
    .option('--workflows <count>', 'workflows of one loop', Number, 2_000)
    .option('--pairs <count>', 'pairs of loops', Number, 7)
    .option('--in-flight <count>', 'calls in flight', Number, 64)
    .parse()
    .opts<{ workflows: number; pairs: number; inFlight: number }>();
  const onProgress = (line: string) => console.error(line);
  const cleanup = new Cleanup(onProgress);
  try {
    const bench = await Bench.create(await provideServers({}, cleanup, onProgress), cleanup, onProgress);
    await bench.worker();
    const loop = async (fields: object) =>
      (await startLoopRates(bench, { count: workflows, inFlight, ...fields })).completedPerSecond;
    const fieldsOf = fieldsOfFirings(bench.servers.namespace);
    // These runs only warm up both loops.
    await loop({});
    await loop({ fieldsOf });
    const rates = await inPairs(bench, pairs, { ours: () => loop({ fieldsOf }), beside: () => loop({}) });
    const share = ratio('with the fields, of without', rates.ours, rates.beside);
    console.log(JSON.stringify({ workflows, inFlight, rates, share }, null, 2));
  } finally {
    await cleanup.run();
  }
}

function fieldsOfFirings(namespace: string) {
  const installation = randomUUID();
  const scheduledTime = new Date();
  return (index: number) => {
    const firing = {
      ...{ scheduleId: `fields-${index}`, scheduledTime, namespace, workflowId: `fields-${index}`, version: 1 },
      ...{
        kind: 'schedule' as const,
        actor: null,
        epoch: 0,
        startAttempts: 0,
        recovery: null,
        again: null,
        startsAt: null,
        readyAt: null,
        late: false,
        calledBefore: false,
      },
      claimedAt: scheduledTime,
    };
    const memo = {
      ...{ installation, scheduleId: firing.scheduleId, scheduledTime: scheduledTime.toISOString() },
      ...{ kind: firing.kind, startAttempt: 1, epoch: 0 },
    };
    const request = startRequest(
      {
        ...{ firing, action: ACTION, args: null, requestId: '', memo, delayMilliseconds: 0 },
        summary: summaryOf(firing),
      },
      '',
      { scheduled: true, headers: {} },
    );
    return { memo: request.memo, searchAttributes: request.searchAttributes, userMetadata: request.userMetadata };
  };
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
