import { describe, expect, it } from 'vitest';
import { COLUMNS } from '../../../core/list-query/fields';
import { resolveQuery } from '../../../core/list-query/resolve';
import { refusal } from './refusal';

const TEXTS = 'scheduleId namespace tenant owner externalId taskQueue workflowType overlap note'.split(' ');
const FLAGS = ['paused', 'completed'];
const TIMES = ['nextFireAt', 'lastFireAt', 'createdAt', 'lastUpdatedAt'];
const NUMBERS = ['remainingActions', 'version'];
const time = '2026-11-20T02:00:00Z';

const condition = (query: string) => resolveQuery(query)?.condition;
const compare = (column: string, operator: string, value: unknown) => ({
  kind: 'compare',
  field: { column },
  operator,
  value,
});

describe('the fields of a list filter', () => {
  it('are those that the documentation lists', () => {
    expect(Object.keys(COLUMNS).sort()).toEqual([...TEXTS, ...FLAGS, ...TIMES, ...NUMBERS, 'source', 'state'].sort());
  });

  it.each(TEXTS)('with texts are compared in order, and by their beginning: %s', (name) => {
    expect(condition(`${name} >= 'a'`)).toEqual(compare(name, '>=', 'a'));
    expect(condition(`${name} STARTS_WITH 'a'`)).toEqual({ kind: 'startsWith', field: { column: name }, value: 'a' });
    expect(refusal(`${name} = 1`).problem).toBe(`${name} is compared with a text, not with 1`);
    expect(refusal(`${name} = true`).problem).toBe(`${name} is compared with a text, not with true`);
    expect(refusal(`${name} STARTS_WITH 1`).problem).toBe(`${name} is compared with a text, not with 1`);
  });

  it('with a source have texts', () => {
    expect(condition(`source = 'a'`)).toEqual(compare('source', '=', 'a'));
    expect(refusal('source = 1').problem).toBe('source is compared with a text, not with 1');
    expect(refusal('source IN (true)').problem).toBe('source is compared with a text, not with true');
  });

  it.each(FLAGS)('are true or false: %s', (name) => {
    expect(condition(`${name} = true`)).toEqual(compare(name, '=', true));
    expect(condition(`${name} != false`)).toEqual(compare(name, '!=', false));
    expect(refusal(`${name} = 1`).problem).toBe(`${name} is compared with true or false, not with 1`);
    expect(refusal(`${name} = 'true'`).problem).toBe(`${name} is compared with true or false, not with "true"`);
  });

  it.each(NUMBERS)('are numbers: %s', (name) => {
    expect(condition(`${name} < 2.5`)).toEqual(compare(name, '<', 2.5));
    expect(refusal(`${name} = '1'`).problem).toBe(`${name} is compared with a number, not with "1"`);
    expect(refusal(`${name} = true`).problem).toBe(`${name} is compared with a number, not with true`);
  });

  it.each(TIMES)('are times: %s', (name) => {
    expect(condition(`${name} > '${time}'`)).toEqual(compare(name, '>', new Date(time)));
    const example = 'is not a time; "2026-11-20T02:00:00Z" is';
    expect(refusal(`${name} > 1795485600`).problem).toBe(`1795485600 ${example}`);
    expect(refusal(`${name} = true`).problem).toBe(`true ${example}`);
    expect(refusal(`${name} = '2026-11-20'`).problem).toBe(`"2026-11-20" ${example}`);
  });

  it.each(['live', 'paused', 'completed', 'set aside'])('are states: %s', (state) => {
    expect(condition(`state = '${state}'`)).toEqual(compare('state', '=', state));
  });

  it('have no other states', () => {
    const are = 'is no state; live, paused, completed, set aside are';
    expect(refusal(`state = 'deleted'`)).toEqual({ position: 9, problem: `"deleted" ${are}` });
    expect(refusal(`state IN ('live', 'Live')`)).toEqual({
      position: 19,
      problem: `"Live" ${are}; did you mean live?`,
    });
    expect(refusal('state = 1').problem).toBe(`1 ${are}`);
    expect(refusal('state = true').problem).toBe(`true ${are}`);
  });

  it.each([
    ['ScheduleId', 'scheduleId'],
    ['TaskQueue', 'taskQueue'],
    ['WorkflowType', 'workflowType'],
  ])('may have the name that they have in Temporal: %s', (name, column) => {
    expect(condition(`${name} = 'a'`)).toEqual(compare(column, '=', 'a'));
  });

  it('may be called paused as in Temporal', () => {
    expect(condition('TemporalSchedulePaused = true')).toEqual(compare('paused', '=', true));
  });

  it.each(['ScheduleID', 'note_', 'Note', 'STATE', 'constructor', 'toString'])(
    'are exactly these; another name is a search attribute: %s',
    (name) => {
      expect(resolveQuery(`${name} = 1`)).toEqual({
        condition: { kind: 'compare', field: { attribute: name }, operator: '=', value: 1 },
        attributes: new Map([[name, 1]]),
      });
    },
  );

  it.each(['note', 'state', 'ScheduleId'])('in backticks are search attributes: %s', (name) => {
    expect(resolveQuery(`\`${name}\` = 1`)).toEqual({
      condition: { kind: 'compare', field: { attribute: name }, operator: '=', value: 1 },
      attributes: new Map([[name, 1]]),
    });
  });
});
