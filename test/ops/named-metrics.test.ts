import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { WORKER_METRICS } from '../../activities/lease-metrics';
import { ALERT_CONDITIONS, type AlertCondition, severityOf } from '../../core/alert-defaults';
import { LEDGER_METRICS, type MetricDefinition, TRIGGER_METRICS } from '../../trigger/metrics/definitions';

const OPS = resolve(__dirname, '../../ops');
const read = (path: string) => readFileSync(join(OPS, path), 'utf8');
const definitions: MetricDefinition[] = [TRIGGER_METRICS, LEDGER_METRICS, WORKER_METRICS].flatMap((record) =>
  Object.values<MetricDefinition>(record),
);

interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: { summary: string; runbook: string };
}

const rules: Rule[] = parse(read('prometheus/escapement.rules.yml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const dashboard: { panels: { title: string; targets: { expr: string; legendFormat: string }[] }[] } = JSON.parse(
  read('grafana/dashboards/escapement.json'),
);
const targets = dashboard.panels.flatMap((panel) => panel.targets);

/** The condition whose open alerts a rule counts. */
function conditionOf(expression: string): AlertCondition | undefined {
  return /escapement_alerts_open\{condition="(\w+)"\}/.exec(expression)?.[1] as AlertCondition | undefined;
}

/** The series names that Prometheus derives from a metric. */
function seriesOf({ type, name }: MetricDefinition): string[] {
  return type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
}

/** What is wrong with an expression, by the metrics that the code defines. */
function problemsOf(expression: string): string[] {
  const problems: string[] = [];
  for (const [, name, matchers = ''] of expression.matchAll(/(escapement_\w+)(?:\{([^}]*)\})?/g)) {
    const definition = definitions.find((one) => seriesOf(one).includes(name!));
    if (!definition) problems.push(`there is no ${name}`);
    for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      const has = label === 'le' || definition?.labels.includes(label!);
      if (!has) problems.push(`${name} has no label ${label}`);
    }
  }
  // Of what an expression groups by, the metrics in it have each.
  for (const [, labels] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of labels!.split(',').map((one) => one.trim())) {
      const named = definitions.filter((one) => seriesOf(one).some((series) => expression.includes(series)));
      // Prometheus itself gives each series its `job`.
      const has = label === 'le' || label === 'job' || named.some((one) => one.labels.includes(label));
      if (!has) problems.push(`nothing has ${label}`);
    }
  }
  return problems;
}

describe('ops/', () => {
  it('names metrics and labels in its dashboard and its rules that the code has, and no others', () => {
    const expressions = [...targets.map(({ expr }) => expr), ...rules.map(({ expr }) => expr)];
    expect(expressions.length).toBeGreaterThan(60);
    expect(expressions.flatMap((expression) => problemsOf(expression).map((one) => `${expression}: ${one}`))).toEqual(
      [],
    );
    expect(problemsOf('sum by (schedule) (rate(escapement_firing_lag_seconds{reason="x"}[5m]))')).toEqual([
      'there is no escapement_firing_lag_seconds',
      'escapement_firing_lag_seconds has no label reason',
      'nothing has schedule',
    ]);
  });

  it('shows every metric in its dashboard', () => {
    const shown = targets.map(({ expr }) => expr).join('\n');
    const absent = definitions.filter((one) => !seriesOf(one).some((series) => shown.includes(series)));
    expect(absent.map(({ name }) => name)).toEqual([]);
  });

  it('has a rule for each condition that alerts open for', () => {
    const told = rules.flatMap(({ expr }) => conditionOf(expr) ?? []);
    expect(ALERT_CONDITIONS.filter((condition) => !told.includes(condition))).toEqual([]);
  });

  it('leads from each rule to the run-book of its condition, and gives open alerts the severity that PagerDuty gets', () => {
    const page = readFileSync(join(OPS, '../docs/operations.md'), 'utf8');
    const runBooks = new Map<string, string>();
    for (const [, ids, anchor] of page.matchAll(/^\| (`.+`) \| \w+ \| \[.+\]\(#(.+)\) \|$/gm)) {
      for (const [, id] of ids!.matchAll(/`(\w+)`/g)) runBooks.set(id!, `docs/operations.md#${anchor}`);
    }
    const wrong = rules.filter(({ expr, labels, annotations }) => {
      const open = conditionOf(expr);
      const isOther = open !== undefined && labels.severity !== severityOf(open);
      return isOther || annotations.runbook !== runBooks.get(open ?? labels.condition!);
    });
    expect(wrong.map(({ alert }) => alert)).toEqual([]);
  });

  it('tests each rule with promtool: test/long/prometheus-rules.test.ts runs that', () => {
    const tested = read('prometheus/escapement.rules.test.yml');
    const untested = rules.filter(({ alert }) => {
      const of = tested.split(`alertname: ${alert}\n`).slice(1);
      // Once where it speaks, and once where it does not.
      return !of.some((one) => one.trimStart().startsWith('exp_alerts: []')) || of.length < 2;
    });
    expect(untested.map(({ alert }) => alert)).toEqual([]);
  });
});
