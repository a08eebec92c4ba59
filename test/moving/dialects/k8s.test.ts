import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextOccurrences } from '../../../core/occurrences';
import { readManifests } from '../../../moving/dialects/k8s';
import { cronJobSpec } from '../../../moving/dialects/k8s-expression';

const read = (...texts: string[]) =>
  readManifests(texts.map((text, index) => ({ name: `file${index + 1}.yaml`, text })));

const job = (name: string, spec: string) => `
apiVersion: batch/v1
kind: CronJob
metadata: { name: ${name} }
spec:
  ${spec.trim().replaceAll('\n', '\n  ')}
`;

const WHOLE = job(
  'send-report',
  `schedule: "0 2 * * 1-5"
timeZone: Europe/Berlin
concurrencyPolicy: Forbid
startingDeadlineSeconds: 200
suspend: true
successfulJobsHistoryLimit: 3
jobTemplate:
  spec:
    activeDeadlineSeconds: 600
    backoffLimit: 2
    template:
      spec:
        restartPolicy: OnFailure
        containers:
        - name: main
          image: registry.example.com/report:1.2
          args: ["--region", "emea", 3]`,
);

it('reads each field of a CronJob', () => {
  const { found, problems } = read(WHOLE);
  expect(problems).toEqual([]);
  expect(found[0]!.schedule).toEqual({
    scheduleId: 'send-report',
    spec: { cron: '0 2 * * 1-5', timezone: 'Europe/Berlin', dst: 'LITERAL' },
    action: {
      type: 'startWorkflow',
      workflowType: 'sendReport',
      taskQueue: 'crons',
      args: [{ image: 'registry.example.com/report:1.2', args: ['--region', 'emea', '3'] }],
      workflowExecutionTimeout: '600 seconds',
    },
    policies: { overlap: 'SKIP', catchupLimit: 1, catchupWindow: '200 seconds' },
    state: { paused: true, note: 'suspended as a CronJob' },
  });
  const said = found[0]!.became.join('\n');
  for (const field of [
    'schedule',
    'timeZone',
    'concurrencyPolicy',
    'startingDeadlineSeconds',
    'suspend',
    'backoffLimit',
  ])
    expect(said).toContain(field);
  expect(said).toContain('successfulJobsHistoryLimit -> nothing');
});

it('takes each concurrency policy for the overlap that does the same', () => {
  const overlap = (policy: string) =>
    read(job('a', `schedule: "@daily"\n${policy}`)).found[0]!.schedule.policies!.overlap;
  expect(
    ['', 'concurrencyPolicy: Allow', 'concurrencyPolicy: Forbid', 'concurrencyPolicy: Replace'].map(overlap),
  ).toEqual(['ALLOW_ALL', 'ALLOW_ALL', 'SKIP', 'TERMINATE_OTHER']);
});

it('reads several documents and lists, passes over other kinds, and goes on behind what it cannot read', () => {
  const list = `{"apiVersion":"v1","kind":"List","items":[{"kind":"CronJob","metadata":{"name":"listed"},"spec":{"schedule":"@hourly","suspend":null}},{"kind":"Pod"}]}`;
  const { found, problems } = read(
    [job('one', 'schedule: "* * * * *"'), 'kind: Deployment', job('two', 'schedule: "61 * * * *"')].join('\n---\n'),
    [job('one', 'schedule: "0 0 * * *"\nconcurrencyPolicy: Sometimes'), 'kind: [', job('three', 'timeZone: UTC')].join(
      '\n---\n',
    ),
    list,
    'kind: Service',
    job('one', 'schedule: "0 0 * * *"\nstartingDeadlineSeconds: 5'),
  );
  expect(found.map(({ where }) => where)).toEqual([
    "file1.yaml, document 1: CronJob 'one'",
    "file3.yaml, document 1, item 1: CronJob 'listed'",
    "file5.yaml, document 1: CronJob 'one'",
  ]);
  // The same name in another file is another schedule.
  expect(found.map(({ schedule }) => schedule.scheduleId)).toEqual(['one', 'listed', 'one-2']);
  expect(found[2]!.schedule.policies!.catchupWindow).toBe('10 seconds');
  expect(problems.map(({ where, problem }) => `${where}: ${problem}`).join('\n')).toMatch(
    /^file1.yaml, document 3: CronJob 'two': spec.cron: .*61.*\nfile2.yaml, document 1: spec.concurrencyPolicy: .*\nfile2.yaml, document 2: is no YAML: .*\nfile2.yaml, document 3: spec.schedule: is missing\nfile4.yaml: has no CronJob$/,
  );
});

it('refuses an alias that grows without bound', () => {
  const bomb = `a: &a [${'x,'.repeat(20)}]\nb: &b [${'*a,'.repeat(20)}]\nc: &c [${'*b,'.repeat(20)}]\nd: [${'*c,'.repeat(20)}]\n`;
  expect(read(bomb).problems[0]!.problem).toMatch(/is no YAML: .*alias/);
});

describe('vectors of the library that the controller reads schedules by', () => {
  const vectors: { expr: string; tz: string; from: string; next: string[]; rule: string; unsatisfiable?: boolean }[] =
    readFileSync(join(__dirname, '../../vectors/cron.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  // A leading second of 0 is what five fields mean.
  const five = vectors
    .filter(({ rule }) => rule === 'robfig')
    .map((vector) => ({ ...vector, expr: vector.expr.replace(/^0 (?=(\S+ ){4}\S+$)/, '') }))
    .filter(({ expr }) => expr.split(' ').length === 5);

  it('are enough to say something', () => expect(five.length).toBeGreaterThan(20));

  it.each(five.map((vector) => [`${vector.expr} in ${vector.tz} from ${vector.from}`, vector] as const))(
    '%s',
    (_, { expr, tz, from, next }) => {
      const { spec } = cronJobSpec(expr, tz);
      const found = nextOccurrences(spec, { after: new Date(from), count: Math.max(1, next.length) });
      expect(found.map((date) => date.toISOString().replace('.000', ''))).toEqual(next);
    },
  );

  it.each([
    ['0 9 1,* * mon', '0 9 * * mon'],
    ['0 9 1,?/01 * mon', '0 9 * * mon'],
    ['0 9 1 * */1,5', '0 9 1 * *'],
    ['0 9 1,*/2 * mon', '0 9 1,*/2 * mon'],
    ['*,5 9 1,15 * mon', '*,5 9 1,15 * mon'],
  ])('takes a day field with a wildcard in its list for a wildcard, as that library does: %s', (schedule, cron) => {
    expect(cronJobSpec(schedule, 'UTC').spec).toEqual({ cron, timezone: 'UTC' });
  });

  it('reads a zone in front, and @every', () => {
    expect(cronJobSpec('CRON_TZ=Asia/Tokyo 0 9 * * *', undefined).spec).toMatchObject({ timezone: 'Asia/Tokyo' });
    expect(cronJobSpec('@every 1h30m', undefined).spec).toEqual({ intervals: [{ every: 5_400_000 }] });
    expect(() => cronJobSpec('@every soon', undefined)).toThrow(/no duration/);
    expect(() => cronJobSpec('0 0 L * *', undefined)).toThrow(/what no CronJob has/);
  });
});
