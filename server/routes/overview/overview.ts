import { z } from 'zod';
import { operation } from '../../operation';
import { overviewOf } from '../../overview/now';
import { outcomesOverTime } from '../../overview/over-time';
import { time } from '../../schemas/described';
import { count } from '../../schemas/query';

const instant = time;
const severity = z.enum(['critical', 'warning']);

const overview = z
  .looseObject({
    now: instant.describe('By the clock of the ledger'),
    verdict: z.object({
      status: z.enum(['ok', 'warning', 'critical']),
      sentence: z.string().describe('One sentence about the overall state; the worst problem comes first'),
      action: z.string().optional().describe('What to do about it'),
      id: z.string().optional().describe('The kind of problem, by the name of the finding in doctor'),
      others: z.array(z.object({ id: z.string(), severity, text: z.string(), action: z.string() })),
    }),
    lagMilliseconds: z.number().describe('How long the oldest firing that is due or may start has waited'),
    lag: z
      .looseObject({ firings: z.int(), p50Milliseconds: z.number().nullable(), p99Milliseconds: z.number().nullable() })
      .describe('For firings scheduled in the last five minutes'),
    due: z
      .int()
      .describe(
        'Schedules that are due and not claimed, up to 100,000; without those that a freeze or a quota holds back',
      ),
    waiting: z.int().describe('Firings that may start, but have not started; up to 100,000'),
    running: z.int().describe('Firings whose workflow runs; up to 100,000'),
    letters: z.object({ open: z.int(), oldestAt: instant.nullable() }),
    alerts: z.array(z.looseObject({})).describe('Open alerts, at most 200, the worst first'),
    openAlerts: z.object({ total: z.int(), notAcknowledged: z.int() }).describe('Counts of all open alerts'),
    triggers: z.array(z.looseObject({})),
    namespaces: z.array(z.looseObject({ namespace: z.string(), schedules: z.int() })),
    coming: z.array(z.object({ at: instant, schedules: z.int(), scheduleId: z.string() })),
    freezes: z
      .array(z.object({ to: instant, note: z.string().nullable() }))
      .describe(
        'Freezes in force that may hold schedules of the caller, at most 200; the note only of the caller’s own',
      ),
  })
  .meta({ id: 'Overview' });

const getOverview = operation({
  method: 'GET',
  path: '/v1/overview',
  operationId: 'getOverview',
  tag: 'overview',
  summary: 'Is everything on time?',
  description:
    'One sentence about the worst problem, open alerts, waiting and running firings, and counts of schedules that are due within 15 minutes. A token of one tenant sees problems of its own alerts and missing triggers, and no namespaces.',
  scope: 'read',
  answers: { 200: { description: 'The overall state', schema: overview } },
  handle: async ({ server, caller }) => ({ body: await overviewOf(server, caller.tenant) }),
});

const overTime = z
  .object({
    from: instant,
    to: instant,
    bucketMilliseconds: z.int(),
    buckets: z.array(
      z.looseObject({
        at: instant,
        completed: z.int(),
        failed: z.int(),
        lagP99: z.number().nullable().describe('Milliseconds from the nominal time to the start'),
      }),
    ),
    missed: z.array(z.object({ at: instant, missed: z.number() })),
  })
  .meta({ id: 'OutcomesOverTime' });

const getOutcomes = operation({
  method: 'GET',
  path: '/v1/overview/outcomes',
  operationId: 'getOutcomesOverTime',
  tag: 'overview',
  summary: 'Outcomes and lag over time',
  description: 'In 48 intervals up to now; intervals without firings are left out.',
  scope: 'read',
  query: z.strictObject({ hours: count(1, 24).optional().describe('How far back, 1 to 24; 24 unless given') }),
  answers: { 200: { description: 'Counts by outcome, and lag', schema: overTime } },
  handle: async ({ server, caller, query: { hours = 24 } }) => ({
    body: await outcomesOverTime(server, { hours, tenant: caller.tenant }),
  }),
});

export const overviewRoutes = [getOverview, getOutcomes];
