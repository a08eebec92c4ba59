import { expect, it } from 'vitest';
import { NO_ARGS } from '../../core/definition/encoded-args';
import { scheduleShape } from '../../core/definition/shape';
import { problemsOf } from '../../core/options';
import { openapi } from '../../server/openapi';
import { operations } from '../../server/routes';
import { newSchedule, WIRE_FIELDS } from '../../server/schemas/schedule';

/** What only GET says, of what the server cannot decode; a client is not given it. */
const OF_GET = ['argsError', 'memoError', 'textsError'];
/** What describe of a client adds, and GET does not. */
const OF_DESCRIBE = ['raw'];
const STATE_OF_DESCRIBE = ['completed', 'completedAt', 'completedBy', 'pausedAt', 'pausedBy', 'pausedUntil'].concat([
  ...['specError', 'setAsideAt', 'shadow'],
]);

it('the fields of a schedule that /openapi.json names are those that create of a client takes', () => {
  const of = (part: keyof typeof WIRE_FIELDS) =>
    [...WIRE_FIELDS[part]].filter((field) => !OF_GET.includes(field)).sort();
  expect(of('options')).toEqual(fieldsOf('options', OF_DESCRIBE));
  expect(of('action')).toEqual(fieldsOf('action', []));
  expect(of('policies')).toEqual(fieldsOf('policies', []));
  expect(of('state')).toEqual(fieldsOf('state', STATE_OF_DESCRIBE));
});

it('/openapi.json says that a list in a query repeats its name, since the ID of a schedule may contain a comma', () => {
  const { paths } = openapi(operations, '') as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };
  const parameters = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ parameters = [] }) => parameters),
  );
  const lists = parameters.filter(({ schema }) => schema?.type === 'array');
  expect(lists.map(({ name }) => name)).toContain('scheduleId');
  for (const list of lists) expect(list).toMatchObject({ style: 'form', explode: true });
});

it('a part that may be of one kind or another is refused in words of its own', () => {
  const spec = { cron: 5, at: [1] };
  const action = { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', args: 'A1' };
  expect(problemsOf(newSchedule, { scheduleId: 'nightly', spec, action })).toEqual([
    { path: 'spec.cron', problem: 'is neither a text nor a list of texts' },
    { path: 'spec.at', problem: 'is neither a text nor a list of texts' },
    { path: 'action.args', problem: NO_ARGS },
  ]);
  const { body } = operations.find(({ operationId }) => operationId === 'putCalendar')!;
  const day = 'is neither a date such as 2026-12-25 nor { day, label } with texts';
  expect(problemsOf(body!, { days: [5, '2026-12-25', { date: '2026-12-25' }] })).toEqual([
    { path: 'days[0]', problem: day },
    { path: 'days[2]', problem: day },
  ]);
});

interface Parameter {
  name: string;
  schema?: { type?: string };
}

/** The fields that the client's check knows, as it names them when it refuses another one. */
function fieldsOf(part: keyof typeof WIRE_FIELDS, without: string[]): string[] {
  const options = part === 'options' ? { noSuchField: 1 } : { [part]: { noSuchField: 1 } };
  const refusal = problemsOf(scheduleShape, options).find(({ path }) => path.endsWith('noSuchField'));
  const [, names] = /; (.*) are$/.exec(refusal!.problem)!;
  return names!
    .split(', ')
    .filter((field) => !without.includes(field))
    .sort();
}
