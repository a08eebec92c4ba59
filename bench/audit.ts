import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { Command } from 'commander';
import { auditNative } from '../moving/audit/audit';
import { noCounts } from '../moving/audit/classes';
import { MeasuredCommit } from './lib/commit';
import { record } from './lib/record';
import { figure, verdict } from './lib/result';

const MOST_SECONDS = 60;
const SECOND = 1_000;
const { ScheduleOverlapPolicy, WorkflowExecutionStatus } = temporal.api.enums.v1;

/**
 * Measures how long an audit of 1,000,000 due times takes, with a simulated visibility in which every hundredth time
 * was missed. Run it with `npx tsx bench/audit.ts`. The exit code is 1 if the audit takes a minute, or if the numbers
 * of missed and on-time firings are wrong.
 */
async function main(): Promise<void> {
  const { times } = new Command()
    .option('--times <count>', 'due times of one schedule', Number, 1_000_000)
    .parse()
    .opts<{ times: number }>();
  const to = Math.floor(Date.now() / SECOND) * SECOND - 3_600 * SECOND;
  const from = to - (times - 1) * SECOND;
  const counts = noCounts();
  const commit = await MeasuredCommit.read();
  const startedAt = performance.now();
  const options = { temporal: played(from) as never, namespace: 'default', from: new Date(from), to: new Date(to) };
  await auditNative(options, {
    onTime: (_, time) => {
      counts[time.class] += 1;
    },
    onSchedule: ({ problem }) => {
      if (problem) throw new Error(problem);
    },
  });
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  console.log(JSON.stringify({ times, seconds, counts }));
  await record('audit', {
    commit,
    title: 'An audit of native schedules over many due times, with a played visibility',
    size: { times },
    figures: [figure('audit', 'time', 's', [seconds])],
    verdicts: [verdict('audit, seconds', 's', [seconds], { atMost: MOST_SECONDS })],
    notes: ['Temporal is played in this process: no call leaves it.'],
  });
  const isRight = counts.missed === Math.ceil(times / 100) && counts.on_time === times - counts.missed;
  process.exitCode = isRight && seconds < MOST_SECONDS ? 0 : 1;
}

/** A simulated Temporal with one schedule, which fires each second and has missed every hundredth time since `from`. */
function played(from: number) {
  const interval = { interval: msToTs(SECOND) };
  const info = { createTime: msToTs(from - 86_400 * SECOND) };
  const policies = { overlapPolicy: ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL };
  const workflowService = {
    listSchedules: async () => ({ schedules: [{ scheduleId: 'bench' }] }),
    describeSchedule: async () => ({ schedule: { spec: { interval: [interval] }, policies }, info }),
    describeNamespace: async () => ({ config: { workflowExecutionRetentionTtl: msToTs(365 * 86_400 * SECOND) } }),
    listScheduleMatchingTimes: async (request: { startTime: Timestamp; endTime: Timestamp }) => {
      const startTime: unknown[] = [];
      const end = Number(request.endTime.seconds);
      for (let at = Number(request.startTime.seconds) + 1; at <= end; at++) startTime.push(msToTs(at * SECOND));
      return { startTime };
    },
    listWorkflowExecutions: async ({ query }: { query: string }) => {
      const [first, last] = [...query.matchAll(/'(\d{4}-[^']+Z)'/g)].map(([, time]) => Date.parse(time!));
      const executions: unknown[] = [];
      for (let at = Math.ceil(first! / SECOND) * SECOND; at <= last!; at += SECOND) {
        if (((at - from) / SECOND) % 100 !== 0) executions.push(runAt(at));
      }
      return { executions };
    },
  };
  return { connection: { workflowService, withDeadline: (_: number, call: () => unknown) => call() } };
}

type Timestamp = { seconds: unknown };

function runAt(nominal: number) {
  const data = Buffer.from(JSON.stringify(new Date(nominal).toISOString()));
  return {
    execution: { workflowId: `bench-workflow-${nominal}`, runId: 'r' },
    status: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED,
    startTime: msToTs(nominal + 20),
    closeTime: msToTs(nominal + 300),
    searchAttributes: { indexedFields: { TemporalScheduledStartTime: { data } } },
  };
}

void main();
