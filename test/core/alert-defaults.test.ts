import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALERT_CONDITIONS, CRITICAL_CONDITIONS, severityOf } from '../../core/alert-defaults';

/** The severity of each condition, as the tables of docs/alerts.md have it. */
const PAGE = readFileSync(resolve(__dirname, '../../docs/alerts.md'), 'utf8');
const DOCUMENTED = [...PAGE.matchAll(/^\| `(\w+)` \| (critical|warning) \|/gm)].map(
  ([, condition, severity]) => [condition!, severity!] as const,
);

describe('the severity of an alert', () => {
  it.each(ALERT_CONDITIONS.map((condition) => [condition]))('of %s is the one of its documentation', (condition) => {
    expect(severityOf(condition)).toBe(Object.fromEntries(DOCUMENTED)[condition]);
  });

  it.each([
    ['late', 'critical'],
    ['running_long', 'warning'],
    ['ledger_unavailable', 'critical'],
    ['retention_held', 'warning'],
  ] as const)('of %s is %s', (condition, severity) => {
    expect(severityOf(condition)).toBe(severity);
  });
});

it('the documentation has each condition once, and no other', () => {
  expect(DOCUMENTED.map(([condition]) => condition).sort()).toEqual([...ALERT_CONDITIONS].sort());
});

it('the critical conditions are those of that severity, each once', () => {
  const critical = ALERT_CONDITIONS.filter((condition) => severityOf(condition) === 'critical');
  expect([...CRITICAL_CONDITIONS].sort()).toEqual(critical.sort());
});

it('of alerts that open together, what stops all is sent first, and a month that is kept last', () => {
  expect(ALERT_CONDITIONS.slice(0, 2)).toEqual(['ledger_unavailable', 'no_trigger']);
  expect(ALERT_CONDITIONS.at(-1)).toBe('retention_held');
});
